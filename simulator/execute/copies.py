"""Asynchronous copies to shared memory: in flight until the thread that began them waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.lanes.arithmetic import LaneError

Numbers = NDArray[np.int64]

_WAIT = (
    "wait for it first: `cg::wait(group)`, `__pipeline_wait_prior(0)` and a barrier, or by what\n"
    "`cuda::memcpy_async` was given: `pipe.consumer_wait()`, or arrive at the barrier and wait"
)


@dataclass(frozen=True)
class _Copy:
    """What some lanes copy by one statement: where to, the values, and in which of their batches.

    `block` is the basic block by which its end is logged, None where nobody asks, or where that is
    done; `line` is where it began; `barrier` are the addresses of the barriers whose phase it ends
    with, if it does.
    """

    lanes: Numbers
    address: Numbers
    values: NDArray[Any]
    batch: Numbers
    block: int | None
    line: int
    barrier: Numbers | None = None

    def only(self, keep: NDArray[np.bool_]) -> _Copy:
        """Select what some lanes copy."""
        return _Copy(
            self.lanes[keep],
            self.address[keep],
            self.values[keep],
            self.batch[keep],
            self.block,
            self.line,
            None if self.barrier is None else self.barrier[keep],
        )


class AsyncCopies:
    """The copies that the threads of one gang have begun.

    Parameters
    ----------
    gang : Gang
        Whose threads copy, and by whose functions.
    """

    def __init__(self, gang: Any) -> None:
        self._gang = gang
        self._flying: list[_Copy] = []
        #: How many batches each lane has committed.
        self._committed = np.zeros(gang.lane_count, np.int64)

    def begin(
        self,
        lanes: Numbers,
        address: Any,
        value: Any,
        dtype: Any,
        line: int,
        strict: bool,
        block: int | None = None,
    ) -> None:
        """Begin to copy values to addresses; what is not to shared memory is copied at once.

        Raises
        ------
        LaneError
            if that must not be, for it is `strict`
        """
        at = np.array(np.broadcast_to(address, lanes.shape), np.int64)
        values = np.array(np.broadcast_to(value, lanes.shape), dtype)
        shared = self._gang.in_space("shared", lanes, at).astype(bool)
        if strict and not shared.all():
            what = "an asynchronous copy goes to memory that is not the block's shared memory"
            hint = "Copy to a __shared__ array, or copy by an assignment."
            raise LaneError(what, hint, ~shared, "memory")
        copy = _Copy(lanes, at, values, self._committed[lanes], block, line)
        self._gang.resolve(lanes, at, dtype)  # faults are those of the line that begins it
        if not shared.all():
            self._end(copy.only(~shared))
        self._flying.append(copy.only(shared))

    def commit(self, lanes: Numbers) -> None:
        """Make a batch of what each lane has begun to copy since its last one."""
        self._committed[lanes] += 1

    def wait(self, lanes: Numbers, prior: Any) -> None:
        """End the copies of all batches of some lanes but for the `prior` newest."""
        newest = np.full(self._committed.size, -1, np.int64)
        newest[lanes] = self._committed[lanes] - np.minimum(prior, 2**31).astype(np.int64)
        self._end_where(lambda copy: copy.batch < newest[copy.lanes])

    def hand_over(self, lanes: Numbers, barrier: Numbers) -> None:
        """Let what some lanes have begun since their last batch end with a phase of a barrier.

        To other threads it has been written here: who waits for that phase knows of it.
        """
        barriers = np.zeros(self._committed.size, np.int64)
        barriers[lanes] = barrier
        flying, self._flying = self._flying, []
        for copy in flying:
            new = (barriers[copy.lanes] != 0) & (copy.batch == self._committed[copy.lanes])
            if copy.barrier is None and new.any():
                given = copy.only(new)
                self._log(given)
                self._flying.append(replace(given, block=None, barrier=barriers[given.lanes]))
                copy = copy.only(~new)
            if copy.lanes.size:
                self._flying.append(copy)

    def land(self, barrier: int) -> None:
        """End the copies that end with a phase of the barrier at this address."""
        self._end_where(
            lambda copy: (
                np.zeros(copy.lanes.shape, np.bool_)
                if copy.barrier is None
                else copy.barrier == barrier
            )
        )

    def finish(self) -> None:
        """End what is in flight where the kernel ends."""
        self._end_where(lambda copy: np.ones(copy.lanes.shape, np.bool_))

    def _end_where(self, ended: Callable[[_Copy], NDArray[np.bool_]]) -> None:
        flying, self._flying = self._flying, []
        for copy in flying:
            done = ended(copy)
            if done.any():
                self._end(copy.only(done))
            if not done.all():
                self._flying.append(copy.only(~done))

    def _end(self, copy: _Copy) -> None:
        gang = self._gang
        gang.store(copy.lanes, copy.address, copy.values, copy.values.dtype)
        self._log(copy)

    def _log(self, copy: _Copy) -> None:
        """Log that a copy is there, if somebody asks for it."""
        if copy.block is not None:
            self._gang.log((copy.block, copy.lanes, copy.address, copy.values))

    def hits(self, address: Numbers, size: int) -> tuple[NDArray[np.bool_], int]:
        """Return which accesses touch what is in flight, and the line where such a copy began."""
        hit, line = np.zeros(address.shape, np.bool_), 0
        for copy in self._flying:
            touched = _overlaps(address, size, copy)
            line = copy.line if touched.any() else line
            hit |= touched
        return hit, line


def _overlaps(address: Numbers, size: int, copy: _Copy) -> NDArray[np.bool_]:
    """Return which accesses of `size` bytes share a byte with a copy's target."""
    if not copy.address.size:
        return np.zeros(address.shape, np.bool_)
    starts = np.sort(copy.address)
    # The last start before an access ends is the one that reaches farthest into it.
    at = np.searchsorted(starts, address + size) - 1
    found: NDArray[np.bool_] = (at >= 0) & (
        starts[np.maximum(at, 0)] + copy.values.itemsize > address
    )
    return found


def check_in_flight(
    all_copies: list[AsyncCopies], lanes: Numbers, address: Any, size: int, kind: str, name: str
) -> None:
    """Refuse accesses to what an asynchronous copy may be writing.

    Raises
    ------
    LaneError
        that says which access it is, and where the copy began
    """
    at = np.broadcast_to(np.asarray(address, np.int64), lanes.shape)
    for copies in all_copies:
        hit, line = copies.hits(at, size)
        if hit.any():
            verb = {"load": "read", "store": "written"}.get(kind, "updated")
            what = f"race on {name}: it is {verb} while an asynchronous copy to it is in flight"
            raise LaneError(what, f"The copy began in line {line}: {_WAIT}.", hit, "race")
