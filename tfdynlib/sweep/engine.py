"""Where runs are made: threads or processes here, or the workers of a Dask cluster.

All three are executors of ``concurrent.futures``, so there is one loop.  A run draws
from a generator of its own and has one thread for products of matrices, wherever it
is, so that its result does not depend on who makes it, nor on how many do.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any

import numpy as np

from tfdynlib import _check
from tfdynlib.sweep import versions
from tfdynlib.sweep.study import generator

LOCAL = ("threads", "processes")
# What libraries that are loaded later read.
VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# Tasks on their way for each worker: enough that none waits.
AHEAD = 3
ANSWER = 10  # seconds that a scheduler may take to answer
CANCEL = {"wait": True, "cancel_futures": True}

Task = tuple[int, dict[str, Any]]
Row = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """What to do with a task, as it is sent to workers."""

    run: Callable[[dict[str, Any], np.random.Generator], Mapping[str, Any]]
    shapes: Mapping[str, tuple[int, ...]]
    entropy: int

    def here(self, tasks: list[Task]) -> list[Row]:
        """Make runs in this process."""
        return [self._one(*task) for task in tasks]

    def away(self, tasks: list[Task]) -> list[Row]:
        """The same in a process that does nothing else."""
        for name in VARIABLES:
            os.environ[name] = "1"
        _limits()
        _numba()
        return self.here(tasks)

    def _one(self, index: int, parameters: dict[str, Any]) -> Row:
        kept, values, began = Kept(), {}, time.perf_counter()
        with kept:
            found = self.run(dict(parameters), generator(self.entropy, index))
            values = {name: self._value(name, found) for name in self.shapes}
        seconds = round(time.perf_counter() - began, 3)
        if kept.message:
            return {"index": index, "error": kept.message, "seconds": seconds}
        return {"index": index, "values": values, "seconds": seconds}

    def _value(self, name: str, found: Mapping[str, Any]) -> Any:
        """An output, of the shape that the kind says; nan means nothing, and is not."""
        if name not in found:
            raise _check.refuse(name, "among the outputs of the run", list(found))
        value = np.asarray(found[name])
        if value.shape != self.shapes[name] or value.dtype.kind not in "biuf":
            wanted = f"numbers of shape {self.shapes[name]}"
            raise _check.refuse(name, wanted, f"{value.dtype} {value.shape}")
        if np.isnan(value).any():
            raise _check.refuse(name, "a number", "nan")
        return value.tolist()


class Kept(AbstractContextManager["Kept"]):
    """Keeps the message of whatever a run raises, so that the others go on; what is no
    failure of the run (an interrupt, the end of the process) goes through."""

    message = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, Exception):
            self.message = described(error)
        return isinstance(error, Exception)


def described(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def rows(
    work: Work, tasks: list[Task], scheduler: Any, workers: int | None, batch: int
) -> Iterator[list[Row]]:
    """The finished runs, in the order in which they end, a batch at a time."""
    with ExitStack() as stack:
        call = work.here if scheduler == "threads" else work.away
        if scheduler == "threads":
            stack.enter_context(_one_thread())
            n, size = workers or cores(), 1
            executor: Executor = ThreadPoolExecutor(n, initializer=_numba)
        elif scheduler == "processes":
            n = workers or cores()
            # The fewer a batch has, the less is lost if all is killed.
            size = max(1, min(batch, len(tasks) // (4 * n)))
            executor = _processes(n)
        else:
            executor, n = _cluster(scheduler, stack)
            size = batch
        # On the way out, what has not begun is taken back.
        local = scheduler in LOCAL
        stack.callback(executor.shutdown, **(CANCEL if local else {"wait": False}))
        jobs = (tasks[k : k + size] for k in range(0, len(tasks), size))
        yield from _each(executor, call, jobs, AHEAD * n)


def _processes(n: int) -> Executor:
    # Here, because not every place where the package runs has processes.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(n, mp_context=get_context("spawn"))


def _each(
    executor: Executor,
    call: Callable[[list[Task]], list[Row]],
    jobs: Iterator[list[Task]],
    window: int,
) -> Iterator[list[Row]]:
    """A bounded number of jobs on their way, replaced as they end."""
    waiting: dict[Future[list[Row]], list[Task]] = {}
    for tasks in islice(jobs, window):
        waiting[executor.submit(call, tasks)] = tasks
    while waiting:
        done = wait(waiting, return_when=FIRST_COMPLETED).done
        for future in sorted(done, key=_ends_all):  # nothing that has ended is lost
            tasks, error = waiting.pop(future), future.exception()
            again: list[list[Task]] = []
            if error is None:
                yield future.result()
            elif _ends_all(future):
                raise error
            elif len(tasks) > 1:  # one of them brought its worker down: find it
                again = [[task] for task in tasks]
            else:
                yield [{"index": tasks[0][0], "error": described(error), "seconds": 0}]
            for more in again or islice(jobs, 1):
                waiting[executor.submit(call, more)] = more


def _ends_all(future: Future[list[Row]]) -> bool:
    """Whether a job ended by no failure of its own: an interrupt, a lost pool."""
    error = future.exception()
    own = isinstance(error, Exception) and not isinstance(error, BrokenExecutor)
    return error is not None and not own


def _cluster(scheduler: Any, stack: ExitStack) -> tuple[Executor, int]:
    """The workers of a Dask scheduler, by its address or a client."""
    try:
        import distributed
    except ImportError:
        wanted = (
            "'threads' or 'processes' without the package distributed (extra scale)"
        )
        raise _check.refuse("scheduler", wanted, repr(scheduler)) from None
    client = scheduler
    if not isinstance(scheduler, distributed.Client):
        client = stack.enter_context(_client(distributed, scheduler))
    workers = client.nthreads()
    if not workers:
        raise _check.refuse("scheduler", "one with workers", "none of them")
    theirs = client.run(versions.found)
    for name, found in theirs.items():
        if found != versions.found():
            wanted = f"one whose workers have the versions of here, {versions.found()}"
            raise _check.refuse("scheduler", wanted, f"{name}: {found}")
    return client.get_executor(pure=False), sum(workers.values())


def _client(distributed: Any, address: Any) -> Any:
    words = (
        "'threads', 'processes', a distributed.Client, or the address of a scheduler"
    )
    if not isinstance(address, str) or ":" not in address:
        raise _check.refuse("scheduler", words, repr(address))
    try:
        return distributed.Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        wanted = "the address of a Dask scheduler that answers"
        raise _check.refuse("scheduler", wanted, repr(address)) from error


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limits() -> Any:
    """One thread for products of matrices, in libraries that are loaded."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1)


def _numba() -> None:
    """One thread for compiled loops of the thread that calls, if there are any."""
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for products of matrices, and afterwards as it was."""
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        with _limits():
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
