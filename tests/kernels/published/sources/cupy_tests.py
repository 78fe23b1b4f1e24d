"""cupy/cupy: raw kernels of its tests, examples and sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.published.arrays import integers, normal, nothing
from tests.kernels.published.case import Run, Source, Texture, once

SOURCE = Source("cupy")
RAW = "tests/cupy_tests/core_tests/test_raw.py"
N = 100


def of_two(function: Any, of: str = "f4", **more: Any) -> Run:
    """Return a run of a kernel of two arrays, a result and their length."""
    a, b = normal(N).astype(of), normal(N, seed=2).astype(of)
    values = {"a": a, "b": b, "y": nothing(N, of=of), "n": np.uint32(N)}
    return once(2, 64, values, {"y": function(a, b)}, **more)


def divided(a: Any, b: Any) -> Any:
    return a / (b + 1.0)


@SOURCE.runs(RAW, ("test_sum", np.add), ("test_sum@1", np.add), ("test_multiply", np.multiply))
@SOURCE.runs(RAW, ("test_sum@2", np.add, "f8"), ("test_multiply@1", np.multiply, "f8"))
@SOURCE.runs(
    RAW,
    ("test_sum@2", np.add, "f4"),
    ("test_multiply@1", np.multiply, "f4"),
    defines=["PRECISION=1"],
)
@SOURCE.runs(RAW, ("test_op", np.subtract), defines=["OP=-"])
@SOURCE.runs(RAW, ("test_div", divided))
def binary(function: Any, of: str = "f4") -> Run:
    return of_two(function, of)


@SOURCE.runs(RAW, "test_grid_sync")
def grid_sync() -> Run:
    run = of_two(np.add)
    run.cooperative = True
    return run


@SOURCE.runs(RAW, "test_kernel")
def dynamic() -> Run:
    values = {"x": np.zeros(128, "f4"), "n": 128, "inner": 32}
    return once(1, 4, values, {"x": np.ones(128)})


@SOURCE.runs(RAW, "test_kernel_inner")
def ones() -> Run:
    return once(2, 64, {"x": np.zeros(N, "f4"), "n": N}, {"x": np.ones(N)})


# Complex numbers.


def numbers(of: str, seed: int = 1) -> Any:
    return (normal(N, seed=seed) + 1j * normal(N, seed=seed + 9)).astype(of)


def complex_run(of: str, function: Any, count: int, out: str | None = None) -> Run:
    arrays = [numbers(of, seed) for seed in range(count)]
    found = function(*arrays)
    values: dict[str, Any] = {f"x{i}": x for i, x in enumerate(arrays)}
    out_array = np.zeros(N, out or of)
    return once(2, 64, {**values, "out": out_array}, {"out": found}, rtol=1e-6)


def fused(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


_SAME = [("add", np.add, 2), ("sub", np.subtract, 2), ("mul", np.multiply, 2)]
_SAME += [("div", np.divide, 2), ("conj", np.conj, 1), ("fma", fused, 3)]


@SOURCE.runs(
    RAW,
    *(
        (f"test_{name}{'@1' if name == 'div' else ''}", "c16", function, n)
        for name, function, n in _SAME
    ),
    *((f"test_{name}f", "c8", function, n) for name, function, n in _SAME),
    ("test_abs", "c16", np.abs, 1, "f8"),
    ("test_absf", "c8", np.abs, 1, "f4"),
    ("test_downcast", "c16", np.positive, 1, "c8"),
    ("test_upcast", "c8", np.positive, 1, "c16"),
)
def complexes(of: str, function: Any, count: int, out: str | None = None) -> Run:
    return complex_run(of, function, count, out)


@SOURCE.runs(RAW, ("test_make", "c16"), ("test_makef", "c8"))
def made(of: str) -> Run:
    return once(2, 64, {"x": np.zeros(N, of)}, {"x": np.full(N, 1.8 - 3j * 2.9, of)}, rtol=1e-6)


@SOURCE.runs(RAW, ("test_add_scalar", "c16"))
def shifted(of: str) -> Run:
    x = numbers(of)
    values = {"x": x, "by": np.dtype(of).type(2 - 3j), "out": np.zeros(N, of)}
    return once(2, 64, values, {"out": x + (2 - 3j)})


# Constants, templates, structures.


@SOURCE.runs(RAW, "multiply_by_const")
def by_constant() -> Run:
    x, by = normal(N), normal(N, seed=2)
    return once(2, 64, {"x": x, "n": N}, {"x": x * by}, constants={"some_array": by})


@SOURCE.runs(
    RAW,
    ("my_sqrt<float>", "f4"),
    ("my_sqrt<int>", "i4"),
    ("my_sqrt<double>", "f8"),
    ("my_func", "f8"),
)
def squared(of: str) -> Run:
    x = integers(20, N).astype(of)
    return once(2, 64, {"x": x, "n": N}, {"x": x * x})


@SOURCE.runs(RAW, ("shift<int>", "i4"), ("shift<long long>", "i8"))
def moved(of: str) -> Run:
    x = integers(20, N).astype(of)
    return once(2, 64, {"x": x, "n": N}, {"x": x + 100})


FUNCTIONS = "tests/cupy_tests/core_tests/test_function.py"
DOUBLE3 = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8")])
DOUBLE5 = np.dtype([("value", "f8", (5,))])


@SOURCE.runs(
    FUNCTIONS,
    ("test_kernel", 0),
    ("test_kernel@1", 0),
    ("test_kernel@2", 3),
    ("test_kernel@3", 5),
)
def plus(count: int) -> Run:
    a, b = normal(24).astype("f8"), np.arange(max(count, 1)) + 0.5
    given = {0: np.float64(0.5), 3: b.view(DOUBLE3)[0] if count == 3 else None}
    value = given.get(count, b.view(DOUBLE5)[0] if count == 5 else None)
    return once(1, 24, {"a": a, "b": value, "x": nothing(24, of="f8")}, {"x": a + b.sum()})


@SOURCE.runs("examples/custom_struct/builtin_vectors.py", "sum_kernel")
def vectors() -> Run:
    x, by = normal(8, 3).astype("f8"), np.array([1.0, 2.0, 3.0])
    values = {"lhs": x, "rhs": by.view(DOUBLE3)[0], "out": nothing(8, 3, of="f8")}
    return once(1, 8, values, {"out": x + by})


@SOURCE.runs(
    "examples/custom_struct/packed_matrix.py", ("kernel<float>", "f4"), ("kernel<double>", "f8")
)
def matrices(of: str) -> Run:
    a, b, c = (normal(8, 4, 4, seed=seed).astype(of) for seed in (1, 2, 3))
    matrix = np.dtype([("value", of, (4, 4))])
    values = {"A": a, "B": b, "C": c[0].reshape(-1).view(matrix)[0], "out": nothing(8, 4, 4, of=of)}
    return once(1, 8, values, {"out": a @ b + c[0]})


_SGEMM = {"DIM_X": 16, "DIM_Y": 16, "BLK_M": 64, "BLK_N": 64, "BLK_K": 4, "DIM_XA": 64}
_SGEMM |= {"DIM_YA": 4, "DIM_XB": 4, "DIM_YB": 64, "THR_N": 4, "THR_M": 4}


@SOURCE.runs(
    "examples/gemm/sgemm.cu",
    "sgemm",
    defines=[f"{name}={value}" for name, value in _SGEMM.items()],
)
def sgemm() -> Run:
    m, n, k = 100, 70, 30
    a, b = normal(k, m), normal(n, k, seed=2)  # by columns
    values = {"M": m, "N": n, "K": k, "A": a, "B": b, "C": nothing(n, m)}
    return once((2, 2), (16, 16), values, {"C": (a.T.astype("f8") @ b.T).T})


FILTERS = "tests/cupyx_tests/scipy_tests/ndimage_tests/test_filters.py"


@SOURCE.runs(FILTERS, ("rms", True), ("lt", False))
def of_window(squares: bool) -> Run:
    x = normal(9).astype("f8")
    found = (x**2).mean() if squares else float((x < x[4]).sum())
    return once(1, 1, {"x": x, "n": 9, "y": np.zeros(1)}, {"y": np.array([found])})


@SOURCE.runs(FILTERS, "shift")
def window_shifted() -> Run:
    x = normal(9).astype("f8")
    values = {"in": x, "n": np.int64(9), "out": nothing(6, of="f8"), "m": np.int64(6)}
    return once(1, 1, values, {"out": x[:6]})


# Textures and surfaces.

TEXTURES = "tests/cupy_tests/cuda_tests/test_texture.py"


@SOURCE.runs(TEXTURES, ("copyKernel1Dfetch", True), ("copyKernel1D", False))
def texture_line(memory: bool) -> Run:
    x = normal(50)
    values = {"out": nothing(50), "tex": Texture(x, memory=memory), "width": 50}
    return once(1, 64, values, {"out": x})


@SOURCE.runs(TEXTURES, "copyKernel2D")
def texture_plane() -> Run:
    x = normal(20, 30)
    values = {"out": nothing(20, 30), "tex": Texture(x), "width": 30, "height": 20}
    return once((2, 2), (16, 16), values, {"out": x})


@SOURCE.runs(TEXTURES, "copyKernel3D")
def texture_space() -> Run:
    x = normal(5, 6, 7)
    values = {"out": nothing(5, 6, 7), "tex": Texture(x), "width": 7, "height": 6, "depth": 5}
    return once((2, 2, 2), (4, 4, 4), values, {"out": x})


@SOURCE.runs(TEXTURES, "copyKernel3D_4ch")
def texture_channels() -> Run:
    x = normal(5, 6, 7, 4)
    parts = {name: np.ascontiguousarray(x[..., i]) for i, name in enumerate("xyzw")}
    values: dict[str, Any] = {name: nothing(5, 6, 7) for name in parts}
    values |= {"tex": Texture(x, channels=4), "width": 7, "height": 6, "depth": 5}
    return once((2, 2, 2), (4, 4, 4), values, parts)


@SOURCE.runs(
    TEXTURES,
    ("writeKernel1D", (10,), 1, 32),
    ("writeKernel2D", (6, 10), (1, 1), (16, 16)),
    ("writeKernel3D", (3, 6, 10), (2, 1, 1), (8, 8, 4)),
)
def surfaces(shape: tuple[int, ...], grid: Any, block: Any) -> Run:
    x = np.zeros(shape, "f4")
    found = 3 * np.arange(x.size).reshape(shape)
    values: dict[str, Any] = {"surface": Texture(x, surface=True)}
    values |= {f"n{i}": n for i, n in enumerate(reversed(shape))}
    return once(grid, block, values, {"surface": found})


# Peaks, sequences and sparse matrices.


@SOURCE.runs(
    "cupyx/scipy/signal/_peak_finding.py",
    ("local_maxima_1d<float>", "f4"),
    ("local_maxima_1d<int>", "i4"),
)
def maxima(of: str) -> Run:
    x = integers(9, 60).astype(of)
    return peaks(x)


def peaks(x: Any) -> Run:
    n = x.size
    found = np.full((3, n - 2), -1)
    for i in range(1, n - 1):
        end = i + 1
        while end < n - 1 and x[end] == x[i]:
            end += 1
        if x[i - 1] < x[i] and x[end] < x[i]:
            found[:, i - 1] = (i + end - 1) // 2, i, end - 1
    names = ("midpoints", "left", "right")
    values: dict[str, Any] = {"n": n, "x": x}
    values |= {name: nothing(n - 2, of="i8") for name in names}
    return once(1, 64, values, dict(zip(names, found, strict=True)))


@SOURCE.runs(
    "cupyx/scipy/signal/_waveforms.py", ("unit_impulse<float>", "f4"), ("unit_impulse<int>", "i4")
)
def impulse(of: str) -> Run:
    values = {"n": N, "at": 37, "out": nothing(N, of=of)}
    return once(2, 64, values, {"out": np.arange(N) == 37})


SPARSE = "cupyx/scipy/sparse/_compressed.py"


def matrix() -> tuple[Any, Any, Any, Any]:
    """Return a matrix, and its rows' starts, columns and numbers."""
    dense = np.where(integers(3, 12, 20) == 0, integers(9, 12, 20, seed=5) + 1, 0)
    rows = [np.flatnonzero(row) for row in dense]
    starts = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype("i4")
    data = np.concatenate([dense[i, row] for i, row in enumerate(rows)]).astype("f4")
    return dense, starts, np.concatenate(rows).astype("i4"), data


@SOURCE.runs(SPARSE, "bincount_idx_global<int>")
def chosen_columns() -> Run:
    chosen = integers(20, 30)
    values = {"n": 30, "chosen": chosen, "counts": np.zeros(20, "i4")}
    return once(1, 32, values, {"counts": np.bincount(chosen, minlength=20)})


@SOURCE.runs(SPARSE, "row_kept_count<int>")
def kept_columns() -> Run:
    dense, starts, columns, _ = matrix()
    counts = np.bincount(integers(20, 30), minlength=20)
    found = np.append(0, ((dense != 0) * counts).sum(1))
    values = {"rows": 12, "Ap": starts, "Aj": columns, "counts": counts.astype("i4")}
    return once(12, 64, {**values, "Bp": np.zeros(13, "i4")}, {"Bp": found})


@SOURCE.runs(SPARSE, "fill_B<float, int>")
def filled() -> Run:
    dense, starts, columns, data = matrix()
    chosen = integers(20, 6)
    counts = np.bincount(chosen, minlength=20)
    order = np.argsort(chosen, kind="stable")
    kept = dense[:, chosen]
    sizes = (kept != 0).sum(1)
    begins = np.append(0, sizes.cumsum()).astype("i4")
    values = {"rows": 12, "Ap": starts, "Aj": columns, "Ax": data}
    values |= {"offset": counts.cumsum().astype("i4"), "order": order.astype("i4"), "Bp": begins}
    values |= {"Bj": np.zeros(begins[-1], "i4"), "Bx": np.zeros(begins[-1], "f4")}
    places = np.nonzero(kept)
    expected = {"Bj": places[1], "Bx": kept[places]}
    return once(12, 32, values, expected, unordered=("Bj", "Bx"))


@SOURCE.runs("cupyx/scipy/signal/_max_len_seq.py", "max_len_seq")
def shift_register() -> Run:
    state, taps = np.ones(7, "i1"), np.array([6], "i8")
    found, register = [], list(state)
    for _ in range(127):
        found.append(register[0])
        register = [*register[1:], register[0] ^ register[6]]
    values = {"length": np.int64(127), "n_taps": np.int64(1), "n_state": 7, "taps": taps}
    values |= {"state": state, "seq": np.zeros(127, "i1")}
    return once(1, 7, values, {"seq": np.array(found, "i1")})
