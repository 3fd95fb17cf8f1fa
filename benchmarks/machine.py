"""What the numbers were taken on: processor, versions, libraries of threads."""

import datetime
import importlib.metadata
import os
import platform
import time
from pathlib import Path
from typing import Any

PACKAGES = (
    *("tfdynlib", "numpy", "scipy", "POT", "numba", "finufft", "ducc0", "torch"),
    *("jax", "pykeops", "diffrax", "ott-jax", "array-api-compat", "threadpoolctl"),
)
STAT = Path("/proc/stat")
VECTORS = ("avx2", "fma", "avx512f")


def processor() -> str:
    """The name of the processor, as the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def vectors() -> list[str]:
    """Which of the wide instructions that matter here the processor has."""
    info = Path("/proc/cpuinfo")
    words = set(info.read_text().split()) if info.exists() else set()
    return [name for name in VECTORS if name in words]


def versions() -> dict[str, str | None]:
    """Versions of the packages that take part; None if one is not installed."""
    out: dict[str, str | None] = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            out[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            out[name] = None
    return out


def thread_pools() -> list[dict[str, Any]]:
    """What threadpoolctl reports of the libraries that are loaded; no paths."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return []
    kept = ("internal_api", "num_threads", "version", "architecture")
    return [{k: pool.get(k) for k in kept} for pool in threadpool_info()]


class Watch:
    """What else the machine does from now on."""

    def __init__(self) -> None:
        self.began, self.busy, self.own = time.monotonic(), _busy(), _own()

    def others(self) -> float | None:
        """Cores that were busy with other work, on average; None where the system does
        not tell."""
        now = _busy()
        if self.busy is None or now is None:
            return None
        seconds = now - self.busy - (_own() - self.own)
        return max(0.0, seconds / (time.monotonic() - self.began))


def _busy() -> float | None:
    """Seconds that all cores have worked, for anybody, since the system was started."""
    if not STAT.exists():
        return None
    user, nice, system, _idle, _wait, *rest = map(int, STAT.read_text().split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """Seconds that this process and those it has waited for have worked."""
    return sum(os.times()[:4])


def describe() -> dict[str, Any]:
    """The machine and what runs on it, now."""
    now = datetime.datetime.now(datetime.UTC)
    return {
        "date": now.isoformat(timespec="seconds"),
        "processor": processor(),
        "vectors": vectors(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions(),
    }
