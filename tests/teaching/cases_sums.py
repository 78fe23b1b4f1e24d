"""Teaching cases that add up: reductions, prefix sums, histograms, sparse products, counts."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from tests.teaching.case import Arrays, Case, Launch, blocks, floats, ints

_TOTAL = np.zeros(1, np.int32)


def _partial_sums(kernel: str, each: int, n: int = 1000, block: int = 128) -> Case:
    """A reduction to one sum a block, each of `each` elements."""
    starts = np.arange(0, n, each)
    return Case(
        kernel,
        "reduce.cu",
        (Launch(kernel, starts.size, block, ("in", "partial", n), 4 * block),),
        lambda rng: {"in": ints(rng, n), "partial": np.zeros(starts.size, np.int32)},
        lambda a: {"partial": np.add.reduceat(a["in"], starts)},
    )


def _sum(kernel: str, file: str, grid: int, block: int = 128, n: int = 1000) -> Case:
    return Case(
        kernel,
        file,
        (Launch(kernel, grid, block, ("in", "total", n)),),
        lambda rng: {"in": ints(rng, n), "total": _TOTAL},
        lambda a: {"total": a["in"].sum(keepdims=True)},
    )


def _last_block(grid: int = 6, block: int = 64, n: int = 1000) -> Case:
    """Twice, because the counter of arrivals must be ready for the next launch."""
    launch = Launch("reduce_last_block", grid, block, ("in", "partial", "arrived", "total", n))
    return Case(
        "reduce_last_block",
        "reduce_shuffle.cu",
        (launch, launch),
        lambda rng: {
            "in": ints(rng, n),
            "partial": np.zeros(grid, np.int32),
            "arrived": np.zeros(1, np.uint32),
            "total": _TOTAL,
        },
        lambda a: {"total": a["in"].sum(keepdims=True), "arrived": a["arrived"]},
    )


def _exclusive(values: np.ndarray) -> np.ndarray:
    """The sums of all elements before each."""
    return np.cumsum(values) - values


def _block_scans() -> list[Case]:
    inclusive = Launch("scan_hillis_steele", 1, 256, ("in", "out", 200), 4 * 2 * 256)
    exclusive = Launch("scan_blelloch", 1, 128, ("in", "out", 200), 4 * 256)

    def inputs(rng: np.random.Generator) -> Arrays:
        return {"in": ints(rng, 200), "out": np.zeros(200, np.int32)}

    return [
        Case(
            "scan_hillis_steele",
            "scan.cu",
            (inclusive,),
            inputs,
            lambda a: {"out": np.cumsum(a["in"])},
        ),
        Case(
            "scan_blelloch", "scan.cu", (exclusive,), inputs, lambda a: {"out": _exclusive(a["in"])}
        ),
    ]


def _multi_block_scan(n: int = 700, block: int = 64) -> Case:
    parts = blocks(n, block)
    return Case(
        "scan in three kernels",
        "scan.cu",
        (
            Launch("scan_parts", parts, block, ("in", "out", "totals", n), 4 * block),
            Launch("scan_totals", 1, 32, ("totals", parts), 4 * 32),
            Launch("add_totals", parts, block, ("out", "totals", n)),
        ),
        lambda rng: {
            "in": ints(rng, n),
            "out": np.zeros(n, np.int32),
            "totals": np.zeros(parts, np.int32),
        },
        lambda a: {
            "out": np.cumsum(a["in"]),
            "totals": _exclusive(np.add.reduceat(a["in"], np.arange(0, n, block))),
        },
    )


def _histogram(kernel: str, n: int = 2000) -> Case:
    return Case(
        kernel,
        "histogram.cu",
        (Launch(kernel, 3, 128, ("in", "bins", n)),),
        lambda rng: {
            "in": np.minimum(rng.geometric(0.1, n), 63).astype(np.uint8),
            "bins": np.zeros(64, np.uint32),
        },
        lambda a: {"bins": np.bincount(a["in"], minlength=64)},
    )


def _kept(a: Arrays) -> Arrays:
    kept = a["in"][a["in"] > 0]
    out = np.concatenate([kept, np.zeros(a["in"].size - kept.size, np.int32)])
    return {"out": out, "total": np.array([kept.size])}


def _compact(n: int = 2500, block: int = 64) -> Case:
    parts = blocks(n, block)
    return Case(
        "compact",
        "compact.cu",
        (
            Launch("count_kept", parts, block, ("in", "starts", n)),
            Launch("scan_counts", 1, 32, ("starts", "total", parts)),
            Launch("move_kept", parts, block, ("in", "starts", "out", n)),
        ),
        lambda rng: {
            "in": ints(rng, n),
            "starts": np.zeros(parts, np.int32),
            "out": np.zeros(n, np.int32),
            "total": _TOTAL,
        },
        _kept,
    )


def _matrix(rng: np.random.Generator, rows: int, columns: int) -> scipy.sparse.csr_array:
    """Rows of 0 to 40 entries, most of them short."""
    lengths = np.minimum(rng.geometric(0.15, rows) - 1, 40)
    places = [np.sort(rng.permutation(columns)[:length]) for length in lengths]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    values = floats(rng, int(offsets[-1]))
    indices = np.concatenate(places).astype(np.int32)
    return scipy.sparse.csr_array((values, indices, offsets), shape=(rows, columns))


def _csr(rng: np.random.Generator) -> Arrays:
    matrix = _matrix(rng, 100, 60)
    return {
        "offsets": matrix.indptr,
        "columns": matrix.indices,
        "values": matrix.data,
        "x": floats(rng, 60),
        "y": np.zeros(100, np.float32),
    }


def _csr_product(a: Arrays) -> Arrays:
    matrix = scipy.sparse.csr_array((a["values"], a["columns"], a["offsets"]), shape=(100, 60))
    return {"y": matrix.astype(float) @ a["x"]}


def _ell(rng: np.random.Generator) -> Arrays:
    """The same matrices with 40 places a row, stored place by place."""
    matrix = _matrix(rng, 100, 60)
    row = np.repeat(np.arange(100), np.diff(matrix.indptr))
    place = np.arange(matrix.nnz) - matrix.indptr[row]
    columns, values = np.full((40, 100), -1, np.int32), np.zeros((40, 100), np.float32)
    columns[place, row], values[place, row] = matrix.indices, matrix.data
    x, y = floats(rng, 60), np.zeros(100, np.float32)
    return {"columns": columns, "values": values, "x": x, "y": y}


def _ell_product(a: Arrays) -> Arrays:
    return {"y": (a["values"].astype(float) * a["x"][a["columns"]]).sum(0)}


def _spmv(kernel: str, grid: int) -> Case:
    ell = kernel == "spmv_ell"
    arrays = ("columns", "values", "x", "y")
    args = (*arrays, 100, 40) if ell else ("offsets", *arrays, 100)
    return Case(
        kernel,
        "spmv.cu",
        (Launch(kernel, grid, 64, args),),
        _ell if ell else _csr,
        _ell_product if ell else _csr_product,
        tolerance=1e-5,
    )


def _filtered(a: Arrays) -> Arrays:
    found = a["in"][a["in"] % 3 == 0]
    out = np.concatenate([found, np.full(a["in"].size - found.size, -3000, np.int32)])
    return {"out": out, "count": np.array([found.size])}


def _filter(n: int = 500) -> Case:
    return Case(
        "filter_aggregated",
        "tile_groups.cu",
        (Launch("filter_aggregated", blocks(n, 128), 128, ("in", "out", "count", n)),),
        lambda rng: {
            "in": ints(rng, n),
            "out": np.full(n, -3000, np.int32),
            "count": _TOTAL,
        },
        _filtered,
        unordered=("out",),
    )


def _votes(n: int = 256) -> Case:
    return Case(
        "count_above_first",
        "tile_groups.cu",
        (Launch("count_above_first", n // 128, 128, ("in", "out")),),
        lambda rng: {"in": ints(rng, n), "out": np.zeros(n // 8, np.int32)},
        lambda a: {"out": (a["in"].reshape(-1, 8) > a["in"][::8, None]).sum(1)},
    )


def _in_circle(a: Arrays) -> Arrays:
    state, inside = a["states"].copy(), 0
    for _ in range(_SAMPLES):
        point = []
        for _ in range(2):
            state ^= state << np.uint32(13)
            state ^= state >> np.uint32(17)
            state ^= state << np.uint32(5)
            point.append(state >> np.uint32(17))
        inside += np.count_nonzero(point[0] ** 2 + point[1] ** 2 < 1 << 30)
    return {"states": state, "total": np.array([inside])}


_SAMPLES = 25


def _circle(n: int = 192) -> Case:
    return Case(
        "count_in_circle",
        "monte_carlo.cu",
        (Launch("count_in_circle", n // 64, 64, ("states", "total", _SAMPLES)),),
        lambda rng: {
            "states": rng.integers(1, 1 << 32, n, dtype=np.uint32),
            "total": np.zeros(1, np.uint64),
        },
        _in_circle,
    )


def _walked(a: Arrays) -> Arrays:
    state, place = a["seeds"].copy(), np.zeros(a["seeds"].size, np.int64)
    for _ in range(_SAMPLES):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        place += np.where((state >> np.uint64(33)) & np.uint64(1), -1, 1)
    return {"visits": np.bincount(place % 10, minlength=10)}


def _walk(n: int = 192) -> Case:
    return Case(
        "walk",
        "monte_carlo.cu",
        (Launch("walk", n // 64, 64, ("seeds", "visits", 10, _SAMPLES)),),
        lambda rng: {
            "seeds": rng.integers(0, 1 << 64, n, dtype=np.uint64),
            "visits": np.zeros(10, np.uint32),
        },
        _walked,
    )


CASES = [
    _partial_sums("reduce_divergent", 128),
    _partial_sums("reduce_strided", 128),
    _partial_sums("reduce_sequential", 128),
    _partial_sums("reduce_first_add", 256),
    _sum("reduce_shuffle", "reduce_shuffle.cu", 3),
    _last_block(),
    *_block_scans(),
    _multi_block_scan(),
    _histogram("histogram_global"),
    _histogram("histogram_shared"),
    _compact(),
    _spmv("spmv_csr_scalar", 2),
    _spmv("spmv_csr_vector", 51),
    _spmv("spmv_ell", 2),
    _sum("sum_by_tiles", "tile_groups.cu", 8),
    _filter(),
    _votes(),
    _circle(),
    _walk(),
]
