"""Votes, shuffles, matches, reductions and barriers of PTX, and what ends or delays a thread."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import Operands
from simulator.check.ptx.special import LANE
from simulator.check.ptx.types import Code, cast
from simulator.read.ptx import Piece


@instruction("activemask")
def _active(op: Opcode, o: Operands) -> Code:
    op.type("u32")
    yield o.assigned(op.end(1)[0], "u32", "__activemask()")


@instruction("vote")
def _vote(op: Opcode, o: Operands) -> Code:
    if not op.has("sync"):
        raise op.refused("needs `.sync` and a mask")
    mode = op.one_of(("all", "any", "uni", "ballot"))
    written = op.parts[-1:]
    if written == ["pred"]:
        op.parts.pop()
    else:
        op.type("u32")
    target, p, mask = op.end(3)
    truth, lanes = o.value(p, "pred"), o.value(mask, "u32")
    if mode == "ballot":
        yield o.assigned(target, "u32", f"__ballot_sync({lanes}, {truth})")
    elif mode == "uni":
        votes = o.temporary("u32")
        yield f"{votes} = __ballot_sync({lanes}, {truth})"
        yield o.assigned(target, "pred", f"({votes} == 0) | ({votes} == {lanes})")
    else:
        yield o.assigned(target, "pred", f"__{mode}_sync({lanes}, {truth}) != 0")


#: The modes of shuffles: CUDA's function, and whether there is such a lane.
_SHUFFLES = {
    "up": ("__shfl_up_sync", "{lane} >= {by}"),
    "down": ("__shfl_down_sync", "{lane} + {by} < {width}u"),
    "bfly": ("__shfl_xor_sync", "({lane} ^ {by}) < {width}u"),
    "idx": ("__shfl_sync", "true"),
}


@instruction("shfl")
def _shuffle(op: Opcode, o: Operands) -> Code:
    if not op.has("sync"):
        raise op.refused("needs `.sync` and a mask")
    mode = op.one_of(tuple(_SHUFFLES))
    op.type("u32")
    target, a, by, bounds, mask = op.end(5)
    width = _width(op, o, bounds, mode)
    call, test = _SHUFFLES[mode]
    amount = o.temporary("u32")
    yield f"{amount} = {o.value(by, 'u32')}"
    given = f"{o.value(mask, 'u32')}, {o.value(a, 'u32')}, {amount}, {width}"
    made = o.temporary("u32")
    yield f"{made} = {call}({given})"
    first, *second = o.both(target)
    yield o.assigned(first, "u32", made)
    if second:
        lane = f"({LANE} % {width}u)"
        yield o.assigned(second[0], "pred", test.format(lane=lane, by=amount, width=width))


def _width(op: Opcode, o: Operands, bounds: Piece, mode: str) -> int:
    """Return how many lanes shuffle among each other, which a constant says."""
    found = o.lookup(bounds.text)
    try:
        value = found if isinstance(found, int) else int(bounds.text, 0)
    except ValueError:
        value = -1
    width = 32 - (value >> 8 & 31)
    clamp = 0 if mode == "up" else 31
    if value < 0 or value & 31 != clamp or width & (width - 1):
        hint = f"needs a constant such as {clamp:#x} as its fourth operand: the bounds of 32 lanes"
        raise op.refused(hint)
    return width


@instruction("match")
def _match(op: Opcode, o: Operands) -> Code:
    mode = op.one_of(("any", "all"))
    if not op.has("sync"):
        raise op.refused("needs `.sync` and a mask")
    t = op.type("u32", "u64")
    target, a, mask = op.end(3)
    lanes, value = o.value(mask, "u32"), o.value(a, t)
    if mode == "any":
        yield o.assigned(target, "u32", f"__match_any_sync({lanes}, {value})")
        return
    first, *second = o.both(target)
    every = o.temporary("s32")
    yield o.assigned(first, "u32", f"__match_all_sync({lanes}, {value}, &{every})")
    if second:
        yield o.assigned(second[0], "pred", f"{every} != 0")


@instruction("redux")
def _reduce(op: Opcode, o: Operands) -> Code:
    if not op.has("sync"):
        raise op.refused("needs `.sync` and a mask")
    operation = op.one_of(("add", "min", "max", "and", "or", "xor"))
    t = op.type("u32", "s32")
    target, a, mask = op.end(3)
    call = f"__reduce_{operation}_sync({o.value(mask, 'u32')}, {o.value(a, t)})"
    yield o.assigned(target, t, cast(t, call))


@instruction("elect")
def _elect(op: Opcode, o: Operands) -> Code:
    """Choose the first lane of a mask."""
    if not op.has("sync"):
        raise op.refused("needs `.sync` and a mask")
    target, mask = op.end(2)
    leader, (first, *second) = o.temporary("u32"), o.both(target)
    yield f"{leader} = __ffs(__ballot_sync({o.value(mask, 'u32')}, true)) - 1"
    if first.text != "_":
        yield o.assigned(first, "u32", leader)
    if second:
        yield o.assigned(second[0], "pred", f"{LANE} == {leader}")


# Barriers.


@instruction("bar", "barrier")
def _barrier(op: Opcode, o: Operands) -> Code:
    op.has("cta")
    op.has("aligned")
    if op.has("warp"):
        if not op.has("sync"):
            raise op.refused("needs `.sync`")
        yield f"__syncwarp({o.value(op.end(1)[0], 'u32')})"
        return
    if op.has("cluster"):
        step = op.one_of(("arrive", "wait"))
        op.has({"arrive": "release", "wait": "acquire"}[step])
        op.end(0)
        yield f"__cluster_barrier_{step}()"
        return
    kind = op.one_of(("sync", "red"))
    if kind == "red":
        yield from _voting_barrier(op, o)
        return
    _check_whole(op, o, op.end(1, 2)[0], op.instruction.operands[1:])
    yield "__syncthreads()"


def _voting_barrier(op: Opcode, o: Operands) -> Code:
    mode = op.one_of(("popc", "and", "or"))
    counts = mode == "popc"
    if counts:
        op.type("u32")
    elif op.parts.pop() != "pred":
        raise op.refused("gives a predicate")
    target, barrier, *threads, p = op.end(3, 4)
    _check_whole(op, o, barrier, tuple(threads))
    call = f"__syncthreads_{'count' if counts else mode}({o.value(p, 'pred')})"
    result = ("u32", f"(unsigned){call}") if counts else ("pred", f"{call} != 0")
    yield o.assigned(target, *result)


def _check_whole(op: Opcode, o: Operands, barrier: Piece, threads: tuple[Piece, ...]) -> None:
    """Refuse barriers other than the block's."""
    number = o.lookup(barrier.text)
    text = str(number) if isinstance(number, int) else barrier.text
    if threads or text not in ("0", "0x0"):
        raise op.refused("is a barrier of some of the block's threads, which is not supported")


# What ends a thread, or lets others run.


@instruction("trap")
def _trap(op: Opcode, o: Operands) -> Code:
    op.end(0)
    yield "__trap()"


@instruction("nanosleep")
def _sleep(op: Opcode, o: Operands) -> Code:
    op.type("u32")
    yield f"__nanosleep({o.value(op.end(1)[0], 'u32')})"
