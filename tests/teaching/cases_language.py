"""Teaching cases of the language: structs, templates, recursion, switch, printf and assert."""

from __future__ import annotations

import re

import numpy as np

from tests.teaching.case import Arrays, Case, Launch, blocks, floats, ints

_ZERO = np.zeros(1, np.int32)

_BOX = np.array((-1.0, 1.0), [("low", np.float32), ("high", np.float32)])
_DT = np.float32(0.25)


def _bounced(place: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and speeds after one step in the box."""
    moved = place + _DT * speed
    over, under = moved > 1, moved < -1
    inside = np.where(over, 2 - moved, np.where(under, -2 - moved, moved))
    return inside, np.where(over | under, -speed, speed)


def _structs_moved(a: Arrays) -> Arrays:
    place, speed = _bounced(a["particles"][:, :3], a["particles"][:, 3:])
    return {"particles": np.hstack([place, speed + np.array([0, 0, 0.5], np.float32)])}


def _arrays_moved(a: Arrays) -> Arrays:
    (x, vx), (y, vy) = _bounced(a["x"], a["vx"]), _bounced(a["y"], a["vy"])
    return {"x": x, "y": y, "vx": vx, "vy": vy}


def _particles(n: int = 200) -> list[Case]:
    grid = blocks(n, 64)
    structs = (
        Launch("move_structs", grid, 64, ("particles", n, _DT, _BOX)),
        Launch("push_structs", grid, 64, ("particles", n, 0.5)),
    )
    members = ("x", "y", "vx", "vy")
    move = Launch("move_arrays", grid, 64, (*members, n, _DT, _BOX))
    return [
        Case(
            "particles as structs",
            "particles.cu",
            structs,
            lambda rng: {"particles": floats(rng, n, 6)},
            _structs_moved,
            tolerance=1e-6,
        ),
        Case(
            "particles as arrays",
            "particles.cu",
            (move,),
            lambda rng: {member: floats(rng, n) for member in members},
            _arrays_moved,
            tolerance=1e-6,
        ),
    ]


def _saxpy(c_type: str, dtype: type[np.floating], n: int = 300) -> Case:
    return Case(
        f"saxpy<{c_type}>",
        "saxpy.cu",
        (Launch(f"saxpy<{c_type}>", blocks(n, 128), 128, (dtype(1.5), "x", "y", n)),),
        lambda rng: {"x": floats(rng, n).astype(dtype), "y": floats(rng, n).astype(dtype)},
        lambda a: {"y": 1.5 * a["x"].astype(float) + a["y"]},
        tolerance=1e-6 if dtype is np.float32 else 1e-15,
    )


def _block_maxima(c_type: str, dtype: type[np.generic], block: int, n: int = 300) -> Case:
    grid = blocks(n, block)
    name = f"block_maxima<{c_type}, {block}>"
    starts = np.arange(0, n, block)
    return Case(
        name,
        "saxpy.cu",
        (Launch(name, grid, block, ("in", "out", n)),),
        lambda rng: {
            "in": (1000 * floats(rng, n)).astype(dtype),
            "out": np.zeros(grid, dtype),
        },
        lambda a: {"out": np.maximum.reduceat(a["in"], starts)},
    )


_FIBONACCI = [0, 1, 1, 2, 3, 5, 8, 13, 21]


def _hofstadter(a: Arrays) -> Arrays:
    female, male = [1], [0]
    for n in range(1, int(a["in"].max()) + 1):
        male.append(n - female[male[n - 1]])
        female.append(n - male[female[n - 1]])
    return {"females": np.array(female)[a["in"]], "males": np.array(male)[a["in"]]}


def _recursion(n: int = 100) -> list[Case]:
    return [
        Case(
            "fibonacci_numbers",
            "recursion.cu",
            (Launch("fibonacci_numbers", 2, 64, ("in", "out", n)),),
            lambda rng: {"in": ints(rng, n, 0, 9), "out": np.zeros(n, np.int32)},
            lambda a: {"out": np.array(_FIBONACCI)[a["in"]]},
        ),
        Case(
            "hofstadter",
            "recursion.cu",
            (Launch("hofstadter", 2, 64, ("in", "females", "males", n)),),
            lambda rng: {
                "in": ints(rng, n, 0, 8),
                "females": np.zeros(n, np.int32),
                "males": np.zeros(n, np.int32),
            },
            _hofstadter,
        ),
        Case(
            "integrate",
            "recursion.cu",
            (Launch("integrate", 2, 64, ("from", "to", "out", n, 1e-6)),),
            lambda rng: {
                "from": -abs(floats(rng, n)),
                "to": abs(floats(rng, n)),
                "out": np.zeros(n, np.float32),
            },
            lambda a: {"out": (np.arctan(5 * a["to"]) - np.arctan(5 * a["from"])) / 5},
            tolerance=1e-4,
        ),
    ]


def _token_counts(a: Arrays) -> Arrays:
    lines = [bytes(line).decode() for line in a["text"]]
    code = [line.split("#")[0] for line in lines]
    tokens = [re.findall("[a-z0-9]+", line) for line in code]
    return {
        "words": np.array([sum(t[0].isalpha() for t in line) for line in tokens]),
        "numbers": np.array([sum(t[0].isdigit() for t in line) for line in tokens]),
        "comments": np.array(["#" in line for line in lines], np.int32),
    }


def _tokens(lines: int = 100, length: int = 24) -> Case:
    alphabet = np.frombuffer(b"aabz0179   ,;(#", np.uint8)
    counts = ("words", "numbers", "comments")
    return Case(
        "count_tokens",
        "state_machine.cu",
        (Launch("count_tokens", blocks(lines, 64), 64, ("text", lines, length, *counts)),),
        lambda rng: {
            "text": rng.choice(alphabet, (lines, length)),
            **{name: np.zeros(lines, np.int32) for name in counts},
        },
        _token_counts,
    )


def _assertions(n: int = 100) -> Case:
    """The offsets begin with 7, so that what is printed is known."""

    def inputs(rng: np.random.Generator) -> Arrays:
        offsets = rng.permutation(n).astype(np.int32)
        offsets = np.roll(offsets, -int(np.flatnonzero(offsets == 7)[0]))
        return {"offsets": offsets, "inverse": np.zeros(n, np.int32), "fixed": _ZERO}

    return Case(
        "assertions",
        "assertions.cu",
        (
            Launch("invert", 2, 64, ("offsets", "inverse", n)),
            Launch("check_inverse", 2, 64, ("offsets", "inverse", "fixed", n)),
        ),
        inputs,
        lambda a: {
            "inverse": np.argsort(a["offsets"]),
            "fixed": np.array([np.count_nonzero(a["offsets"] == np.arange(n))]),
        },
        printed="100 offsets from 7 on: inverted\n",
    )


CASES = [
    *_particles(),
    _saxpy("float", np.float32),
    _saxpy("double", np.float64),
    _block_maxima("int", np.int32, 64),
    _block_maxima("double", np.float64, 128),
    *_recursion(),
    _tokens(),
    _assertions(),
]
