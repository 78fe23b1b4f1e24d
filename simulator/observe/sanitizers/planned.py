"""What a kernel's plan says of its accesses, found out once for all of its launches."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.ir.events import (
    BARRIER,
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
    COPIED,
    FENCE,
    GANG_SWITCH,
    GRID,
    MBARRIER,
    MEMORY,
    STORED,
    WARP_SYNC,
    BasicBlock,
    Operand,
)

#: The forms of operands at which memory is touched: asynchronous copies also where they end.
TOUCHING = MEMORY | {COPIED, MBARRIER}
SYNC = frozenset((BARRIER, GRID, WARP_SYNC, CLUSTER_ARRIVE, CLUSTER_WAIT))
#: Those that matter for what is ordered.
_ORDERING = TOUCHING | SYNC | {FENCE}


@dataclass(frozen=True)
class PlannedAccess:
    """A memory operand: its basic block, its position there, and that of what it stores."""

    block: int
    at: int
    operand: Operand
    stored: int | None


class Planned:
    """The accesses and synchronisations in basic blocks.

    Attributes
    ----------
    blocks : list of BasicBlock
        Those of a plan.
    accesses : list of PlannedAccess
        All memory operands.
    syncing : dict of int to Operand
        The basic blocks that end with a synchronisation.
    worth : frozenset of int
        What entries of the log begin with that matter: the numbers of basic blocks that touch
        memory or order something, and of a switch of gangs.
    scale : int
        More than the operands of any block.
    syncs_warps : bool
        Whether only some lanes of a warp may synchronise, or arrive at their cluster's barrier.
    """

    def __init__(self, blocks: list[BasicBlock]) -> None:
        self.blocks = blocks
        self.accesses = [access for block in blocks for access in _accesses(block)]
        self.syncing = {
            b.id: b.operands[-1] for b in blocks if b.operands and b.operands[-1].form in SYNC
        }
        forms = {block.id: {o.form for o in block.operands} for block in blocks}
        worth = {number for number, own in forms.items() if not own.isdisjoint(_ORDERING)}
        self.worth = frozenset(worth | {GANG_SWITCH})
        self.scale = 1 + max((len(block.operands) for block in blocks), default=0)
        self.syncs_warps = any(own & {WARP_SYNC, CLUSTER_ARRIVE} for own in forms.values())


def _accesses(block: BasicBlock) -> list[PlannedAccess]:
    """List the memory operands of a basic block."""
    forms = [o.form for o in block.operands]
    return [
        PlannedAccess(block.id, at, operand, at + 1 if forms[at + 1 : at + 2] == [STORED] else None)
        for at, operand in enumerate(block.operands)
        if operand.form in TOUCHING
    ]
