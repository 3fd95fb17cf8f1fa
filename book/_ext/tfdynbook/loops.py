"""Compiled loops are made before the first page runs.

The package compiles on first use and says so on standard error; on a page that sentence
would be an output of the cell that happens to come first, and fail a strict build.

Kernels are started with one thread for linear algebra: matrices of the pages are small,
and threads that wait for each other on a busy machine make a page ten times slower.
"""

import os
from typing import Any

import numpy as np
from sphinx.application import Sphinx

from tfdynlib import _along, attention, flow
from tfdynlib.summation import _circle_points, compiled
from tfdynlib.weights import Heads

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def compile_all(app: Sphinx) -> None:
    """Use every loop once."""
    if compiled.missing():
        return
    turn = np.diag(np.ones(2), 1) - np.diag(np.ones(2), -1)
    for d, B in ((3, np.eye(3)), (3, turn), (5, np.eye(5))):
        attention.velocity(np.eye(d), Heads(B, np.eye(d)), method="compiled")
    many = np.tile(np.eye(2), (_circle_points.MANY // 2, 1))
    attention.velocity(many, Heads(np.eye(2), np.eye(2)), method="fourier")
    flow.solve_ensemble(np.eye(3)[None], Heads(np.eye(3), np.eye(3)), [0.0, 0.1])
    _along.follow(np.eye(3), np.tile(np.eye(3), (2, 1, 1, 1)), dt=0.1, noise_var=1.0)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    for name in THREADS:
        os.environ.setdefault(name, "1")
    app.connect("builder-inited", compile_all)
    return {"parallel_read_safe": True}
