"""One study from beginning to end."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import xarray as xr

from tfdynlib import _check
from tfdynlib.sweep import engine, files, labels, versions
from tfdynlib.sweep.journal import Journal
from tfdynlib.sweep.reading import read
from tfdynlib.sweep.study import Study


def run(
    study: Study | str | Path,
    out: str | Path | None = None,
    scheduler: Any = "threads",
    workers: int | None = None,
    progress: bool = False,
    retry: bool = False,
    command: str = "",
) -> xr.Dataset:
    """Every run of a study, as a labelled dataset.

    Parameters
    ----------
    study
        A ``Study``, a TOML file, or the name of a study of the book.
    out
        A file for the dataset: netCDF (``.nc``), or a Zarr store (``.zarr``, extra
        ``zarr``).  A journal beside it, one for both forms, gets a line for each run
        when it is over, so that a sweep that was killed goes on where it was; a run is
        made again only if its line was not written.  Without it nothing is kept.
    scheduler
        ``"threads"``, ``"processes"``, or a Dask cluster: the address of a scheduler,
        as ``"tcp://host:8786"``, or a ``distributed.Client``.  Its workers need this
        package, in the same versions; a task has ``study.batch`` runs.
    workers
        Threads or processes; as many as there are processors if not given.
    progress
        A bar on standard error.
    retry
        Make the runs again that failed before.

    The dataset has the grid and ``seed`` as axes, units, versions, and what failed: a
    run that raises is nan, its message in ``failures(dataset)``, and the others are
    kept.  Values are the same to the last bit whatever the scheduler and the number of
    workers, on machines of one kind.
    """
    if not isinstance(study, Study):
        study = read(study)
    if workers is not None:
        workers = _check.count(workers, "workers")
    file = None if out is None else files.target(out)
    journal = None if file is None else file.with_suffix(".journal")
    beside = Journal(journal, study, versions.found()) if journal else nullcontext()
    with beside as kept:
        done = dict(kept.rows) if kept else {}
        if retry:
            done = {k: row for k, row in done.items() if "values" in row}
        tasks = [(k, p) for k, p in enumerate(study.points()) if k not in done]
        with _bar(study.size, study.size - len(tasks), progress) as bar:
            if tasks:
                work = _work(study)
                for found in engine.rows(work, tasks, scheduler, workers, study.batch):
                    for row in found:
                        done[row["index"]] = row
                        if kept:
                            kept.add(row)
                    bar.update(len(found))
        made = labels.dataset(study, done)
        made.attrs["command"] = command
        if file:
            files.write(made, file)
    return made


def one(study: Study | str | Path, index: int) -> dict[str, Any]:
    """The values of a single run, made anew from its number in a study.

    Raises what the run raises.
    """
    if not isinstance(study, Study):
        study = read(study)
    return dict(study.kind.run(study.point(index), study.rng(index)))


def _work(study: Study) -> engine.Work:
    outputs = study.kind.outputs.items()
    shapes = {
        name: tuple(len(study.axis(a)) for a in output.axes) for name, output in outputs
    }
    return engine.Work(study.kind.run, shapes, study.entropy)


def _bar(total: int, initial: int, wanted: bool) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=total, initial=initial, disable=not wanted, unit="run", delay=0.5)
