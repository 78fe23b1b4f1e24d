"""Teaching cases that sort, wait or launch: where order is the subject."""

from __future__ import annotations

import numpy as np

from tests.teaching.case import Arrays, Case, Launch, blocks, floats, ints

_ZERO = np.zeros(1, np.int32)


def _merge(a_size: int, b_size: int) -> Case:
    total = a_size + b_size
    args = ("a", a_size, "b", b_size, "out")
    return Case(
        f"merge {a_size}+{b_size}",
        "merge.cu",
        (Launch("merge", blocks(total, 8 * 32), 32, args),),
        lambda rng: {
            "a": np.sort(ints(rng, a_size, 0, 100)),
            "b": np.sort(ints(rng, b_size, 0, 100)),
            "out": np.zeros(total, np.int32),
        },
        lambda a: {"out": np.sort(np.concatenate([a["a"], a["b"]]))},
    )


def _split(a: Arrays) -> Arrays:
    """A stable sort by bit 3 within each block of 64."""
    keys = a["keys"].reshape(-1, 64)
    order = np.argsort(keys >> np.uint32(3) & np.uint32(1), axis=1, kind="stable")
    return {"out": np.take_along_axis(keys, order, 1).ravel()}


def _radix() -> list[Case]:
    def keys(rng: np.random.Generator, n: int, bits: int) -> np.ndarray:
        return rng.integers(0, 1 << bits, n, dtype=np.uint32)

    return [
        Case(
            "radix_split",
            "radix_sort.cu",
            (Launch("radix_split", 3, 64, ("keys", "out", 3), 4 * 64),),
            lambda rng: {"keys": keys(rng, 192, 32), "out": np.zeros(192, np.uint32)},
            _split,
        ),
        Case(
            "radix_sort",
            "radix_sort.cu",
            (Launch("radix_sort", 1, 128, ("keys", 100, 10), 4 * 128),),
            lambda rng: {"keys": keys(rng, 100, 10)},
            lambda a: {"keys": np.sort(a["keys"])},
        ),
    ]


def _bitonic(parts: int = 2, block: int = 128) -> Case:
    return Case(
        "bitonic_sort",
        "bitonic.cu",
        (Launch("bitonic_sort", parts, block, ("data",), 4 * block),),
        lambda rng: {"data": ints(rng, parts * block)},
        lambda a: {"data": np.sort(a["data"].reshape(parts, block), 1).ravel()},
    )


def _quicksort(name: str, n: int, high: int) -> Case:
    return Case(
        name,
        "quicksort.cu",
        (Launch("quicksort", 1, 1, ("data", n, 0)),),
        lambda rng: {"data": ints(rng, n, 0, high)},
        lambda a: {"data": np.sort(a["data"])},
        device_launches=True,
    )


def _scale_rows(rows: int = 50) -> Case:
    def inputs(rng: np.random.Generator) -> Arrays:
        offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 70, rows))]).astype(np.int32)
        values, factors = floats(rng, int(offsets[-1])), floats(rng, rows)
        return {"offsets": offsets, "values": values, "factors": factors}

    return Case(
        "scale_rows",
        "device_launch.cu",
        (Launch("scale_rows", 2, 32, ("offsets", "values", "factors", rows)),),
        inputs,
        lambda a: {"values": a["values"] * np.repeat(a["factors"], np.diff(a["offsets"]))},
        device_launches=True,
    )


def _sum_by_halves(n: int = 500) -> Case:
    return Case(
        "sum_by_halves",
        "device_launch.cu",
        (
            Launch("sum_by_halves", blocks(n, 128), 64, ("data", n)),
            # The host's next launch waits for the whole chain.
            Launch("sum_by_halves", 1, 64, ("ends", 2)),
        ),
        lambda rng: {"data": ints(rng, n), "ends": ints(rng, 2)},
        _halved,
        device_launches=True,
    )


def _halved(a: Arrays) -> Arrays:
    data, n = a["data"].copy(), a["data"].size
    while n > 1:
        half = (n + 1) // 2
        data[: n - half] += data[half:n]
        n = half
    return {"data": data, "ends": np.array([a["ends"].sum(), a["ends"][1]])}


def _produced(a: Arrays) -> Arrays:
    buffer = 3 * a["in"] + 1
    return {"buffer": buffer, "out": buffer.reshape(-1, 64)[:, ::-1].ravel()}


def _producer_consumer(pairs: int = 3) -> Case:
    n = 64 * pairs
    return Case(
        "produce_and_consume",
        "producer_consumer.cu",
        (Launch("produce_and_consume", 2 * pairs, 64, ("in", "buffer", "ready", "out")),),
        lambda rng: {
            "in": ints(rng, n),
            "buffer": np.zeros(n, np.int32),
            "ready": np.zeros(pairs, np.int32),
            "out": np.zeros(n, np.int32),
        },
        _produced,
    )


def _chained_scan(n: int = 500, block: int = 64) -> Case:
    parts = blocks(n, block)
    args = ("in", "out", "tickets", "sums", "ready", n)
    return Case(
        "chained_scan",
        "producer_consumer.cu",
        (Launch("chained_scan", parts, block, args, 4 * block),),
        lambda rng: {
            "in": ints(rng, n),
            "out": np.zeros(n, np.int32),
            "tickets": _ZERO,
            "sums": np.zeros(parts, np.int32),
            "ready": np.zeros(parts, np.int32),
        },
        lambda a: {"out": np.cumsum(a["in"])},
    )


def _locks(grid: int = 12) -> list[Case]:
    shared = ("mutex", "visits", "sum", "largest")
    return [
        Case(
            "locked_statistics",
            "spin_lock.cu",
            (Launch("locked_statistics", grid, 32, ("in", *shared)),),
            lambda rng: {"in": ints(rng, grid, 1), **dict.fromkeys(shared, _ZERO)},
            lambda a: {
                "mutex": _ZERO,
                "visits": np.array([grid]),
                "sum": a["in"].sum(keepdims=True),
                "largest": a["in"].max(keepdims=True),
            },
        ),
        Case(
            "ticket_lock",
            "spin_lock.cu",
            (Launch("ticket_lock", grid, 32, ("drawn", "serving", "visits", "order")),),
            lambda rng: {
                **dict.fromkeys(("drawn", "serving", "visits"), _ZERO),
                "order": np.full(grid, -1, np.int32),
            },
            lambda a: {
                **dict.fromkeys(("drawn", "serving", "visits"), np.array([grid])),
                "order": np.arange(grid),
            },
            unordered=("order",),
        ),
    ]


def _sweep(x: np.ndarray, load: np.ndarray) -> np.ndarray:
    """One of Jacobi's, rounded as in float."""
    around = np.pad(x, 1)
    return np.float32(0.5) * (around[:-2] + around[2:] + load)


def _swept(a: Arrays) -> Arrays:
    x = a["x"]
    for _ in range(10):
        x = _sweep(x, a["load"])
    return {"x": x}


def _settled(a: Arrays) -> Arrays:
    """Sweeps until nothing moves by more than 0.01; two arrays in turns."""
    arrays, done = [a["x"], a["next"]], 0
    moving = True
    while moving and done < 100:
        arrays[1] = _sweep(arrays[0], a["load"])
        moving = bool((abs(arrays[1] - arrays[0]) > np.float32(0.01)).any())
        arrays.reverse()
        done += 1
    names = ("x", "next") if done % 2 == 0 else ("next", "x")
    return {"sweeps_done": np.array([done]), **dict(zip(names, arrays, strict=True))}


def _jacobi(n: int = 200) -> list[Case]:
    def inputs(rng: np.random.Generator) -> Arrays:
        chain = {"x": floats(rng, n), "next": np.zeros(n, np.float32), "load": floats(rng, n) / 10}
        return {**chain, "moved": np.zeros(2, np.int32), "sweeps_done": _ZERO}

    until = ("x", "next", "load", n, 0.01, 100, "moved", "sweeps_done")
    return [
        Case(
            "jacobi",
            "jacobi.cu",
            (Launch("jacobi", 3, 64, ("x", "next", "load", n, 10)),),
            inputs,
            _swept,
            tolerance=1e-6,
            cooperative=True,
        ),
        Case(
            "jacobi_until",
            "jacobi.cu",
            (Launch("jacobi_until", 3, 64, until),),
            inputs,
            _settled,
            tolerance=1e-6,
            cooperative=True,
        ),
    ]


CASES = [
    _merge(300, 211),
    _merge(5, 400),
    *_radix(),
    _bitonic(),
    _quicksort("quicksort", 300, 1000),
    _quicksort("quicksort of few values", 100, 3),
    _scale_rows(),
    _sum_by_halves(),
    _producer_consumer(),
    _chained_scan(),
    *_locks(),
    *_jacobi(),
]
