"""What the statement of a step computes, lane by lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpubfs.show.traces.frames.accessed import AccessedArrays
from gpubfs.show.traces.frames.scene import Scene
from simulator.ir.events import CONDITION, FOUND, STORED, TARGET, VALUE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.ir.events import Operand

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


def computed(scene: Scene) -> list[Computed]:
    """Return what the statement computes, as far as the warp takes part.

    The arguments of a call in their order; of other statements the last value.
    """
    part = scene.launch.part(scene.step, scene.warp)
    if part.start == part.stop:
        return []
    found = list(scene.step.named(VALUE)) or list(scene.step.named(*COMPUTED))[-1:]
    own = scene.step.lanes[part] % scene.launch.warp_size
    return [
        Computed(_name(scene, operand), own, scene.step.of(value, part)) for operand, value in found
    ]


def _name(scene: Scene, operand: Operand) -> str:
    """Return what an operand's value is of."""
    if operand.form in (CONDITION, TARGET):
        return operand.site.span.text
    if operand.form == VALUE:
        return operand.site.array
    return f"{operand.site.array or _held(scene, operand) or 'memory'}[…]"


def _held(scene: Scene, operand: Operand) -> str:
    """Return the arrays that a pointer of unknown origin led to."""
    own = (access for access in scene.accesses if access.site is operand.site)
    return ", ".join(dict.fromkeys(AccessedArrays(scene, access).title for access in own))
