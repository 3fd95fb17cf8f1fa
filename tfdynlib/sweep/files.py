"""Datasets as files: netCDF, or a Zarr store, by the end of the name."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import xarray as xr

from tfdynlib import _check

NETCDF, ZARR = ".nc", ".zarr"


def target(out: str | Path) -> Path:
    """Front door of a file to write."""
    file = Path(_check.instance(out, (str, Path), "out", "the path of a file"))
    _known(file, "out")
    if not file.parent.is_dir():
        raise _check.refuse("out", "in a folder that exists", str(file.parent))
    return file


def _known(file: Path, name: str) -> None:
    """The form is known, and what it needs is there."""
    if file.suffix not in (NETCDF, ZARR):
        raise _check.refuse(name, f"a file that ends in {NETCDF} or {ZARR}", file.name)
    if file.suffix == ZARR and find_spec("zarr") is None:
        wanted = f"a file that ends in {NETCDF} without the package zarr (extra zarr)"
        raise _check.refuse(name, wanted, file.name)


def write(found: xr.Dataset, file: Path) -> None:
    """A dataset in the form that the name says; a reader never sees half of one."""
    beside = file.with_name(file.name + ".part")
    plain = {name: {"_FillValue": None} for name in found.variables}
    if file.suffix == NETCDF:
        found.to_netcdf(beside, format="NETCDF3_64BIT", engine="scipy", encoding=plain)
        beside.replace(file)
        return
    found.to_zarr(beside, mode="w", zarr_format=2, consolidated=True, encoding=plain)
    if file.exists():  # a folder takes the place of none that has files
        shutil.rmtree(file)
    beside.replace(file)


def load(file: str | Path) -> xr.Dataset:
    """The dataset in a file that a sweep wrote, netCDF or Zarr."""
    place = Path(_check.instance(file, (str, Path), "file", "the path of a file"))
    _known(place, "file")
    form: dict[str, Any] = {"engine": "scipy"}
    if place.suffix == ZARR:
        form = {"engine": "zarr", "consolidated": True}
    try:
        return xr.load_dataset(place, **form)
    except (OSError, ValueError, TypeError, KeyError) as error:
        wanted = "a file that a sweep wrote"
        raise _check.refuse("file", wanted, f"{place.name} ({error})") from error
