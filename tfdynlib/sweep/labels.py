"""Finished runs as one labelled dataset."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from tfdynlib import _check, records
from tfdynlib.sweep import versions
from tfdynlib.sweep.study import Study

# In a whole number no run gives this: it stands for a run that failed.
NONE = -1


@dataclass(frozen=True)
class Failure:
    """A run that raised: its number, its parameters, and what it said."""

    index: int
    parameters: dict[str, Any]
    message: str


def dataset(study: Study, rows: Mapping[int, Mapping[str, Any]]) -> xr.Dataset:
    """Every run of a study, with axes, units, versions and seeds."""
    kind, shape = study.kind, study.shape
    dims = (*study.grid, "seed")
    made = {}
    for name, output in kind.outputs.items():
        inner = tuple(len(study.axis(a)) for a in output.axes)
        whole = bool(output.words)
        full = np.full((study.size, *inner), NONE if whole else np.nan)
        for index, row in rows.items():
            if "values" in row:
                full[index] = row["values"][name]
        full = full.astype(np.int16) if whole else full
        attrs: dict[str, Any] = {"long_name": output.meaning, "units": output.unit}
        if whole:
            attrs |= {
                "flag_values": np.arange(len(output.words), dtype=np.int16),
                "flag_meanings": " ".join(output.words),
            }
        made[name] = ((*dims, *output.axes), full.reshape(*shape, *inner), attrs)
    failed = np.array(["error" in rows[k] for k in range(study.size)], np.int8)
    words = {"long_name": "the run raised an error (attribute failures)", "units": "1"}
    made["failed"] = (dims, failed.reshape(shape), words)
    return xr.Dataset(made, _coordinates(study), _attributes(study, rows))


def _coordinates(study: Study) -> dict[str, Any]:
    kind = study.kind
    out: dict[str, Any] = {}
    for name, values in study.grid.items():
        known = kind.parameters[name]
        attrs = {"long_name": known.meaning, "units": known.unit}
        out[name] = (name, _small(np.array(values)), attrs)
    attrs = {"long_name": "number of the repetition", "units": "1"}
    out["seed"] = ("seed", np.arange(study.seeds, dtype=np.int32), attrs)
    for name in {a: None for o in kind.outputs.values() for a in o.axes}:
        attrs = {"long_name": kind.axes[name].meaning, "units": kind.axes[name].unit}
        out[name] = (name, study.axis(name), attrs)
    return out


def _small(values: np.ndarray) -> np.ndarray:
    """Whole numbers as the format has them."""
    return values.astype(np.int32) if values.dtype.kind in "iu" else values


def _attributes(study: Study, rows: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    failures = {k: rows[k]["error"] for k in sorted(rows) if "error" in rows[k]}
    seconds = sum(row.get("seconds", 0.0) for row in rows.values())
    fixed = [
        f"{name} = {value!r} ({study.kind.parameters[name].unit})"
        for name, value in study.settings.items()
    ]
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {
        "title": study.title or study.kind.meaning,
        "kind": study.kind.name,
        "study": json.dumps(study.described()),
        "fixed": "; ".join(fixed),
        "entropy": str(study.entropy),
        "seeds": "run k (in C order of the grid and seed): "
        "numpy.random.SeedSequence(entropy, spawn_key=(k,))",
        "versions": json.dumps(versions.found()),
        "processor": records.processor(),
        "date": now,
        "seconds": round(float(seconds), 2),
        "failures": json.dumps(failures),
        "command": "",
    }


def failures(found: xr.Dataset) -> tuple[Failure, ...]:
    """The runs of a dataset that failed."""
    _check.instance(found, xr.Dataset, "found", "a dataset (see sweep.run)")
    dims = found["failed"].dims
    out = []
    for index, message in json.loads(found.attrs["failures"]).items():
        place = np.unravel_index(int(index), found["failed"].shape)
        values = {str(d): found[d].values[int(p)] for d, p in zip(dims, place)}
        plain = {k: getattr(v, "item", lambda v=v: v)() for k, v in values.items()}
        out.append(Failure(int(index), plain, message))
    return tuple(out)


def words(codes: xr.DataArray) -> xr.DataArray:
    """The words of an output that is one, for its codes; "failed" for no run."""
    _check.instance(codes, xr.DataArray, "codes", "an array of a dataset")
    if "flag_meanings" not in codes.attrs:
        raise _check.refuse("codes", "of an output that is a word", repr(codes.name))
    table = np.array([*codes.attrs["flag_meanings"].split(), "failed"])
    return codes.copy(data=table[codes.values])
