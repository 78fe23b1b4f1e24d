"""What becomes of a checked call: the kinds of lowering, and what each stage asks of them.

The generated code computes with arrays of lanes, one element for each active lane. NumPy code is
given as the name of a function that generated code knows (those of `simulator.lanes`), as an
expression with the arguments in its braces, or as a Python function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simulator.ir.textures import Shape

Code = str | Callable[..., Any]

#: What NVIDIA's compiler can make of an atomic whose lanes aim at one address: see `Atomic.merges`.
SUM, REDUCTION = "sum", "reduction"


class Lowering:
    """How a call is compiled.

    `counted` is the function of counting.cuh that counts it on a GPU, "" for calls that no counter
    counts: the counting build leaves those as they are.
    """

    counted = ""


@dataclass(frozen=True)
class Elementwise(Lowering):
    """A function of values alone: each lane's result follows from its own arguments.

    Attributes
    ----------
    code : str or callable
        An expression with `{0}`, `{1}` … for the arguments, or a function of them. A function's
        arguments are arrays of one element a lane; those of an expression may also be NumPy
        scalars, where all lanes have the same.
    floats : str
        The expression for results that are floats, if it is another one.
    """

    code: Code
    floats: str = ""


@dataclass(frozen=True)
class Composite(Lowering):
    """A function of values some of which are structures, such as pairs.

    Attributes
    ----------
    code : callable
        A function of the members of all arguments, one after another, which returns a tuple of the
        members of the result. All are arrays.
    """

    code: Callable[..., Any]


@dataclass(frozen=True)
class Outputs(Lowering):
    """A function of values that stores results where its last arguments, pointers, point to.

    Attributes
    ----------
    code : callable
        A function of the values, which returns a tuple: the result, unless the function is void,
        and what is stored by each pointer. All are arrays.
    """

    code: Callable[..., Any]


@dataclass(frozen=True)
class Stateful(Lowering):
    """A function that reads and writes members of a structure, to which one argument points.

    Attributes
    ----------
    code : callable
        A function of the members that it reads and of the other arguments, which returns a tuple:
        the members of the result, if there is one, and the members that it writes.
    reads, writes : tuple of str
        The paths of these members, such as `v.3` for `state.v[3]`.
    """

    code: Callable[..., Any]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True)
class WarpFunction(Lowering):
    """A function by which lanes of a warp exchange values.

    Attributes
    ----------
    code : str or callable
        A function of the active lanes' numbers, the size of a warp, the mask, the value that each
        lane offers, and further arguments: of Python functions all are arrays of one element a
        lane, but for the size.
    shuffles : bool
        Whether a lane's value is read only where some lane asks for it.
    tells : bool
        Whether the last argument points to where it is stored whether the result is not 0.
    """

    code: Code
    shuffles: bool = False
    tells: bool = False


@dataclass(frozen=True)
class Atomic(Lowering):
    """A read-modify-write of memory.

    Attributes
    ----------
    code : str or callable
        A function of a view, the index of each lane, the operands and the number of lanes; it
        updates the view and returns what each lane found there.
    scope : str
        Among whom it is atomic: "block", or "" for all threads.
    merges : str
        What NVIDIA's compiler can make of it for a whole warp: SUM, REDUCTION or "".
    replaces : bool
        Whether it stores what it is given, or nothing, whatever it finds.
    neutral_zero : bool
        Whether it changes nothing if it is given 0.
    draws : bool
        Whether each call finds another value, as tickets are drawn.
    swaps : bool
        Whether it is a compare-and-swap: `code` also returns which lanes swapped.
    """

    code: Code
    scope: str = ""
    merges: str = ""
    replaces: bool = False
    neutral_zero: bool = False
    draws: bool = False
    swaps: bool = False

    @property
    def counted(self) -> str:  # type: ignore[override]
        """The function that counts it on a GPU."""
        return "gb_cas" if self.swaps else "gb_atomic"


class OrderedLoad(Lowering):
    """An atomic load, with a memory order and a scope (`tree.OrderedCall`)."""


class OrderedStore(Lowering):
    """An atomic store, with a memory order and a scope."""


class OrderedFence(Lowering):
    """A fence whose arguments are a memory order and a scope."""


@dataclass(frozen=True)
class MemoryBarrier(Lowering):
    """Something that threads do at a barrier in memory, to which the first argument points.

    Attributes
    ----------
    method : str
        The function of a gang that does it, of the lanes, the addresses and the arguments.
    site : str
        What it does to the barrier, as an access: store, atomic or load.
    phases : bool
        Whether its result is the phase that each lane has arrived in.
    tests : bool
        Whether its result is whether the phase is complete.
    blocks : bool
        Whether lanes wait: what `method` returns says for what.
    scoped : bool
        Whether the last argument is the scope of the barrier, as `cuda::barrier` has one.
    """

    method: str
    site: str
    phases: bool = False
    tests: bool = False
    blocks: bool = False
    scoped: bool = False


@dataclass(frozen=True)
class Barrier(Lowering):
    """A barrier of the block; `kind` is how predicates are joined: all, count, and, or."""

    kind: str
    counted = "gb_barrier"


class GridBarrier(Lowering):
    """A barrier of all threads of the grid."""

    counted = "gb_barrier"


@dataclass(frozen=True)
class ClusterBarrier(Lowering):
    """A barrier of all threads of the cluster: arrive there, wait for the others, or both."""

    arrives: bool = True
    waits: bool = True
    counted = "gb_barrier"


@dataclass(frozen=True)
class ClusterPointer(Lowering):
    """What there is in distributed shared memory for a pointer, and perhaps a block's rank.

    Attributes
    ----------
    method : str
        The function of a gang that computes it of the lanes and the arguments.
    """

    method: str


@dataclass(frozen=True)
class Fence(Lowering):
    """Order memory accesses of a thread, as seen by the threads in `scope`: "block", or all."""

    scope: str = ""


class WarpBarrier(Lowering):
    """Wait for the lanes that a mask names, and order their memory accesses."""


class ActiveMask(Lowering):
    """Tell which lanes of the warp are active."""


@dataclass(frozen=True)
class Access(Lowering):
    """A load or a store by a pointer, which the checker makes of the call.

    `read_only` says that nobody may write the memory while the kernel runs.
    """

    read_only: bool = False


@dataclass(frozen=True)
class AsyncCopy(Lowering):
    """Begin to copy a value to where a pointer points: it is there once the thread has waited.

    `strict` says that the pointer must lead to shared memory.
    """

    strict: bool


class AsyncCopyBatch(Lowering):
    """Make a batch of the copies that the thread has begun."""


class AsyncCopyWait(Lowering):
    """Wait for the copies of all batches of the thread but for so many of the newest."""


@dataclass(frozen=True)
class AddressSpace(Lowering):
    """Tell whether a pointer leads to memory of one kind: shared, cluster, local or global.

    "shared" is the own block's, "cluster" that of all blocks of the cluster.
    """

    space: str


@dataclass(frozen=True)
class TextureFetch(Lowering):
    """A fetch from a texture, whose arguments are the object and coordinates.

    What comes behind these, levels and gradients of mipmaps, changes nothing: there are none.
    `gathers` says that it takes one channel of the four texels that a linear filter would weigh.
    """

    shape: Shape
    gathers: bool = False


@dataclass(frozen=True)
class SurfaceRead(Lowering):
    """A read of a surface, whose arguments are the object, coordinates and the boundary mode."""

    shape: Shape


@dataclass(frozen=True)
class SurfaceWrite(Lowering):
    """A write to a surface: the value comes before the arguments of a read."""

    shape: Shape


class MatrixFill(Lowering):
    """Set all numbers of a fragment, the first argument, to the second."""


class MatrixLoad(Lowering):
    """Load a fragment, the first argument, by all lanes of a warp."""


class MatrixStore(Lowering):
    """Store a fragment, the second argument, by all lanes of a warp."""


@dataclass(frozen=True)
class MatrixProduct(Lowering):
    """Set a fragment, the first argument, to a product and a sum of the others by a whole warp.

    `saturates` says that sums of integers stay within their type.
    """

    saturates: bool = False


@dataclass(frozen=True)
class SharedAddress(Lowering):
    """An address in the window of the block's shared memory, which begins at 0, or a pointer.

    `method` is the function of a gang that computes it of the lanes and the argument.
    """

    method: str


class Operator(Lowering):
    """An operator of C, which the checker makes of the call."""


class MakeVector(Lowering):
    """A structure whose members are the arguments."""


class Clock(Lowering):
    """Read the clock: each call gives another value."""


@dataclass(frozen=True)
class LastError(Lowering):
    """Tell the last error of a launch by the thread; `takes` says that it is forgotten then."""

    takes: bool = False


class Sleep(Lowering):
    """Let other threads run: the argument changes nothing but time."""


class Trap(Lowering):
    """End the kernel: no thread that calls it goes on."""


class Unreachable(Trap):
    """Fault: the program promised that no thread comes here."""


class Assertion(Lowering):
    """End the kernel unless the argument holds."""


class MissingValue(Lowering):
    """Fault: a function that should have returned a value comes to its end."""


@dataclass(frozen=True)
class LaneTable(Lowering):
    """A table of the launch with one element a lane; arguments are numbers in its name."""

    table: str


class TileSize(Lowering):
    """How many threads a tile has."""


class TileCount(Lowering):
    """How many tiles there are in a block, or in a tile."""


@dataclass(frozen=True)
class Partition(Lowering):
    """A group's part that each lane is in, of a mask and what the lane offers.

    `code` is a function of the active lanes' numbers, the size of a warp, the mask and the values,
    which returns the part's mask, which of the parts it is, and how many there are.
    """

    code: str


@dataclass(frozen=True)
class GroupFunction(Lowering):
    """A function of the active lanes' numbers, the size of a warp, and the arguments."""

    code: str
