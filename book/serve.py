"""Serve the built book at a local address, as a plain file server would.

``python book/serve.py _build/html`` prints the address and serves until Ctrl+C.  The
book is served under a folder, ``/textbook/``, as on its site: a page that only works
at the top of a server is found out.
"""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import BinaryIO

FOLDER = "/textbook/"


class Pages(SimpleHTTPRequestHandler):
    """Files of one folder under ``/textbook/`` and nothing else; never cached."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".ipynb": "application/json",
    }

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer with a file of the folder, or send the reader on to it."""
        if self.path in ("/", FOLDER.rstrip("/")):
            self.send_response(302)
            self.send_header("Location", FOLDER)
            self.end_headers()
            return None
        if not self.path.startswith(FOLDER):
            self.send_error(404)
            return None
        self.path = self.path.removeprefix(FOLDER.rstrip("/"))
        return super().send_head()

    def end_headers(self) -> None:
        """Ask the browser to look again each time."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


def server_of(root: Path) -> ThreadingHTTPServer:
    """Server of the files under ``root`` on a free port of this machine."""
    if not (root / "index.html").is_file():
        raise SystemExit(f"No book in {root}; build it first with: make book")
    return ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(root)))


def address_of(server: ThreadingHTTPServer) -> str:
    """Address of the book, with a slash at the end."""
    return f"http://127.0.0.1:{server.server_port}{FOLDER}"


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """Serve ``root`` while a block runs; gives the address (for tests)."""
    with server_of(root) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield address_of(server)
        finally:
            server.shutdown()


if __name__ == "__main__":
    with server_of(Path(sys.argv[1])) as server:
        print(f"==> The book is at {address_of(server)}  Stop with Ctrl+C.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nStopped.")
