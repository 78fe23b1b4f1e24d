"""Barriers in memory, such as `cuda::barrier`: threads arrive, and wait until a phase is complete.

The state of such a barrier is the eight bytes at its address, as on a GPU, whose bits are its own:
from the lowest, how many arrivals are pending in this phase, how many each phase expects, the
number of the phase, and a mark by which one that nobody has made is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.lanes.arithmetic import LaneError

Numbers = NDArray[np.int64]

#: The most arrivals that a phase may expect.
MOST = (1 << 20) - 1
#: Phases are counted round and round.
PHASES = 1 << 16
_MARK = 0xB7
#: Where the parts of the state begin.
_EXPECTED, _PHASE, _MARKED = 20, 40, 56

_UNMADE = (
    "Let one thread call `init(&barrier, count)`, and all others meet in __syncthreads() before\n"
    "they use it."
)
_ELSEWHERE = (
    "Declare it as `__shared__ __mbarrier_t`. Blocks meet at a `cuda::barrier` with the scope\n"
    "`cuda::thread_scope_device` in global memory."
)
_SUPERFLUOUS = "Each phase takes as many arrivals as `init` was told: who arrives more than once?"
_INCOMPLETE = (
    "Does each of them arrive, once a phase? The number that `init` was given must be that of the\n"
    "threads that arrive."
)


@dataclass
class _State:
    """What the eight bytes say."""

    pending: int
    expected: int
    phase: int

    @classmethod
    def of(cls, word: int) -> _State:
        """Read the state of a barrier."""
        return cls(word & MOST, word >> _EXPECTED & MOST, word >> _PHASE & PHASES - 1)

    @property
    def word(self) -> int:
        """The eight bytes."""
        rest = self.phase << _PHASE | _MARK << _MARKED
        return self.pending | self.expected << _EXPECTED | rest

    def arrive(self, count: int, drops: bool) -> bool:
        """Take in one arrival that counts as so many; return whether the phase is complete."""
        self.pending -= count
        self.expected -= count * drops
        if self.pending:
            return False
        self.pending, self.phase = self.expected, (self.phase + 1) % PHASES
        return True


class MemoryBarriers:
    """What the threads of one gang do at barriers in memory.

    Each function takes the active lanes and an address for each of them, or for all.

    Parameters
    ----------
    gang : Gang
        By whose functions memory is accessed.
    """

    def __init__(self, gang: Any) -> None:
        self._gang = gang

    def _words(self, lanes: Numbers, address: Any) -> tuple[NDArray[np.uint64], Numbers]:
        """Check the addresses: a view of memory as words, and the index of each lane's."""
        view, index = self._gang.resolve(lanes, address, np.uint64)
        return view, np.broadcast_to(index, lanes.shape)

    def _made(self, lanes: Numbers, address: Any) -> tuple[NDArray[np.uint64], Numbers]:
        """Return the same of barriers that somebody has made."""
        view, index = self._words(lanes, address)
        unmade = view[index] >> np.uint64(_MARKED) != _MARK
        if unmade.any():
            what = "a barrier is used that nobody has initialised"
            raise LaneError(what, _UNMADE, unmade, "sync")
        return view, index

    def init(self, lanes: Numbers, address: Any, expected: Any) -> None:
        """Make barriers, whose phases expect so many arrivals."""
        view, index = self._words(lanes, address)
        given = np.broadcast_to(expected, lanes.shape).astype(np.int64)
        wrong = (given < 1) | (given > MOST)
        if wrong.any():
            what = f"a barrier for {int(given[wrong][0])} arrivals"
            raise LaneError(what, f"A phase takes 1 to {MOST:,} arrivals.", wrong)
        view[index] = [_State(int(n), int(n), 0).word for n in given]

    def init_shared(self, lanes: Numbers, address: Any, expected: Any) -> None:
        """Make barriers that must be in shared memory, as a GPU's own are."""
        inside = self._gang.in_space("shared", lanes, np.broadcast_to(address, lanes.shape))
        if not inside.all():
            raise LaneError("a barrier that is not in shared memory", _ELSEWHERE, inside == 0)
        self.init(lanes, address, expected)

    def invalidate(self, lanes: Numbers, address: Any) -> None:
        """Make barriers plain memory again."""
        view, index = self._made(lanes, address)
        view[index] = 0

    def arrive(self, lanes: Numbers, address: Any, count: Any = 1) -> NDArray[np.uint64]:
        """Arrive; return the phase that each lane has arrived in."""
        return self._arrived(lanes, address, count, False)

    def drop(self, lanes: Numbers, address: Any) -> NDArray[np.uint64]:
        """Arrive, and be expected no more in later phases."""
        return self._arrived(lanes, address, 1, True)

    def _arrived(self, lanes: Numbers, address: Any, count: Any, drops: bool) -> NDArray[np.uint64]:
        view, index = self._made(lanes, address)
        counts = np.broadcast_to(count, lanes.shape)
        phases = np.empty(lanes.size, np.uint64)
        for at in np.unique(index).tolist():
            state = _State.of(int(view[at]))
            for lane in np.flatnonzero(index == at).tolist():
                one = int(counts[lane])
                if not 1 <= one <= state.pending:
                    what = f"{one} arrivals at a barrier where {state.pending} are pending"
                    raise LaneError(what, _SUPERFLUOUS, np.arange(lanes.size) == lane, "sync")
                phases[lane] = state.phase
                if state.arrive(one, drops):
                    self._gang.scratch.land(at * view.itemsize)
            view[at] = state.word
        return phases

    def passed(self, lanes: Numbers, address: Any, phase: Any) -> NDArray[np.bool_]:
        """Return whether the phases that lanes have arrived in are complete."""
        found: NDArray[np.bool_] = current(*self._made(lanes, address)) != np.asarray(phase)
        return found

    def passed_parity(self, lanes: Numbers, address: Any, parity: Any) -> NDArray[np.bool_]:
        """Return whether the last phase that is complete has a parity: odd, or even."""
        now = current(*self._made(lanes, address))
        found: NDArray[np.bool_] = now % 2 != np.asarray(parity, np.uint64) % 2
        return found

    def passed_phase(
        self, lanes: Numbers, address: Any, phase: Any, passed: Any
    ) -> NDArray[np.uint64]:
        """Return the phase that lanes know to be complete that have passed, PHASES for others."""
        return np.where(passed, np.asarray(phase, np.uint64), np.uint64(PHASES))

    def passed_parity_phase(
        self, lanes: Numbers, address: Any, parity: Any, passed: Any
    ) -> NDArray[np.uint64]:
        """Return the same of those that asked for a parity: the last phase that is complete."""
        last = (current(*self._made(lanes, address)) - np.uint64(1)) % np.uint64(PHASES)
        return np.where(passed, last, np.uint64(PHASES))

    def wait(self, lanes: Numbers, address: Any, phase: Any) -> Wait:
        """Return what lanes wait for until their phases are complete."""
        view, index = self._made(lanes, address)
        return Wait(view, index, np.broadcast_to(phase, lanes.shape).astype(np.uint64), PHASES)

    def wait_parity(self, lanes: Numbers, address: Any, parity: Any) -> Wait:
        """Return what lanes wait for until a phase of such parity is complete."""
        view, index = self._made(lanes, address)
        return Wait(view, index, np.broadcast_to(parity, lanes.shape).astype(np.uint64), 2)

    def take_copies(self, lanes: Numbers, address: Any) -> None:
        """Let what lanes have begun to copy be there when the phase of their barriers ends."""
        view, index = self._made(lanes, address)
        self._gang.copies.hand_over(lanes, index * view.itemsize)


def current(view: NDArray[np.uint64], index: Numbers) -> NDArray[np.uint64]:
    """Return the phases that barriers are in."""
    found: NDArray[np.uint64] = view[index] >> np.uint64(_PHASE) & np.uint64(PHASES - 1)
    return found


@dataclass(frozen=True)
class Wait:
    """What lanes wait for: that the phase of a barrier is another than `phase`, modulo `modulus`.

    `view` and `index` are where the barriers are.
    """

    view: NDArray[np.uint64]
    index: Numbers
    phase: NDArray[np.uint64]
    modulus: int

    def over(self) -> bool:
        """Whether none of the lanes has to wait any more."""
        now = current(self.view, self.index) % np.uint64(self.modulus)
        return not (now == self.phase % np.uint64(self.modulus)).any()

    def phases(self) -> NDArray[np.uint64]:
        """Return the phases that the lanes have waited for."""
        if self.modulus == PHASES:
            return self.phase
        return (current(self.view, self.index) - np.uint64(1)) % np.uint64(PHASES)

    def problem(self) -> LaneError:
        """Return why lanes wait in vain."""
        now = current(self.view, self.index) % np.uint64(self.modulus)
        bad = now == self.phase % np.uint64(self.modulus)
        state = _State.of(int(self.view[self.index[np.argmax(bad)]]))
        come = state.expected - state.pending
        what = f"a wait at a barrier at which {come} of {state.expected} threads arrive"
        return LaneError(what, _INCOMPLETE, bad)
