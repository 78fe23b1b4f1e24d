"""Everything that the frame of one step shows, before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpubfs.traces.frames.homes import Homes
from simulator.plan import CONDITION, FOUND, STORED, TARGET, VALUE
from simulator.trace import Access, accesses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpubfs.graphs import Graph
    from gpubfs.technique import Parts
    from simulator.plan import Operand
    from simulator.source import Span
    from simulator.trace import Cursor, Step, TracedLaunch

#: What may be the value that a statement computes; the last one is.
COMPUTED = (VALUE, CONDITION, TARGET, FOUND, STORED)


@dataclass(frozen=True)
class Computed:
    """What a statement computes, for each lane of a warp that takes part.

    `name` is the variable, the array or the condition; `lanes` are counted in the warp.
    """

    name: str
    lanes: NDArray[np.int64]
    values: NDArray[Any]


@dataclass(frozen=True)
class Place:
    """Where in a run a step is: its launch, its number there and in the whole, and its level."""

    launch: TracedLaunch
    number: int
    at: int
    level: int


@dataclass(frozen=True)
class Scene:
    """One step, seen from one warp.

    Attributes
    ----------
    place : Place
        Which step it is.
    title : str
        What is traced.
    graph : Graph or None
        What is searched; None where launches of any kernels are shown.
    cursor : Cursor
        Memory and lanes behind the step.
    warp : int
        The warp, counted in the wave of resident blocks.
    before : mapping of str to int
        The counters of all launches before this one.
    parts : mapping of str to Parts
        Arrays that are cut into queues.
    """

    place: Place
    title: str
    graph: Graph | None
    cursor: Cursor
    warp: int
    before: dict[str, int]
    parts: Mapping[str, Parts]

    @property
    def launch(self) -> TracedLaunch:
        """The launch."""
        return self.place.launch

    @property
    def step(self) -> Step:
        """The step."""
        return self.launch.steps[self.place.number]

    @property
    def slot(self) -> int:
        """The warp's block, counted in the wave."""
        return self.warp * self.launch.warp_size // self.launch.waves[self.step.wave].padded

    @property
    def block(self) -> int:
        """The warp's block, counted in the grid."""
        return self.launch.waves[self.step.wave].first_block + self.slot

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        x, y, z = self.launch.grid
        return x * y * z

    @property
    def warp_in_block(self) -> int:
        """The warp, counted in its block."""
        wave = self.launch.waves[self.step.wave]
        return self.warp - self.slot * (wave.padded // self.launch.warp_size)

    @cached_property
    def lanes(self) -> NDArray[np.int64]:
        """What each lane of the warp does."""
        return self.cursor.lanes(self.warp)

    @cached_property
    def accesses(self) -> list[Access]:
        """What the warp's lanes ask of memory."""
        return accesses(self.launch, self.step, self.warp)

    def does(self, form: str) -> bool:
        """Whether the step has an operand of this form."""
        return any(True for _ in self.step.named(form))

    @property
    def focus(self) -> Span:
        """The part of the source that is executed: of a branch its condition."""
        return self.step.focus

    @cached_property
    def computed(self) -> list[Computed]:
        """What the statement computes, as far as the warp takes part.

        The arguments of a call in their order; of other statements the last value.
        """
        part = self.launch.part(self.step, self.warp)
        if part.start == part.stop:
            return []
        found = list(self.step.named(VALUE)) or list(self.step.named(*COMPUTED))[-1:]
        own = self.step.lanes[part] % self.launch.warp_size
        return [
            Computed(self._name(operand), own, self.step.of(value, part))
            for operand, value in found
        ]

    def _name(self, operand: Operand) -> str:
        """What an operand's value is of."""
        if operand.form in (CONDITION, TARGET):
            return operand.site.span.text
        if operand.form == VALUE:
            return operand.site.array
        return f"{operand.site.array or self._held(operand) or 'memory'}[…]"

    def _held(self, operand: Operand) -> str:
        """The arrays that a pointer of unknown origin led to."""
        own = (access for access in self.accesses if access.site is operand.site)
        return ", ".join(dict.fromkeys(Homes(self, access).title for access in own))

    @property
    def totals(self) -> dict[str, int]:
        """The run's counters up to this step."""
        found = dict(self.before)
        for name, value in self.step.totals.items():
            found[name] = found.get(name, 0) + value
        return found
