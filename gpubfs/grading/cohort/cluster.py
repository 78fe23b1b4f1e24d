"""Grading on the workers of a Dask cluster, which need the same package and nothing else."""

from __future__ import annotations

import importlib
import logging
import pickle
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.packing import Packed, package_identity
from gpubfs.grading.errors import NotGradedError, raise_ungraded

#: Seconds that connecting may take, and after which it says that there are no workers.
CONNECTING, PATIENCE = 20, 5.0
#: Seconds between looks at what is done.
PAUSE = 0.05
#: What to do about a worker with another package.
SAME = "install the gpubfs of this machine on all workers"


class Cluster:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        The scheduler's.
    say : callable
        Called with words for what is being waited for.

    Raises
    ------
    UsageError
        If `distributed` is not installed.
    """

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        self.address = address
        self.say = say
        try:
            self.distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise UsageError(
                "dask.distributed is not installed", 'python3 -m pip install "gpubfs[cluster]"'
            ) from None

    def graded(self, left: list[Packed]) -> Generator[tuple[int, dict[str, Any]], None, None]:
        """Grade submissions; yield the index in the list and the grade of each, as they are done.

        Raises
        ------
        UsageError
            If there is no scheduler, it is lost, a worker has no gpubfs or another one, or workers
            die. In the last case, everything else is graded before.
        """
        with _silent(), self._client() as client:
            try:
                yield from self._graded(client, left)
            except (OSError, CancelledError):
                raise UsageError(
                    f"the scheduler at {self.address} was lost",
                    "what was graded is kept; started again, it goes on",
                ) from None

    @contextmanager
    def _client(self) -> Iterator[Any]:
        try:
            client = self.distributed.Client(self.address, timeout=CONNECTING)
        except (OSError, ValueError) as error:
            raise UsageError(f"there is no Dask scheduler at {self.address}: {error}") from None
        with client:
            yield client

    def _graded(
        self, client: Any, left: list[Packed]
    ) -> Generator[tuple[int, dict[str, Any]], None, None]:
        differs, grade = _remote()
        ours = package_identity()
        for worker, problem in client.run(differs, ours, on_error="return").items():
            if problem:
                raise UsageError(f"the worker at {worker} {problem}", SAME)
        packed = ((index, pickle.dumps(one)) for index, one in enumerate(left))
        running = {client.submit(grade, ours, data, pure=False): n for n, data in packed}
        lost: list[int] = []
        failed: list[tuple[str, NotGradedError]] = []
        for future, result in self._done(client, running):
            if future.status == "cancelled":
                raise CancelledError
            error = future.exception() if future.status == "error" else None
            if isinstance(error, self.distributed.KilledWorker):
                lost.append(running[future])
            elif isinstance(error, NotGradedError):
                failed.append((left[running[future]].exercise.name, error))
            elif isinstance(error, ImportError):
                raise UsageError(f"a worker at {self.address} {error}", SAME)
            else:
                yield running[future], result
        raise_ungraded(failed)
        if lost:
            raise UsageError(
                f"workers at {self.address} died while they graded {left[lost[0]].exercise.name}"
                + (f", and {len(lost) - 1} more" if len(lost) > 1 else ""),
                "give them more memory, or grade without --scheduler; started again, it goes on",
            )

    def _done(self, client: Any, running: dict[Any, int]) -> Iterator[tuple[Any, Any]]:
        """Yield futures and their results as they are here; meanwhile say if there are no workers.

        A worker that dies takes results with it which nobody has fetched: they are made anew.
        """
        left = self.distributed.as_completed(list(running), with_results=True, raise_errors=False)
        looked, warned = time.monotonic(), False
        while not left.is_empty():
            if left.has_ready():
                yield next(left)
                continue
            time.sleep(PAUSE)
            if time.monotonic() - looked < PATIENCE:
                continue
            workers = client.nthreads()
            if not workers and not warned:
                self.say(f"no workers yet at {self.address}; waiting for them")
            looked, warned = time.monotonic(), not workers


def _remote() -> tuple[Callable[[str], str], Callable[[str, bytes], dict[str, Any]]]:
    """Return what workers run: the comparison of packages, and grading.

    Functions within functions are sent by value: the scheduler need not have the package, and
    workers without it can say so.
    """

    def differs(ours: str) -> str:
        try:
            from gpubfs.grading.cohort.packing import package_identity as of_worker
        except ImportError as error:
            return f"cannot import gpubfs ({error})"
        found = of_worker()
        return "" if found == ours else f"has another gpubfs ({found}; here it is {ours})"

    def grade(ours: str, data: bytes) -> dict[str, Any]:
        import pickle

        if problem := differs(ours):
            raise ImportError(problem)
        from gpubfs.grading.cohort.packing import grade_packed

        return grade_packed(pickle.loads(data))

    return differs, grade


@contextmanager
def _silent() -> Iterator[None]:
    """Without the pages that the client logs when its scheduler is lost."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)
