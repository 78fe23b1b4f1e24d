"""cuRAND's functions for kernels: XORWOW and Philox4x32-10, and what is made of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.builtins.lowerings import Stateful
from simulator.builtins.overloads import Overloads, overloads
from simulator.builtins.row import Row
from simulator.ir.types import CURAND_HEADER
from simulator.lanes import distributions, generators

Lanes = Any
Parts = tuple[Lanes, ...]
Function = Callable[..., Parts]

_NORMAL, _LOG_NORMAL = 1, 2


@dataclass(frozen=True)
class _Generator:
    """A generator: the type of its state, the members that make its numbers, and its functions.

    `one` gives the next number and the state behind it, `several` as many numbers as a function
    asks for and the state; both take the members. `seeded` takes seed, subsequence and offset.
    """

    type: str
    core: tuple[str, ...]
    one: Function
    seeded: Function
    ahead: Function
    subsequences: Function

    def drawn(self, count: int, state: Parts) -> tuple[Parts, Parts]:
        """Return some numbers, and the state behind them."""
        numbers = []
        for _ in range(count):
            number, *state = self.one(*state)  # type: ignore[assignment]
            numbers.append(number)
        return tuple(numbers), tuple(state)


# Philox keeps the four numbers of a counter, and how many of them were taken.


def _philox_one(*state: Lanes) -> Parts:
    """Return the next number, and the state behind it."""
    number, place = _taken(state[4:8], state[10]), state[10] + np.uint32(1)
    ended = (place == 4).nonzero()[0]
    if not ended.size:
        return number, *state[:10], place
    found = [np.array(part) for part in (*state[:10], place)]
    used = [part[ended] for part in (*state[:4], *state[8:10])]
    for part, fresh in zip(found, generators.philox_following(*used), strict=False):
        part[ended] = fresh
    found[10][ended] = 0
    return number, *found


def _philox_four(*state: Lanes) -> tuple[Parts, Parts]:
    """Return four numbers from where the state stands, and the state behind them."""
    following = generators.philox_following(*state[:4], *state[8:10])
    both = (*state[4:8], *following[4:])
    numbers = tuple(_taken(both, state[10] + np.uint32(at)) for at in range(4))
    return numbers, (*following, *state[8:])


def _taken(numbers: Parts, place: Lanes) -> Lanes:
    return np.choose(np.minimum(place, len(numbers) - 1), numbers)


def _philox_ahead(count: Lanes, *state: Lanes) -> Parts:
    return generators.philox_ahead(count, *state[:4], *state[8:])


def _philox_subsequences(count: Lanes, *state: Lanes) -> Parts:
    return *generators.philox_subsequences(count, *state[:4], *state[8:10]), *state[8:]


_XORWOW = _Generator(
    "curandStateXORWOW_t",
    ("d", *(f"v.{at}" for at in range(5))),
    generators.xorwow_step,
    generators.xorwow_seeded,
    generators.xorwow_ahead,
    generators.xorwow_subsequences,
)
_PHILOX = _Generator(
    "curandStatePhilox4_32_10_t",
    (*(f"{of}.{at}" for of in ("ctr", "output") for at in "xyzw"), "key.x", "key.y", "STATE"),
    _philox_one,
    generators.philox_seeded,
    _philox_ahead,
    _philox_subsequences,
)
_FLAGS = ("boxmuller_flag", "boxmuller_flag_double", "boxmuller_extra", "boxmuller_extra_double")

# What each function does with the members that it reads, and with its other arguments.


def _begun(generator: _Generator) -> Function:
    def code(seed: Lanes, subsequence: Lanes, offset: Lanes) -> Parts:
        state = generator.seeded(seed, subsequence, offset)
        return *state, *([np.zeros(seed.shape, np.int32)] * len(_FLAGS))

    return code


def _moved_by(move: Function) -> Function:
    return lambda *given: move(given[-1], *given[:-1])


def _drawing(generator: _Generator, count: int, made: Function) -> Function:
    """Make results of some numbers and the other arguments."""

    def code(*given: Lanes) -> Parts:
        core, rest = given[: len(generator.core)], given[len(generator.core) :]
        numbers, state = generator.drawn(count, core)
        return *made(*numbers, *rest), *state

    return code


def _drawing_four(made: Function) -> Function:
    def code(*given: Lanes) -> Parts:
        core = len(_PHILOX.core)
        numbers, state = _philox_four(*given[:core])
        return *made(*numbers, *given[core:]), *state

    return code


def _in_turn(drawing: Function, core: int, kind: int) -> Function:
    """Make two results at a time, of which the second one is kept for the next call."""

    def code(*given: Lanes) -> Parts:
        state, (flag, extra), rest = given[:core], given[core : core + 2], given[core + 2 :]
        fresh = (flag != kind).nonzero()[0]
        kept = [np.array(part) for part in (extra, extra, *state)]
        if fresh.size:
            used = [part[fresh] for part in (*state, *rest)]
            for part, new in zip(kept, drawing(*used), strict=True):
                part[fresh] = new
        result, extra, *state = kept  # type: ignore[assignment]
        return result, *state, np.where(flag != kind, kind, 0), extra

    return code


# Of numbers: what one call gives.


def _number(*numbers: Lanes) -> Parts:
    return numbers


def _uniform(*numbers: Lanes) -> Parts:
    return tuple(map(distributions.uniform, numbers))


def _uniform_double(*numbers: Lanes) -> Parts:
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return tuple(distributions.uniform_double(*pair) for pair in pairs)


def _uniform_double_of_one(number: Lanes) -> Parts:
    return (distributions.uniform_double_of_one(number),)


def _normal(*numbers: Lanes) -> Parts:
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return tuple(one for pair in pairs for one in distributions.normal(*pair))


def _log_normal(*given: Lanes) -> Parts:
    return distributions.log_normal(_normal(*given[:-2]), *given[-2:])


def _log_normal_double(*given: Lanes) -> Parts:
    return distributions.log_normal(distributions.normal_double(*given[:-2]), *given[-2:])


# Rows.


def _of_both(g: _Generator) -> Iterator[tuple[str, Function]]:
    """Yield the heads of what both generators have, with what executes them."""
    yield f"unsigned curand({g.type} *state)", _drawing(g, 1, _number)
    yield f"float curand_uniform({g.type} *state)", _drawing(g, 1, _uniform)
    yield f"float2 curand_normal2({g.type} *state)", _drawing(g, 2, _normal)
    head = f"float2 curand_log_normal2({g.type} *state, float mean, float stddev)"
    yield head, _drawing(g, 2, _log_normal)


def _of_xorwow(t: str = _XORWOW.type) -> Iterator[tuple[str, Function]]:
    doubles = _drawing(_XORWOW, 2, _uniform_double)
    yield f"double curand_uniform_double({t} *state)", doubles
    normals = _drawing(_XORWOW, 4, distributions.normal_double)
    yield f"double2 curand_normal2_double({t} *state)", normals
    head = f"double2 curand_log_normal2_double({t} *state, double mean, double stddev)"
    yield head, _drawing(_XORWOW, 4, _log_normal_double)


def _of_philox(t: str = _PHILOX.type) -> Iterator[tuple[str, Function]]:
    one = _drawing(_PHILOX, 1, _uniform_double_of_one)
    yield f"double curand_uniform_double({t} *state)", one
    yield f"uint4 curand4({t} *state)", _drawing_four(_number)
    yield f"float4 curand_uniform4({t} *state)", _drawing_four(_uniform)
    yield f"double2 curand_uniform2_double({t} *state)", _drawing_four(_uniform_double)
    yield f"float4 curand_normal4({t} *state)", _drawing_four(_normal)
    normals = _drawing_four(distributions.normal_double)
    yield f"double2 curand_normal2_double({t} *state)", normals
    head = f"float4 curand_log_normal4({t} *state, float mean, float stddev)"
    yield head, _drawing_four(_log_normal)
    head = f"double2 curand_log_normal2_double({t} *state, double mean, double stddev)"
    yield head, _drawing_four(_log_normal_double)


def _one_by_one(g: _Generator) -> Iterator[tuple[str, Function, tuple[str, ...]]]:
    """Yield the functions that keep a second result in the state, and where they keep it."""
    singles, doubles = ("boxmuller_flag", "boxmuller_extra"), (_FLAGS[1], _FLAGS[3])
    four = _drawing_four if g is _PHILOX else lambda made: _drawing(g, 4, made)
    families = (
        ("float", "normal", "", _drawing(g, 2, _normal), _NORMAL),
        ("double", "normal", "_double", four(distributions.normal_double), _NORMAL),
        ("float", "log_normal", "", _drawing(g, 2, _log_normal), _LOG_NORMAL),
        ("double", "log_normal", "_double", four(_log_normal_double), _LOG_NORMAL),
    )
    for ctype, name, end, code, kind in families:
        more = f", {ctype} mean, {ctype} stddev" if kind == _LOG_NORMAL else ""
        head = f"{ctype} curand_{name}{end}({g.type} *state{more})"
        yield head, _in_turn(code, len(g.core), kind), doubles if end else singles


def _row(head: str, code: Function, reads: tuple[str, ...], writes: tuple[str, ...]) -> Row:
    return Row(head, Stateful(code, reads, writes), header=CURAND_HEADER)


def _rows(g: _Generator) -> Iterator[Row]:
    wide = "unsigned long long"
    head = f"void curand_init({wide} seed, {wide} subsequence, {wide} offset, {g.type} *state)"
    yield _row(head, _begun(g), (), (*g.core, *_FLAGS))
    for name, move in (("skipahead", g.ahead), ("skipahead_sequence", g.subsequences)):
        yield _row(f"void {name}({wide} n, {g.type} *state)", _moved_by(move), g.core, g.core)
    for head, code in (*_of_both(g), *(_of_xorwow() if g is _XORWOW else _of_philox())):
        yield _row(head, code, g.core, g.core)
    for head, code, kept in _one_by_one(g):
        yield _row(head, code, (*g.core, *kept), (*g.core, *kept))


def rows(known: dict[str, Row]) -> list[Overloads]:
    """Return all rows, those of the two generators joined by their names."""
    return overloads([*_rows(_XORWOW), *_rows(_PHILOX)], known)
