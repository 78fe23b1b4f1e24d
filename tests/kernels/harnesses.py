"""What the kernels beside this file are launched with, and what NumPy says they compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Size = tuple[int, ...]


@dataclass
class Launch:
    """A launch of a kernel; arguments are names of arrays, or numbers."""

    kernel: str
    grid: Size
    block: Size
    arguments: Sequence[str | np.generic | int]
    shared: int = 0


@dataclass
class Harness:
    """Arrays, launches one after another, and the arrays as they are to be behind them.

    Attributes
    ----------
    constants : dict
        What `__constant__` variables are set to.
    rtol : float
        By how much floats may differ, as a part of the largest number expected; others may not.
    """

    family: str
    launches: Sequence[Launch]
    arrays: Arrays
    expected: Arrays
    constants: Arrays = field(default_factory=dict)
    rtol: float = 2e-5


@dataclass(frozen=True)
class Row:
    """An entry of the table: a name, what makes its harness, and its two sizes."""

    name: str
    make: Callable[..., Harness]
    given: tuple[Any, ...]
    small: Mapping[str, int]
    large: Mapping[str, int]

    def harness(self, size: str = "small") -> Harness:
        """Make it."""
        return self.make(self.name, *self.given, **(self.small if size == "small" else self.large))


TABLE: list[Row] = []


def table(
    *rows: str | tuple[Any, ...], small: Mapping[str, int], large: Mapping[str, int]
) -> Callable[[Callable[..., Harness]], Callable[..., Harness]]:
    """Enter a row for each name, or name and arguments, whose harness the function makes."""

    def entered(make: Callable[..., Harness]) -> Callable[..., Harness]:
        for row in rows:
            name, *given = (row,) if isinstance(row, str) else row
            TABLE.append(Row(name, make, tuple(given), small, large))
        return make

    return entered


def text_of(family: str) -> str:
    """Return the source text of a family of kernels."""
    return Path(__file__).with_name(f"{family}.cu").read_text("utf-8")


def normal(*shape: int, seed: int = 1) -> NDArray[np.float32]:
    """Return normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def integers(high: int, *shape: int, of: str = "int32", seed: int = 2) -> NDArray[Any]:
    """Return numbers below `high`."""
    return np.random.default_rng(seed).integers(0, high, shape).astype(of)


def blocks(count: int, size: int) -> int:
    """Return how many blocks have so many threads."""
    return -(-count // size)


def softmax(x: NDArray[Any]) -> NDArray[Any]:
    """Return the softmax of each row."""
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


# Linear algebra.


@table(
    ("gemm_naive", 16, (16, 16), 1),
    ("gemm_coalesced", 16, (16, 16), 0),
    ("gemm_tiles", 16, (16, 16), 0),
    ("gemm_padded", 16, (16, 16), 0),
    ("gemm_column_of_registers", 32, (256,), 0),
    ("gemm_square_of_registers", 32, (64,), 0),
    ("gemm_float4", 32, (64,), 0),
    ("gemm_double_buffered", 32, (64,), 0),
    ("gemm_warp_tiles", 32, (64,), 0),
    ("gemm_half", 16, (16, 16), 0),
    small={"m": 32, "n": 64, "k": 64},
    large={"m": 160, "n": 192, "k": 128},
)
def gemm(name: str, tile: int, block: Size, turned: int, m: int, n: int, k: int) -> Harness:
    """Make a product of matrices; `turned` grids go down the rows first."""
    of = "float16" if name == "gemm_half" else "float32"
    a, b = normal(m, k).astype(of), normal(k, n, seed=2).astype(of)
    grid = (m // tile, n // tile) if turned else (n // tile, m // tile)
    arrays = {"A": a, "B": b, "C": np.zeros((m, n), "float32")}
    launch = Launch(name, grid, block, ["A", "B", "C", m, n, k])
    return Harness("gemm", [launch], arrays, {"C": a.astype("f8") @ b.astype("f8")})


@table("gemm_coalesced", small={"m": 21, "n": 35, "k": 19}, large={"m": 99, "n": 101, "k": 103})
def ragged(name: str, m: int, n: int, k: int) -> Harness:
    """Make a product whose sizes are multiples of nothing."""
    a, b = normal(m, k), normal(k, n, seed=2)
    arrays = {"A": a, "B": b, "C": np.zeros((m, n), "float32")}
    grid, kernels = (blocks(n, 16), blocks(m, 16)), (name, "gemm_tiles", "gemm_padded")
    launches = [Launch(kernel, grid, (16, 16), ["A", "B", "C", m, n, k]) for kernel in kernels]
    return Harness("gemm", launches, arrays, {"C": a.astype("f8") @ b})


@table(
    ("wmma_global", 128),
    ("wmma_shared", 128),
    small={"m": 64, "n": 128, "k": 48},
    large={"m": 192, "n": 256, "k": 128},
)
def tensor_cores(name: str, threads: int, m: int, n: int, k: int) -> Harness:
    """Make a product of halves, of which each warp has some tiles."""
    a, b = normal(m, k).astype("float16"), normal(k, n, seed=2).astype("float16")
    arrays = {"A": a, "B": b, "C": np.zeros((m, n), "float32")}
    grid = (m * n // 256 // 4,) if name == "wmma_global" else (n // 64, m // 64)
    launch = Launch(name, grid, (threads,), ["A", "B", "C", m, n, k])
    return Harness("tensor_cores", [launch], arrays, {"C": a.astype("f8") @ b.astype("f8")})


@table("wmma_tf32", small={"m": 32, "n": 48, "k": 24}, large={"m": 128, "n": 96, "k": 160})
def tensor_cores_of_floats(name: str, m: int, n: int, k: int) -> Harness:
    """Make a product of floats, which is added to a part of what was there."""
    a, b, c = normal(m, k), normal(n, k, seed=2), normal(m, n, seed=3)
    scales = np.float32(0.5), np.float32(-2)
    launch = Launch(name, (n // 16, m // 16), (32,), ["A", "B", "C", m, n, k, *scales])
    expected = 0.5 * (a.astype("f8") @ b.astype("f8").T) - 2 * c.astype("f8")
    arrays = {"A": a, "B": b, "C": c}
    return Harness("tensor_cores", [launch], arrays, {"C": expected}, rtol=1e-3)


@table("wmma_bytes", small={"m": 16, "n": 64, "k": 48}, large={"m": 64, "n": 128, "k": 160})
def tensor_cores_of_bytes(name: str, m: int, n: int, k: int) -> Harness:
    """Make a product of bytes."""
    a, b = (integers(256, *size, of="uint8").view("int8") for size in ((m, k), (k, n)))
    arrays = {"A": a, "B": b, "C": np.zeros((m, n), "int32")}
    launch = Launch(name, (n // 32, m // 8), (32,), ["A", "B", "C", m, n, k])
    return Harness("tensor_cores", [launch], arrays, {"C": a.astype("i4") @ b.astype("i4")})


@table(
    ("spmv_scalar", 1),
    ("spmv_vector", 32),
    small={"rows": 70, "columns": 90},
    large={"rows": 1000, "columns": 2000},
)
def spmv(name: str, lanes: int, rows: int, columns: int) -> Harness:
    """Make a sparse matrix by rows, some of which are empty and one full."""
    dense = sparse(rows, columns)
    starts = np.append(0, np.cumsum((dense != 0).sum(1))).astype("int32")
    arrays = {
        "starts": starts,
        "columns": np.nonzero(dense)[1].astype("int32"),
        "values": dense[dense != 0],
        "x": normal(columns, seed=3),
        "y": np.zeros(rows, "float32"),
    }
    launch = Launch(name, (blocks(rows * lanes, 64),), (64,), [*arrays, rows])
    return Harness("spmv", [launch], arrays, {"y": dense.astype("f8") @ arrays["x"]})


@table("spmv_table", small={"rows": 70, "columns": 90}, large={"rows": 1000, "columns": 2000})
def spmv_table(name: str, rows: int, columns: int) -> Harness:
    """Make the same as a table of rows of one width."""
    dense = sparse(rows, columns)
    width = int((dense != 0).sum(1).max())
    places, values = np.full((width, rows), -1, "int32"), np.zeros((width, rows), "float32")
    for row in range(rows):
        found = np.nonzero(dense[row])[0]
        places[: len(found), row], values[: len(found), row] = found, dense[row, found]
    arrays = {"columns": places, "values": values}
    arrays |= {"x": normal(columns, seed=3), "y": np.zeros(rows, "float32")}
    arguments = ["columns", "values", width, "x", "y", rows]
    launch = Launch(name, (blocks(rows, 64),), (64,), arguments)
    return Harness("spmv", [launch], arrays, {"y": dense.astype("f8") @ arrays["x"]})


def sparse(rows: int, columns: int) -> NDArray[np.float32]:
    """Return a matrix of few entries, as a dense one."""
    kept = np.random.default_rng(5).random((rows, columns)) < 0.1
    kept[rows // 2], kept[::7] = True, False
    return normal(rows, columns) * kept


@table(
    ("transpose_plain",),
    ("transpose_tiles",),
    ("transpose_padded",),
    ("transpose_swizzled",),
    small={"rows": 40, "columns": 70},
    large={"rows": 300, "columns": 500},
)
def transpose(name: str, rows: int, columns: int) -> Harness:
    """Make a matrix whose sizes are no multiples of a tile."""
    x = normal(rows, columns)
    arrays = {"x": x, "y": np.zeros((columns, rows), "float32")}
    launch = Launch(
        name, (blocks(columns, 32), blocks(rows, 32)), (32, 8), ["x", "y", rows, columns]
    )
    return Harness("transpose", [launch], arrays, {"y": x.T})


# Neural networks.


@table(
    ("softmax_rows", 1, 32),
    ("softmax_blocks", 64, 64),
    ("softmax_online", 32, 64),
    small={"rows": 6, "columns": 100},
    large={"rows": 70, "columns": 1000},
)
def softmax_of(name: str, lanes: int, block: int, rows: int, columns: int) -> Harness:
    """Make rows with large numbers, whose exponentials alone would overflow."""
    x = normal(rows, columns) * 30
    arrays = {"x": x, "y": np.zeros((rows, columns), "float32")}
    grid = (blocks(rows * lanes, block),)
    launch = Launch(name, grid, (block,), ["x", "y", rows, columns], 4 * block)
    return Harness("softmax", [launch], arrays, {"y": softmax(x.astype("f8"))})


@table(
    ("layer_norm_rows", 1, 32),
    ("layer_norm_warps", 32, 64),
    ("layer_norm_once", 64, 64),
    small={"rows": 6, "columns": 100},
    large={"rows": 100, "columns": 256},
)
def layer_norm(name: str, lanes: int, block: int, rows: int, columns: int) -> Harness:
    """Make rows whose mean is large against their variance."""
    x = 50 + normal(rows, columns)
    weight, bias = normal(columns, seed=2), normal(columns, seed=3)
    arrays = {"x": x, "weight": weight, "bias": bias, "y": np.zeros((rows, columns), "float32")}
    launch = Launch(name, (blocks(rows * lanes, block),), (block,), [*arrays, rows, columns])
    wide = x.astype("f8")
    variance = wide.var(-1, keepdims=True)
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(variance + 1e-5) * weight + bias
    return Harness("layer_norm", [launch], arrays, {"y": expected}, rtol=1e-4)


@table(
    ("attention_naive",),
    ("attention_online",),
    small={"heads": 2, "length": 28},
    large={"heads": 3, "length": 100},
)
def attention(name: str, heads: int, length: int) -> Harness:
    """Make heads whose positions see what is before them."""
    q, k, v = (normal(heads, length, 16, seed=seed) for seed in (1, 2, 3))
    seen = np.tril(np.ones((length, length), bool))
    scores = np.where(seen, q.astype("f8") @ k.transpose(0, 2, 1) / 4, -np.inf)
    arrays = {"Q": q, "K": k, "V": v, "out": np.zeros_like(q)}
    grid, block = (
        ((length, heads), 128) if name.endswith("naive") else ((blocks(length, 32), heads), 32)
    )
    launch = Launch(name, grid, (block,), [*arrays, length], 4 * block)
    return Harness("attention", [launch], arrays, {"out": softmax(scores) @ v})


@table(("convolve_line",), ("convolve_tiles",), small={"n": 200}, large={"n": 10000})
def convolution(name: str, n: int) -> Harness:
    """Make a line and a filter of seven numbers."""
    x, weights = normal(n), normal(7, seed=2)
    arrays = {"x": x, "y": np.zeros(n, "float32")}
    launch = Launch(name, (blocks(n, 64),), (64,), ["x", "y", n], 4 * (64 + 6))
    expected = np.convolve(x.astype("f8"), weights[::-1], "same")
    return Harness("convolution", [launch], arrays, {"y": expected}, {"weights": weights})


@table("convolve_channels", small={"rows": 9, "columns": 10}, large={"rows": 30, "columns": 40})
def channels(name: str, rows: int, columns: int) -> Harness:
    """Make two images of three channels, and four filters."""
    x, filters = normal(2, 3, rows, columns), normal(4, 3, 3, 3, seed=2)
    padded = np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    arrays = {"x": x, "filters": filters, "y": np.zeros((2, 4, rows, columns), "float32")}
    grid = (blocks(columns, 8), blocks(rows, 8), 8)
    launch = Launch(name, grid, (8, 8), [*arrays, 3, rows, columns, 4, 3])
    expected = np.einsum("bcxyij,ocij->boxy", windows, filters)
    return Harness("convolution", [launch], arrays, {"y": expected})


# Scans, reductions, sorting.


@table(
    ("reduce_diverging", 64, 1),
    ("reduce_strided", 64, 1),
    ("reduce_sequential", 64, 1),
    ("reduce_first_add", 64, 2),
    ("reduce_last_warp", 64, 2),
    ("reduce_unrolled", 128, 2),
    ("reduce_shuffles", 64, 4),
    small={"n": 500},
    large={"n": 20000},
)
def reduction(name: str, block: int, each: int, n: int) -> Harness:
    """Make numbers; the partial sums are checked, and where there is one sum, that."""
    x, size = integers(1000, n), block * each
    count = blocks(n, size)
    arrays = {"x": x, "sums": np.zeros(count, "int32")}
    launch = Launch(name, (count,), (block,), ["x", "sums", n], 4 * block)
    parts = np.pad(x, (0, count * size - n)).reshape(count, size).sum(1)
    if name == "reduce_shuffles":
        parts = np.where(np.arange(count) == 0, x.sum(), 0)
    return Harness("reduction", [launch], arrays, {"sums": parts})


@table(
    ("scan_hillis_steele", 1, 2),
    ("scan_blelloch", 2, 2),
    ("scan_shuffles", 1, 1),
    small={"threads": 64},
    large={"threads": 1024},
)
def scan(name: str, each: int, words: int, threads: int) -> Harness:
    """Make numbers for one block, a few less than it takes."""
    n = threads * each - 3
    x = integers(1000, n) - 500
    arrays = {"x": x, "y": np.zeros(n, "int32")}
    launch = Launch(name, (1,), (threads,), ["x", "y", n], 4 * threads * words)
    sums = np.cumsum(x)
    expected = sums - x if name == "scan_blelloch" else sums
    return Harness("scan", [launch], arrays, {"y": expected})


@table("scan_look_back", small={"n": 500}, large={"n": 20000})
def look_back(name: str, n: int) -> Harness:
    """Make numbers for many blocks."""
    x, count = integers(1000, n) - 500, blocks(n, 64)
    arrays = {"x": x, "y": np.zeros(n, "int32"), "ticket": np.zeros(1, "uint32")}
    arrays["states"] = np.zeros(count, "uint64")
    launch = Launch(name, (count,), (64,), ["x", "y", n, "ticket", "states"])
    return Harness("scan", [launch], arrays, {"y": np.cumsum(x)})


@table(
    ("histogram_global",),
    ("histogram_shared",),
    ("histogram_aggregated",),
    small={"n": 700},
    large={"n": 50000},
)
def histogram(name: str, n: int) -> Harness:
    """Make values of which small ones are frequent."""
    x = np.minimum(integers(64, n), integers(64, n, seed=3)).astype("uint8")
    arrays = {"x": x, "bins": np.zeros(64, "int32")}
    launch = Launch(name, (3,), (64,), ["x", n, "bins"])
    return Harness("histogram", [launch], arrays, {"bins": np.bincount(x, minlength=64)})


@table("sort_bitonic_block", small={"n": 128}, large={"n": 2048})
def bitonic_block(name: str, n: int) -> Harness:
    """Make as many keys as a block has places for."""
    keys = integers(2**32, n, of="uint32")
    launch = Launch(name, (1,), (n // 2,), ["keys"], 4 * n)
    return Harness("sort", [launch], {"keys": keys}, {"keys": np.sort(keys)})


@table("sort_bitonic_stage", small={"n": 128}, large={"n": 4096})
def bitonic_stages(name: str, n: int) -> Harness:
    """Make a launch for each stage of the network."""
    keys = integers(2**32, n, of="uint32")
    sizes = [2**e for e in range(1, n.bit_length())]
    stages = [(size, 2**e) for size in sizes for e in reversed(range(size.bit_length() - 1))]
    launches = [Launch(name, (n // 64,), (64,), ["keys", *stage]) for stage in stages]
    return Harness("sort", launches, {"keys": keys}, {"keys": np.sort(keys)})


@table("sort_radix_block", small={"n": 128}, large={"n": 1024})
def radix_block(name: str, n: int) -> Harness:
    """Make keys of ten bits."""
    keys = integers(2**10, n, of="uint32")
    launch = Launch(name, (1,), (n,), ["keys", 10], 4 * n)
    return Harness("sort", [launch], {"keys": keys}, {"keys": np.sort(keys)})


@table("sort_radix", small={"n": 300}, large={"n": 5000})
def radix(name: str, n: int) -> Harness:
    """Make keys of twelve bits and three passes between two arrays."""
    keys, count = integers(2**12, n, of="uint32"), blocks(n, 64)
    arrays = {"keys": keys, "other": np.zeros_like(keys), "counts": np.zeros(16 * count, "int32")}
    launches = []
    for shift, (old, new) in zip(
        (0, 4, 8), [("keys", "other"), ("other", "keys")] * 2, strict=False
    ):
        launches += [
            Launch(f"{name}_count", (count,), (64,), [old, n, shift, "counts"]),
            Launch(f"{name}_offsets", (1,), (32,), ["counts", 16 * count]),
            Launch(f"{name}_scatter", (count,), (64,), [old, n, shift, "counts", new], 256),
        ]
    return Harness("sort", launches, arrays, {"other": np.sort(keys)})


# Simulations and statistics.


@table(
    ("stencil_plane",),
    ("stencil_halo",),
    small={"rows": 20, "columns": 37},
    large={"rows": 200, "columns": 150},
)
def plane(name: str, rows: int, columns: int) -> Harness:
    """Make a plane, and two steps there and back."""
    x = normal(rows, columns)
    grid = (blocks(columns, 16), blocks(rows, 16))
    steps = [("x", "y"), ("y", "x")]
    launches = [Launch(name, grid, (16, 16), [*step, rows, columns]) for step in steps]
    expected = smoothed(smoothed(x.astype("f8")))
    return Harness("stencil", launches, {"x": x, "y": np.zeros_like(x)}, {"x": expected})


def smoothed(x: NDArray[Any]) -> NDArray[Any]:
    """Return a step of a plane."""
    y = x.copy()
    around = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]
    y[1:-1, 1:-1] = x[1:-1, 1:-1] / 2 + around / 8
    return y


@table("stencil_space", small={"depth": 5, "side": 20}, large={"depth": 20, "side": 50})
def space(name: str, depth: int, side: int) -> Harness:
    """Make a cuboid."""
    x = normal(depth, side, side + 1)
    expected = x.astype("f8")
    around = sum(np.roll(x, step, axis)[1:-1, 1:-1, 1:-1] for step in (-1, 1) for axis in range(3))
    expected[1:-1, 1:-1, 1:-1] = 0.4 * x[1:-1, 1:-1, 1:-1] + 0.1 * around
    grid = (blocks(side + 1, 16), blocks(side, 16))
    launch = Launch(name, grid, (16, 16), ["x", "y", depth, side, side + 1])
    return Harness("stencil", [launch], {"x": x, "y": np.zeros_like(x)}, {"y": expected})


@table(("nbody_plain",), ("nbody_tiles",), small={"n": 70}, large={"n": 400})
def nbody(name: str, n: int) -> Harness:
    """Make bodies with masses."""
    bodies = normal(n, 4)
    bodies[:, 3] = np.abs(bodies[:, 3])
    apart = bodies[None, :, :3].astype("f8") - bodies[:, None, :3]
    distances = ((apart**2).sum(-1) + 0.01) ** 1.5
    expected = np.zeros((n, 4))
    expected[:, :3] = (apart * (bodies[:, 3] / distances)[..., None]).sum(1)
    arrays = {"bodies": bodies, "accelerations": np.zeros((n, 4), "float32")}
    launch = Launch(name, (blocks(n, 32),), (32,), [*arrays, n], 16 * 32)
    return Harness("nbody", [launch], arrays, {"accelerations": expected}, rtol=1e-4)


@table("k_means", small={"n": 200, "k": 5}, large={"n": 5000, "k": 9})
def k_means(name: str, n: int, k: int) -> Harness:
    """Make points around some centres."""
    centres = normal(k, 2, seed=2) * 3
    points = centres[integers(k, n)] + normal(n, 2)
    nearest = ((points[:, None] - centres) ** 2).sum(-1).argmin(1)
    sums = np.stack([np.bincount(nearest, points[:, i], k) for i in (0, 1)], 1)
    arrays = {"points": points, "centres": centres, "nearest": np.zeros(n, "int32")}
    arrays |= {"sums": np.zeros((k, 2), "float32"), "counts": np.zeros(k, "int32")}
    launches = [
        Launch(
            "k_means_assign", (blocks(n, 64),), (64,), ["points", n, "centres", k, "nearest"], 8 * k
        ),
        Launch("k_means_sum", (2,), (64,), ["points", n, "nearest", k, "sums", "counts"], 12 * k),
    ]
    expected = {"nearest": nearest, "sums": sums, "counts": np.bincount(nearest, minlength=k)}
    return Harness("k_means", launches, arrays, expected)


@table("monte_carlo_xorwow", small={"n": 40, "count": 6}, large={"n": 1000, "count": 50})
def xorwow(name: str, n: int, count: int) -> Harness:
    """Make a seed for each thread, and two launches that go on with the states."""
    arrays = {"states": np.zeros(48 * n, "uint8"), "found": np.zeros(n, "int32")}
    grid = (blocks(n, 32),)
    again = Launch(name, grid, (32,), ["states", n, count, "found"])
    seeding = Launch("monte_carlo_seed", grid, (32,), ["states", n, np.uint64(2**33 + 7)])
    numbers = xorwow_numbers(2**33 + 7 + np.arange(n, dtype="u8"), 4 * count)
    return Harness("monte_carlo", [seeding, again, again], arrays, {"found": hits(numbers)})


@table("monte_carlo_philox", small={"n": 40, "count": 10}, large={"n": 1000, "count": 100})
def philox(name: str, n: int, count: int) -> Harness:
    """Make a subsequence for each thread."""
    seed = 2**35 + 11
    arrays = {"found": np.zeros(n, "int32")}
    launch = Launch(name, (blocks(n, 32),), (32,), [n, count, np.uint64(seed), "found"])
    numbers = philox_numbers(seed, n, 2 * count)
    return Harness("monte_carlo", [launch], arrays, {"found": hits(numbers)})


def hits(numbers: NDArray[np.uint32]) -> NDArray[Any]:
    """Return how many pairs of each row are points in a quarter of a circle."""
    scale = np.float32(2**-32)
    places = numbers.astype("float32") * scale + scale / np.float32(2)
    return (places[:, ::2] ** 2 + places[:, 1::2] ** 2 <= 1).sum(1)


def xorwow_numbers(seeds: NDArray[np.uint64], count: int) -> NDArray[np.uint32]:
    """Return the first numbers of Marsaglia's generator for seeds as cuRAND scrambles them."""
    low = (seeds.astype("u4") ^ np.uint32(0xAAD26B49)) * np.uint32(1099087573)
    high = ((seeds >> np.uint64(32)).astype("u4") ^ np.uint32(0xF7DCEFDD)) * np.uint32(2591861531)
    weyl = np.uint32(6615241) + high + low
    x = [np.uint32(123456789) + low, np.uint32(362436069) ^ low, np.uint32(521288629) + high]
    x += [np.uint32(88675123) ^ high, np.uint32(5783321) + low]
    found = []
    for _ in range(count):
        t, last = x[0] ^ (x[0] >> np.uint32(2)), x[4]
        x = [*x[1:], (last ^ (last << np.uint32(4))) ^ (t ^ (t << np.uint32(1)))]
        weyl = weyl + np.uint32(362437)
        found.append(x[4] + weyl)
    return np.stack(found, 1)


def philox_numbers(seed: int, n: int, count: int) -> NDArray[np.uint32]:
    """Return the first numbers of Philox 4x32-10 of `n` subsequences."""
    counter, subsequence = np.meshgrid(np.arange(blocks(count, 4)), np.arange(n))
    none = np.zeros_like(counter)
    c = [part.astype("u8") for part in (counter, none, subsequence, none)]
    mask, key = np.uint64(0xFFFFFFFF), (seed & 0xFFFFFFFF, seed >> 32)
    for number in range(10):
        k0, k1 = (
            (k + number * w) & 0xFFFFFFFF
            for k, w in zip(key, (0x9E3779B9, 0xBB67AE85), strict=True)
        )
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high = [product >> np.uint64(32) for product in (left, right)]
        c = [
            high[1] ^ c[1] ^ np.uint64(k0),
            right & mask,
            high[0] ^ c[3] ^ np.uint64(k1),
            left & mask,
        ]
    return np.stack(c, -1).reshape(n, -1)[:, :count].astype("u4")


# What threads of libcu++ meet by.


@table("smooth_rows", small={"rows": 11, "grid": 3}, large={"rows": 200, "grid": 16})
def smoothed_rows(name: str, rows: int, grid: int) -> Harness:
    x = normal(rows, 128)
    expected = (np.roll(x, 1, 1) + x + np.roll(x, -1, 1)) / np.float32(3)
    launch = Launch(name, (grid,), (128,), ("x", "out", rows))
    return Harness("synchronisation", [launch], {"x": x, "out": 0 * x}, {"out": expected})


@table("split_gemv", small={"rows": 64, "columns": 128}, large={"rows": 512, "columns": 512})
def gemv(name: str, rows: int, columns: int) -> Harness:
    matrix, x = normal(rows, columns), normal(columns, seed=3)
    launch = Launch(name, (rows // 32,), (64,), ("matrix", "x", "out", columns))
    arrays = {"matrix": matrix, "x": x, "out": np.zeros(rows, "float32")}
    return Harness("synchronisation", [launch], arrays, {"out": matrix @ x})


@table("ticket_insert", small={"n": 12}, large={"n": 100})
def tickets(name: str, n: int) -> Harness:
    numbers, nothing = integers(1000, n), np.zeros(n, "int32")
    arrays = {"lock": np.zeros(2, "uint32"), "in": numbers, "list": nothing, "length": nothing[:1]}
    expected = {"list": np.sort(numbers), "length": np.array([n], "int32")}
    launch = Launch(name, (n,), (32,), ("lock", "in", "list", "length"))
    return Harness("synchronisation", [launch], arrays, expected)


@table("last_block_sum", small={"n": 1000, "grid": 5}, large={"n": 50_000, "grid": 40})
def last_block(name: str, n: int, grid: int) -> Harness:
    numbers, one = integers(1000, n), np.zeros(1, "int32")
    arrays = {"in": numbers, "sums": np.zeros(grid, "int32"), "done": one.view("u4"), "out": one}
    launch = Launch(name, (grid,), (64,), ("in", "sums", "done", "out", n))
    expected = {"out": numbers.sum(keepdims=True).astype("int32")}
    return Harness("synchronisation", [launch], arrays, expected)
