"""Studies: parameters x seeds in, a labelled dataset out.

    found = sweep.run("exit")                       a study of the book, or a .toml file
    found = sweep.run(Study(kind, grid, seeds=5))   your own
    found = sweep.published("exit")                 what the book shows, as stored

``python -m tfdynlib.sweep study.toml`` does the same from a terminal.  Runs are made
on local threads, or on any Dask cluster (``scheduler="tcp://..."``, extra ``scale``).
Each is written down when it is over: a sweep that was killed goes on where it was.
Results do not depend on the engine, nor on the number of workers.
"""

from tfdynlib.sweep.files import load
from tfdynlib.sweep.kinds import KINDS
from tfdynlib.sweep.labels import Failure, failures, words
from tfdynlib.sweep.reading import names, published, read
from tfdynlib.sweep.running import one, run
from tfdynlib.sweep.study import Axis, Kind, Output, Parameter, Study

__all__ = [
    "KINDS",
    "Axis",
    "Failure",
    "Kind",
    "Output",
    "Parameter",
    "Study",
    "failures",
    "load",
    "names",
    "one",
    "published",
    "read",
    "run",
    "words",
]
