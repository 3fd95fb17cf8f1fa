"""``python -m tfdynlib.low_temperature``: makes the stored runs, some minutes."""

from pathlib import Path

from tfdynlib import records
from tfdynlib.low_temperature import store

DOES = "Low temperature at large sizes, again: what the file lacks."


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = records.command("low_temperature", DOES, Path(f"{store.NAME}.json"))
    halves = ("curves", "systems")
    parser.add_argument("--only", choices=halves, default="", help="one half of it")
    options = parser.parse_args(arguments)
    store.make(options.out, options.only)


if __name__ == "__main__":
    main()
