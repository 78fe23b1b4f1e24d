"""Everything that the frame of one step shows, before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.graphs import Graph
from gpubfs.host import Fact
from gpubfs.search.technique import Parts
from gpubfs.show.traces.remark import Remark
from simulator.observe.trace import ACTIVE, Access, accesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.trace import Cursor, TracedLaunch, TracedStep
    from simulator.source import Span


@dataclass(frozen=True)
class Position:
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
    position : Position
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
    facts : mapping
        What the driver said of the level.
    remarks : tuple of Remark
        What is to be said where one of them is about this step.
    memo : dict
        What has been found for scenes of this launch, by what it depends on.
    """

    position: Position
    title: str
    graph: Graph | None
    cursor: Cursor
    warp: int
    before: dict[str, int]
    parts: Mapping[str, Parts]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def launch(self) -> TracedLaunch:
        """The launch."""
        return self.position.launch

    @cached_property
    def step(self) -> TracedStep:
        """The step."""
        return self.launch.steps[self.position.number]

    @cached_property
    def slot(self) -> int:
        """The warp's block, counted in the wave."""
        return self.warp * self.launch.warp_size // self.launch.waves[self.step.wave].padded

    @property
    def block(self) -> int:
        """The warp's block, counted in the grid."""
        return self.launch.waves[self.step.wave].block_rank(self.slot)

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
    def active(self) -> int:
        """How many lanes of the warp take part."""
        return int(np.count_nonzero(self.lanes == ACTIVE))

    @cached_property
    def part(self) -> slice:
        """Where these stand among the lanes of the step."""
        return self.launch.part(self.step, self.warp)

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

    @property
    def totals(self) -> dict[str, int]:
        """The run's counters up to this step."""
        found = dict(self.before)
        for name, value in self.step.totals.items():
            found[name] = found.get(name, 0) + value
        return found
