"""What a compiled kernel says about itself.

The sites that touch memory and the basic blocks that hold them.

Execution logs an entry each time that lanes execute a basic block: `(block id, lanes, operand,
operand, ...)`. `lanes` is the ascending array of active lanes; the operands follow
`BasicBlock.operands`. An entry `(GANG_SWITCH, offset)` says that from here on lanes are counted
from lane `offset` of the wave, because another gang runs; where a wave has several gangs, every
stretch of its log begins with one. Observers read such entries and these tables, never the kernel.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from simulator.source import Span

#: Operand forms: element index into a view of one allocation, or into an array of the own block,
#: byte address, truth of a branch's condition, truth of a compare-and-swap's success, nothing.
#: TARGET is the number of the label that a switch goes to.
TARGET = "target"
VIEW, SHARED, ADDRESS, CONDITION, SWAPPED, BARRIER = (
    "view",
    "shared",
    "address",
    "condition",
    "swapped",
    "barrier",
)
#: Nothing, where lanes access a texture or a surface, and the byte address of a texel of it: of an
#: entry of its own, in which a lane stands as often as it has texels.
FETCH, TEXEL = "fetch", "texel"
#: A byte address to which an asynchronous copy has come, in builds for the race and init checkers:
#: the operand is logged where a thread has waited, behind that of the store, where it began.
COPIED = "copied"
#: The forms of operands that are locations in memory.
MEMORY = frozenset((VIEW, SHARED, ADDRESS, TEXEL))
#: The spaces of their sites, which are no pointer's.
UNITS = frozenset(("texture", "surface"))
#: Those of accesses by pointers, one a lane.
OPERATIONS = frozenset((VIEW, SHARED, ADDRESS))
#: Nothing, where a warp multiplies matrices.
PRODUCT = "product"
#: Nothing, at a barrier of the whole grid. Then, in builds for the race checker and for traces: the
#: value that the store before it stores, nothing at a fence, the mask of `__syncwarp`, and where it
#: is not ascending the order in which the lanes of the atomic before it were served, as indices.
GRID, STORED, FENCE, WARP_SYNC, SERVED = "grid", "stored", "fence", "warp sync", "served"
#: Nothing, where threads arrive at the barrier of their cluster, and where they wait at it.
CLUSTER_ARRIVE, CLUSTER_WAIT = "cluster arrive", "cluster wait"
#: In builds for the race checker: the byte address of a barrier in memory (`__mbarrier_t`), and
#: which of its phases a lane has arrived in, or waited for.
MBARRIER, PHASE = "mbarrier", "phase"
#: The space of their sites, which no counter counts: anywhere, as that of `generic` ones.
BARRIERS = "barriers"
#: In builds for traces only: what the load or atomic before it found, what a variable is set to,
#: and nothing where threads return.
FOUND, VALUE, EXIT = "found", "value", "exit"

#: The memory orders that acquire, and those that release.
ACQUIRING = frozenset(("acquire", "acq_rel", "seq_cst"))
RELEASING = frozenset(("release", "acq_rel", "seq_cst"))

#: When the compiler makes one atomic of a warp's: always, or where all lanes of it take part.
ALWAYS, WHOLE_WARPS = "always", "whole warps"

#: What an iteration takes, besides its lanes, from the budget after which a gang lets others run: a
#: small part of what it costs the launch (`execute.order`), for a switch of gangs takes time, too;
#: more for a loop that may wait for other threads, so that these soon run.
ITERATION_COST, SPIN_COST = 256, 4096

#: Instead of a block's number: the lanes that follow belong to another gang.
GANG_SWITCH = -1


@dataclass(frozen=True)
class Build:
    """What a kernel is compiled for, beyond running.

    `preemptive` lets others run before every memory operation; `shuffled` serves the lanes of an
    atomic in any order, lets any lane win that stores where others do, and parts warps where
    `__activemask` asks; `values` logs what is stored, fences, synchronisation inside warps and the
    order of atomics, for the race checker; `masks` checks the masks of functions that synchronise a
    warp; `locals` logs accesses to threads' own arrays and to variables that are declared without a
    value, for the init checker; `steps` makes every statement a basic block of its own and logs
    what variables are set to, what is stored, loaded and returned by atomics, and where threads
    return, for traces.
    """

    preemptive: bool = False
    shuffled: bool = False
    values: bool = False
    masks: bool = False
    locals: bool = False
    steps: bool = False

    def __or__(self, other: Build) -> Build:
        """Combine two builds: what serves both."""
        return _combined(self, other)


@lru_cache(maxsize=256)
def _combined(one: Build, other: Build) -> Build:
    return Build(*(a or b for a, b in zip(astuple(one), astuple(other), strict=True)))


@dataclass(frozen=True)
class EventSite:
    """A site: where in the source warps access memory, branch or wait.

    `kind` is load, store, atomic, branch, barrier or product, in builds for traces value or exit;
    `space` is global, shared, generic, texture, surface or barriers; `size` counts bytes of one
    element; `array` is the name that the source gives what is accessed and `view` the generated
    code; `offset` is where a shared array starts in its block's shared memory; `merged` says when a
    GPU's compiler lets one lane do an atomic for all: ALWAYS, in WHOLE_WARPS, or never; `calls` are
    those of device functions that led to it, the outermost first; `padding` are the bytes of a
    structure that belong to no member; `past_l1` is a load by an asynchronous copy, past the L1
    cache.

    What follows is for the race checker. `polls` is a load or an atomic whose result decides
    whether a loop goes on that waits for other threads; `scope` is "block" where an atomic is one
    only among the threads of a block, and "thread" where it is none for others; `combines` is an
    atomic that leaves what depends on what it found: all but exchanges, compare-and-swaps and those
    that add 0; `read_only` is a load through the cache for data that nothing writes, as of `__ldg`;
    `asynchronous` is a store that begins there, and ends where its thread waits for it; `order` is
    the memory order of an access that has one, as those of `cuda::atomic`: all others acquire, and
    release what stands before a fence; `failure` is that of a compare-and-swap which does not swap,
    and then only loads.
    """

    id: int
    kind: str
    span: Span
    space: str = ""
    size: int = 0
    array: str = ""
    view: str = ""
    offset: int = 0
    stride: int = 0
    volatile: bool = False
    merged: str = ""
    calls: tuple[Span, ...] = ()
    padding: frozenset[int] = frozenset()
    past_l1: bool = False
    polls: bool = False
    scope: str = ""
    combines: bool = False
    read_only: bool = False
    asynchronous: bool = False
    order: str = ""
    failure: str = ""

    @property
    def acquires(self) -> bool:
        """Whether its thread learns at once what others have released there."""
        return not self.order or self.order in ACQUIRING

    @property
    def releases(self) -> bool:
        """Whether it releases all that its thread has done, without a fence."""
        return self.order in RELEASING


@dataclass(frozen=True)
class Operand:
    """How to read one operand of a logged tuple.

    Its form, its site, and for VIEW the parameter it indexes.
    """

    form: str
    site: EventSite
    base: str = ""


@dataclass
class BasicBlock:
    """A straight stretch of code that one set of lanes executes from end to end.

    `statements` are the C statements in it; `operands` describe the logged tuple from index 2 on.
    `lanes` and `codes` are the generated code of its index 1 and of those from 2 on. `span` is the
    statement, or the condition of a loop, that it begins with.
    """

    id: int
    statements: int = 0
    operands: list[Operand] = field(default_factory=list)
    lanes: str = ""
    codes: list[str] = field(default_factory=list)
    span: Span | None = None

    @cached_property
    def accesses(self) -> int:
        """Memory operations by pointers that each lane does in this block, which is closed."""
        return sum(o.form in OPERATIONS for o in self.operands)


@dataclass(frozen=True)
class SharedArray:
    """An array in shared memory, as declared.

    `dtype` is of its elements; `length` counts them, None for the rest of the block's memory;
    `offset` is as in `EventSite`.
    """

    name: str
    dtype: np.dtype[Any]
    length: int | None
    offset: int


@dataclass
class Plan:
    """All sites and basic blocks of a kernel, and where loops stand that may wait for others.

    `may_spin` says that there are loops of which only a run tells whether they wait; `shared` are
    the arrays in shared memory, in the order in which they are declared; `clustered` says that the
    kernel asks for what only GPUs with clusters of blocks have, `meets` that threads wait at
    barriers in memory.
    """

    sites: list[EventSite] = field(default_factory=list)
    blocks: list[BasicBlock] = field(default_factory=list)
    spin_loops: list[Span] = field(default_factory=list)
    may_spin: bool = False
    shared: list[SharedArray] = field(default_factory=list)
    clustered: bool = False
    meets: bool = False


@dataclass(frozen=True)
class LaunchTarget:
    """What the source says of a launch: which kernel, and on which stream."""

    name: str
    stream: str
