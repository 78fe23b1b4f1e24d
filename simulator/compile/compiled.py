"""A compiled kernel, as launches take it: its function, and what it says about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any

from simulator.ir import tree
from simulator.ir.events import EventSite, Plan
from simulator.ir.types import SHARED_UNIT, CType, Pointer, Void, size_of
from simulator.source import Span

#: How a launch binds a pointer argument: to a view that starts at it, to a view of its whole
#: allocation, or by address.
VIEWED, SHIFTED, PLAIN = "viewed", "shifted", "plain"

#: What generated code is called with: the gang, and an argument for each parameter and variable.
Generated = Callable[[Any, list[Any]], "GeneratorType[Any, Any, None]"]


@dataclass(frozen=True)
class Origin:
    """What a line of generated code does: for faults.

    `index` and `lanes` name Python variables; `calls` are those that led to it, as in `EventSite`.
    """

    span: Span
    lanes: str
    site: EventSite | None = None
    index: str = ""
    calls: tuple[Span, ...] = ()


@dataclass(frozen=True)
class CompiledKernel:
    """`text` is the generated Python; `function(gang, arguments)` starts it.

    `origins` map its lines to the source.

    `bases` give for every view of a parameter's array the parameter's number and a byte offset.
    `variables` are those outside functions that it uses; their arguments follow the parameters'.
    `cluster` are the blocks of a cluster along x, y and z. `shared_align` is what the shared memory
    of a block begins at a multiple of. `names` are what the text finds by names of its own.
    """

    name: str
    parameters: tuple[str, ...]
    variables: tuple[tree.Symbol, ...]
    text: str
    function: Generated
    origins: dict[int, Origin]
    plan: Plan
    bases: dict[str, tuple[int, int]]
    shared_bytes: int
    filename: str
    span: Span
    cluster: tuple[int, int, int] = (1, 1, 1)
    shared_align: int = SHARED_UNIT
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]


def viewed(kernel: tree.Function) -> tuple[str, ...]:
    """Return the modes in which every pointer points to the start of an array, if it can."""
    return tuple(VIEWED if _has_elements(s.type) else PLAIN for s in kernel.parameters)


def _has_elements(ctype: CType) -> bool:
    """Whether it is a pointer to what has a size: not to void, nor to an undefined structure."""
    return isinstance(ctype, Pointer) and not isinstance(ctype.to, Void) and size_of(ctype.to) > 0
