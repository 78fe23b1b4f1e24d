"""CUDA by Example, OLCF's training series, and PyCUDA's examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.published.arrays import bytes_of, integers, normal, nothing, uniform
from tests.kernels.published.case import Run, Size, Source, once

BOOK = Source("cuda-by-example")
SERIES = Source("cuda-training-series")
PYCUDA = Source("pycuda")

# Sums.


@BOOK.runs("chapter03/simple_device_call.cu", "add")
@BOOK.runs("chapter03/simple_kernel_params.cu", "add")
def one_sum() -> Run:
    return once(1, 1, {"a": 2, "b": 7, "c": nothing(1, of="i4")}, {"c": np.array([9])})


@BOOK.runs("chapter04/add_loop_gpu.cu", ("add", 10, 10, 1))
@BOOK.runs(
    "chapter04/add_loop_long.cu", ("add", 500, 500, 1), replaced={"N   (32 * 1024)": "N 500"}
)
@BOOK.runs("chapter05/add_loop_blocks.cu", ("add", 10, 1, 10))
@BOOK.runs(
    "chapter05/add_loop_long_blocks.cu", ("add", 1056, 3, 64), replaced={"(33 * 1024)": "(33 * 32)"}
)
def sums(n: int, grid: int, block: int) -> Run:
    a, b = integers(100, n), integers(100, n, seed=3)
    return once(grid, block, {"a": a, "b": b, "c": nothing(n, of="i4")}, {"c": a + b})


@SERIES.runs("exercises/hw1/vector_add_solution.cu", "vadd")
@SERIES.runs("exercises/hw3/vector_add_solution.cu", "vadd")
def vector_sum() -> Run:
    a, b = normal(150), normal(150, seed=2)
    return once(3, 64, {"a": a, "b": b, "c": nothing(150), "n": 150}, {"c": a + b})


@BOOK.runs("chapter05/dot.cu", ("dot", False), replaced={"33 * 1024": "1100"})
@BOOK.runs("chapter11/multidevice.cu", ("dot", True))
@BOOK.runs("chapter11/portable.cu", ("dot", True))
@BOOK.runs("chapter11/time_zero2.cu", ("dot", True))
def dot(sized: bool) -> Run:
    a, b = normal(1100), normal(1100, seed=2)
    parts = np.append(a.astype("f8") * b, np.zeros(436)).reshape(-1, 3, 256).sum((0, 2))
    values: dict[str, Any] = {"size": 1100} if sized else {}
    return once(3, 256, {**values, "a": a, "b": b, "c": nothing(3)}, {"c": parts})


@BOOK.runs("chapter09/hist_gpu_gmem_atomics.cu", "histo_kernel")
@BOOK.runs("chapter09/hist_gpu_shmem_atomics.cu", "histo_kernel")
def histogram() -> Run:
    data = bytes_of(3000)
    values = {"buffer": data, "size": np.int64(3000), "histo": np.zeros(256, "u4")}
    return once(2, 256, values, {"histo": np.bincount(data, minlength=256)})


@BOOK.runs("chapter10/basic_single_stream.cu", "kernel")
@BOOK.runs("chapter10/basic_double_stream.cu", "kernel")
@BOOK.runs("chapter10/basic_double_stream_correct.cu", "kernel")
def averages() -> Run:
    a, b = integers(1000, 512), integers(1000, 512, seed=3)
    at = np.arange(512)
    means = [
        (x + x[(at + 1) % 256] + x[(at + 2) % 256]).astype("f4") / np.float32(3) for x in (a, b)
    ]
    values = {"a": a, "b": b, "c": nothing(512, of="i4")}
    return once(4, 128, values, {"c": ((means[0] + means[1]) / 2).astype("i4")})


# Pictures.

SIDE = 64
SMALL = {"#define DIM 1024": f"#define DIM {SIDE}", "#define DIM 1000": f"#define DIM {SIDE}"}


def grey(values: Any) -> Any:
    """Return a picture that is as grey everywhere, opaque."""
    return np.stack([values, values, values, np.full_like(values, 255)], -1)


def ripples(ticks: int) -> Any:
    y, x = np.mgrid[:SIDE, :SIDE] - SIDE // 2
    d = np.sqrt(x**2 + y**2) / 10
    return grey((128 + 127 * np.cos(d - ticks / 7) / (d + 1)).astype("u1"))


@BOOK.runs("chapter05/ripple.cu", "kernel", replaced=SMALL)
@BOOK.runs("chapter08/ripple.cu", "kernel", replaced=SMALL)
def ripple() -> Run:
    values = {"ptr": np.zeros((SIDE, SIDE, 4), "u1"), "ticks": 5}
    return once((4, 4), (16, 16), values, {"ptr": ripples(5)})


@BOOK.runs("chapter04/julia_gpu.cu", "kernel", replaced=SMALL)
def julia() -> Run:
    y, x = 1.5 * (SIDE // 2 - np.mgrid[:SIDE, :SIDE]).astype("f4") / np.float32(SIDE // 2)
    a, inside = (x + 1j * y).astype("c8"), np.ones((SIDE, SIDE), bool)
    for _ in range(200):
        a = np.where(inside, a * a + np.complex64(-0.8 + 0.156j), 0)
        inside &= ~(np.abs(a) ** 2 > 1000)
    found = np.zeros((SIDE, SIDE, 4), "u1")
    found[..., 0], found[..., 3] = 255 * inside, 255
    return once((SIDE, SIDE), 1, {"ptr": np.zeros_like(found)}, {"ptr": found})


@BOOK.runs("chapter05/shared_bitmap.cu", "kernel", replaced=SMALL)
def exchanged() -> Run:
    y, x = np.mgrid[:SIDE, :SIDE].astype("f4")
    tau = np.float32(2 * 3.1415926535897932)
    waves = 255 * (np.sin(x * tau / 128) + 1) * (np.sin(y * tau / 128) + 1) / 4
    tiles = waves.reshape(4, 16, 4, 16)[:, ::-1, :, ::-1].reshape(SIDE, SIDE)
    found = np.zeros((SIDE, SIDE, 4), "f8")
    close = np.abs(tiles - np.round(tiles)) < 1e-3  # either byte
    found[..., 1], found[..., 3] = np.where(close, np.nan, np.floor(tiles)), 255
    return once((4, 4), (16, 16), {"ptr": np.zeros((SIDE, SIDE, 4), "u1")}, {"ptr": found})


@BOOK.runs("chapter06/ray_noconst.cu", ("kernel", False), replaced=SMALL)
@BOOK.runs("chapter06/ray.cu", ("kernel", True), replaced=SMALL)
def spheres(constant: bool) -> Run:
    some = uniform(20, 7, seed=3)
    some[:, 3] = 5 + 10 * some[:, 3]
    some[:, 4:] = SIDE * some[:, 4:] - SIDE / 2
    y, x = np.mgrid[:SIDE, :SIDE] - SIDE // 2
    red, blue, green, radius, cx, cy, cz = some.astype("f8").T[:, :, None, None]
    dz = radius**2 - (x - cx) ** 2 - (y - cy) ** 2
    hit = dz > 0
    depth = np.where(hit, np.sqrt(np.maximum(dz, 0)), 0)
    nearest = np.where(hit, depth + cz, -np.inf).argmax(0)[None]
    shade = np.take_along_axis(depth / radius, nearest, 0)[0]
    colours = [c[nearest[0], 0, 0] * shade * 255 * hit.any(0) for c in (red, green, blue)]
    found = np.stack([*colours, np.full_like(shade, 255)], -1)
    found = np.where(np.abs(found - np.round(found)) < 1e-3, np.nan, np.floor(found))
    found[~hit.any(0)] = 0, 0, 0, 255
    values: dict[str, Any] = {} if constant else {"s": some}
    values["ptr"] = np.zeros((SIDE, SIDE, 4), "u1")
    more = {"constants": {"s": some}} if constant else {}
    return once((4, 4), (16, 16), values, {"ptr": found}, **more)


# The training series.


@SERIES.runs("exercises/hw1/matrix_mul_solution.cu", ("mmul", 50))
@SERIES.runs("exercises/hw2/matrix_mul_shared_solution.cu", ("mmul", 64))
def product(n: int) -> Run:
    a, b = normal(n, n), normal(n, n, seed=2)
    values = {"A": a, "B": b, "C": nothing(n, n), "ds": n}
    return once((2, 2), (32, 32), values, {"C": a.astype("f8") @ b})


@SERIES.runs(
    "exercises/hw4/matrix_sums_solution.cu", ("row_sums", 1, 2, 32), ("column_sums", 0, 2, 32)
)
@SERIES.runs(
    "exercises/hw5/matrix_sums_solution.cu", ("row_sums", 1, 50, 256), ("column_sums", 0, 2, 32)
)
@SERIES.runs("exercises/hw5/matrix_sums.cu", ("column_sums", 0, 2, 32))
def matrix_sums(axis: int, grid: int, block: int) -> Run:
    a = normal(50, 50)
    values = {"A": a, "sums": nothing(50), "ds": np.uint64(50)}
    return once(grid, block, values, {"sums": a.sum(axis, "f8")})


@SERIES.runs("exercises/hw5/max_reduction_solution.cu", "reduce")
def greatest() -> Run:
    x = uniform(2000)
    parts = np.append(x, np.zeros(304)).reshape(-1, 3, 256).max((0, 2))
    return once(3, 256, {"x": x, "out": nothing(3), "n": np.uint64(2000)}, {"out": parts})


SHORTER = {"8ULL*1024ULL*1024ULL": "2000"}


@SERIES.runs(
    "exercises/hw5/reductions.cu",
    ("atomic_red", 8),
    ("reduce_a", 3),
    ("reduce_ws", 3),
    replaced=SHORTER,
)
def whole_sum(grid: int) -> Run:
    x = normal(2000)
    values = {"x": x, "out": np.zeros(1, "f4")}
    return once(grid, 256, values, {"out": x.sum(dtype="f8", keepdims=True)}, rtol=1e-4)


@SERIES.runs("exercises/hw5/reductions.cu", "reduce", replaced=SHORTER)
def sums_of_blocks() -> Run:
    x = normal(2000)
    parts = np.append(x, np.zeros(304)).reshape(-1, 3, 256).sum((0, 2))
    return once(3, 256, {"x": x, "out": nothing(3)}, {"out": parts})


@SERIES.runs("exercises/hw6/array_inc.cu", "inc")
@SERIES.runs("exercises/hw6/array_inc_solution.cu", "inc")
def incremented() -> Run:
    x = integers(100, 150)
    return once(2, 64, {"x": x, "n": np.uint64(150)}, {"x": x + 1})


GAUSS = "gaussian_pdf"


@SERIES.runs("exercises/hw7/multi.cu", GAUSS)
@SERIES.runs("exercises/hw7/multi_solution.cu", GAUSS)
@SERIES.runs("exercises/hw7/overlap.cu", GAUSS)
@SERIES.runs("exercises/hw7/overlap_solution.cu", GAUSS)
@SERIES.runs("exercises/hw10/streams.cu", GAUSS)
@SERIES.runs("exercises/hw10/streams_solution.cu", GAUSS)
def densities() -> Run:
    x, mean, sigma, count = normal(60), 0.25, 1.5, 22
    steps = x.astype("f8")[:, None] + 0.01 * (np.arange(count) - count // 2)
    found = np.exp(-0.5 * ((steps - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))
    values = {"x": x, "y": nothing(60), "mean": mean, "sigma": sigma, "n": 60}
    return once(2, 32, values, {"y": found.mean(1)})


@SERIES.runs("exercises/hw8/task1/task1_solution.cu", "naive_cuda_transpose")
@SERIES.runs("exercises/hw8/task2/task2_solution.cu", "smem_cuda_transpose")
@SERIES.runs("exercises/hw8/task3/task3_solution.cu", "smem_cuda_transpose")
def transposed() -> Run:
    a = normal(64, 64).astype("f8")
    return once((2, 2), (32, 32), {"m": 64, "a": a, "c": nothing(64, 64, of="f8")}, {"c": a.T})


@SERIES.runs("exercises/hw9/task2_solution.cu", "my_remove_if<int>")
def removed() -> Run:
    x = integers(4, 1024)
    kept = x[x != 2]
    values = {"in": x, "remove": 2, "out": np.zeros(1024, "i4"), "idxs": np.zeros(1024, "u4")}
    return once(4, 256, {**values, "n": 1024}, {"out": kept}, cooperative=True)


@SERIES.runs("exercises/hw11/test.cu", "kernel")
def doubled() -> Run:
    x = normal(100).astype("f8")
    return once(2, 64, {"x": x, "n": 100}, {"x": 2 * x})


@SERIES.runs(
    "exercises/hw12/task2.cu",
    "estimate_sum_ahs<double>",
    wrong={"estimate_sum_ahs<double>": "it divides by zero: finding that is the exercise"},
)
@SERIES.runs("exercises/hw12/task2_solution.cu", "estimate_sum_ahs<double>")
def alternating() -> Run:
    n = np.arange(1, 1500)
    found = np.where(n % 2, 1, -1) / n
    values = {"length": np.uint64(1500), "sum": np.zeros(1)}
    return once(3, 512, values, {"sum": found.sum(keepdims=True)}, rtol=1e-9)


CAPTURED = "axpy_stream_capture"


def axpy(wanted: Any) -> Run:
    x, y = normal(128), normal(128, seed=2)
    return once(2, 64, {"x": x, "y": y}, {"y": wanted(x, y)})


@SERIES.runs(f"exercises/hw13/Solutions/{CAPTURED}_solution.cu", *(f"kernel_{c}" for c in "abcd"))
@SERIES.runs(f"exercises/hw13/{CAPTURED}_from_scratch.cu", *(f"kernel_{c}" for c in "abcd"))
@SERIES.runs(f"exercises/hw13/{CAPTURED}_timer.cu", *(f"kernel_{c}" for c in "abcd"))
@SERIES.runs(f"exercises/hw13/{CAPTURED}_with_fixme.cu", *(f"kernel_{c}" for c in "abcd"))
def captured() -> Run:
    return axpy(lambda x, y: 2 * x + y)


@SERIES.runs("exercises/hw13/Solutions/axpy_cublas_solution.cu", "kernel_a", "kernel_c")
@SERIES.runs("exercises/hw13/axpy_cublas_from_scratch.cu", "kernel_a", "kernel_c")
@SERIES.runs("exercises/hw13/axpy_cublas_with_fixme.cu", "kernel_a", "kernel_c")
def beside_a_library() -> Run:
    return axpy(lambda x, y: y + 1)


# PyCUDA.

WIKI = "examples/from-wiki/"


@PYCUDA.runs("examples/cai_cupy_arrays.py", ("doublify", 4))
@PYCUDA.runs("examples/demo.py", ("doublify", 4))
def doubled_rows(width: int) -> Run:
    x = normal(4, width)
    return once(1, (width, 4), {"x": x}, {"x": 2 * x})


@PYCUDA.runs("examples/hello_gpu.py", ("multiply_them", 400))
@PYCUDA.runs("test/test_driver.py", *((f"multiply_them{n}", 400) for n in ("", "@1", "@2")))
def products(n: int) -> Run:
    a, b = normal(n), normal(n, seed=2)
    return once(1, n, {"dest": nothing(n), "a": a, "b": b}, {"dest": a * b})


@PYCUDA.runs(f"{WIKI}arithmetic_example.py", "func")
def scaled() -> Run:
    x = normal(200)
    values = {"a": x, "n": 200, "least": 0.5, "by": 255}
    return once(2, 128, values, {"a": (x - np.float32(0.5)) / 255})


@PYCUDA.runs(f"{WIKI}c++_function_templates.py", "func")
def by_template() -> Run:
    x = normal(50)
    return once(1, 64, {"a": x, "n": 50}, {"a": x + 1})


@PYCUDA.runs(f"{WIKI}game_of_life.py", "step")
def life() -> Run:
    old = integers(2, 32, 32)
    near = sum(np.roll(old, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - old
    found = (near == 3) | ((near == 2) & (old == 1))
    return once((2, 2), (16, 16), {"C": old, "M": nothing(32, 32, of="i4")}, {"M": found})


@PYCUDA.runs(f"{WIKI}manhattan_distance_for_2D_array.py", "diffusion")
def diffusion() -> Run:
    x = integers(50, 7, 7)
    values = {"x": x, "w": 7, "h": 7, "a": 2.0, "b": 1.0, "c": 1.0}
    return once(1, (7, 7), values, {"x": 3 * x - 4})


@PYCUDA.runs(
    f"{WIKI}matrixmul_simple.py", ("MatrixMulKernel", 8, 1, 8), replaced={"%(MATRIX_SIZE)s": "8"}
)
@PYCUDA.runs(
    f"{WIKI}matrixmul_tiled.py",
    ("MatrixMulKernel", 32, (2, 2), 16),
    replaced={"%(MATRIX_SIZE)s": "32", "%(BLOCK_SIZE)s": "16"},
)
def square_product(n: int, grid: Size, block: int) -> Run:
    a, b = normal(n, n), normal(n, n, seed=2)
    values = {"a": a, "b": b, "c": nothing(n, n)}
    return once(grid, (block, block), values, {"c": a.astype("f8") @ b})


@PYCUDA.runs(f"{WIKI}multiple_threads.py", "f")
def shifted() -> Run:
    x = normal(512)
    return once(1, 512, {"out": nothing(512), "in": x}, {"out": x + 6})


@PYCUDA.runs(f"{WIKI}simple_rgb2gray.py", "rgb2gray")
def grey_picture() -> Run:
    parts = [uniform(512, seed=seed) for seed in (1, 2, 3)]
    found = sum(weight * x for weight, x in zip((0.299, 0.587, 0.114), parts, strict=True))
    return once(
        4, 128, {"dest": nothing(512), **dict(zip("rgb", parts, strict=True))}, {"dest": found}
    )


@PYCUDA.runs(f"{WIKI}simple_speed_test.py", "gpusin")
def sines() -> Run:
    x = normal(128)
    found = x.astype("f8")
    for _ in range(5):
        found = np.sin(found)
    return once(2, 64, {"dest": nothing(128), "a": x, "n": 5}, {"dest": found})


@PYCUDA.runs("test/test_driver.py", "set_them")
def same_vectors() -> Run:
    by = np.float32([1, 2, 3])
    float3 = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    values = {"dest": nothing(100, 3), "x": by.view(float3)[0]}
    return once(1, 100, values, {"dest": np.tile(by, (100, 1))})


@PYCUDA.runs("test/test_driver.py", ("doublify", (4, 4)))
@PYCUDA.runs("test/test_gpuarray.py", ("twice", 16))
def twice(block: Size) -> Run:
    x = normal(16)
    return once(1, block, {"a": x}, {"a": 2 * x})


@PYCUDA.runs("test/test_driver.py", "copy_constant_into_global")
def constants() -> Run:
    x = normal(32)
    values = {"out": nothing(32)}
    return once(1, 32, values, {"out": x}, constants={"const_array": x})


@PYCUDA.runs("test/test_driver.py", "gpu_arange")
def numbers() -> Run:
    return once(1, 128, {"x": nothing(128, of="i4")}, {"x": np.arange(128)})


@PYCUDA.runs("test/test_driver.py", "math")
def launched() -> Run:
    a, b = integers(100, 100, of="int64"), integers(100, 100, of="int64", seed=3)
    names = {name: nothing(100, of="i8") for name in "cde"}
    values = {"a": a, "b": b, **names, "f": nothing(100, of="f8")}
    expected = {"c": a + b + 1, "f": np.float32(1.0345) * a - 2 * b}
    return once(1, 100, values, expected, rtol=1e-6)


COO = {"%(value_type)s": "float", "%(index_type)s": "int"}


@PYCUDA.runs("pycuda/sparse/coordinate.py", "spmv_coo_serial_kernel", replaced=COO)
def sparse_product() -> Run:
    rows, columns, data, x = integers(12, 60), integers(20, 60, seed=3), normal(60), normal(20)
    found = np.zeros(12)
    np.add.at(found, rows, data.astype("f8") * x[columns])
    values = {"n": 60, "I": rows, "J": columns, "V": data, "x": x, "y": np.zeros(12, "f4")}
    return once(1, 1, values, {"y": found})
