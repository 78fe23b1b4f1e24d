"""NVIDIA/cuda-samples: reductions, scans, histograms, sorts, transposes, solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.published.arrays import blocks, bytes_of, integers, normal, nothing, uniform
from tests.kernels.published.case import Launch, Run, Source, once
from tests.kernels.published.sources.samples_basics import CONCEPTS, FEATURES, INTRO

SOURCE = Source("cuda-samples", folders=("Common",))
REDUCTION = f"{CONCEPTS}reduction/reduction_kernel.cu"


@SOURCE.runs(
    REDUCTION,
    *((f"reduce{n}<{of}>", of, 1, 4) for n in range(3) for of in ("int", "float")),
    ("reduce3<int>", "int", 2, 4),
    ("reduce3<double>", "double", 2, 4),
    ("reduce4<int, 64>", "int", 2, 4),
    ("reduce4<float, 64>", "float", 2, 4),
    ("reduce5<int, 64>", "int", 2, 4),
    ("reduce6<int, 64, false>", "int", 1, 3),
    ("reduce6<float, 64, true>", "float", 2, 2),
    ("reduce7<int, 64, false>", "int", 1, 3),
    ("reduce7<int, 64, true>", "int", 2, 2),
    ("cg_reduce<int>", "int", 1, 3),
    ("multi_warp_cg_reduce<int, 64, 64>", "int", 1, 3),
)
def sums(of: str, each: int, grid: int) -> Run:
    n = 64 * each * grid - 17 * (grid != 2)
    x = integers(1000, n).astype({"int": "i4", "float": "f4", "double": "f8"}[of])
    parts = np.zeros(64 * each * grid)
    parts[:n] = x
    found = parts.reshape(grid, -1).sum(1)
    if grid == 3:  # blocks take turns
        found = parts.reshape(-1, grid, 64).sum((0, 2))
    values = {"x": x, "out": nothing(grid, of=x.dtype.str), "n": n}
    return once(grid, 64, values, {"out": found.astype(x.dtype)}, shared=1024)


@SOURCE.runs(
    REDUCTION,
    ("reduce7<double, 64, true>", "double", 2, 2),
    wrong={"reduce7<double, 64, true>": "its last shuffles read lanes that take no part in them"},
)
def sums_of_doubles(of: str, each: int, grid: int) -> Run:
    return sums(of, each, grid)


@SOURCE.runs(
    f"{CONCEPTS}reductionMultiBlockCG/reductionMultiBlockCG.cu", "reduceSinglePassMultiBlockCG"
)
def sum_by_grid() -> Run:
    x = normal(1000)
    values = {"x": x, "out": nothing(4), "n": 1000}
    expected = {"out": x.sum(dtype="f8", keepdims=True)}
    return once(4, 64, values, expected, shared=512, cooperative=True)


FENCES = f"{CONCEPTS}threadFenceReduction/threadFenceReduction_kernel.cuh"


@SOURCE.runs(FENCES, "reduceMultiPass<64, false>", "reduceSinglePass<64, false>")
def sum_by_fences() -> Run:
    x = normal(1000)
    values = {"x": x, "parts": nothing(4), "out": nothing(4)}
    launches = [
        Launch(4, 64, "reduceMultiPass<64, false>", ["x", "parts", 1000], 256),
        Launch(4, 64, "reduceSinglePass<64, false>", ["x", "out", 1000], 256),
    ]
    turns = np.append(x, np.zeros(24)).reshape(-1, 4, 128).sum((0, 2))
    return Run(launches, values, {"parts": turns, "out": x.sum(dtype="f8", keepdims=True)})


@SOURCE.runs(f"{INTRO}simpleMultiGPU/simpleMultiGPU.cu", "reduceKernel")
def sums_of_threads() -> Run:
    x = normal(1000)
    found = np.append(x, np.zeros(24)).reshape(-1, 128).sum(0)
    return once(2, 64, {"out": nothing(128), "x": x, "n": 1000}, {"out": found})


@SOURCE.runs(f"{FEATURES}simpleCudaGraphs/simpleCudaGraphs.cu", "reduce", "reduceFinal")
def sum_by_graph() -> Run:
    x = normal(5000)
    values = {"x": x, "parts": nothing(4, of="f8"), "out": nothing(1, of="f8")}
    launches = [
        Launch(4, 512, "reduce", ["x", "parts", np.uint64(5000), np.uint64(4)]),
        Launch(1, 512, "reduceFinal", ["parts", "out", np.uint64(4)]),
    ]
    return Run(launches, values, {"out": x.sum(dtype="f8", keepdims=True)}, rtol=1e-9)


@SOURCE.runs(f"{INTRO}clock/clock.cu", "timedReduction")
@SOURCE.runs(f"{INTRO}clock_nvrtc/clock_kernel.cu", "timedReduction")
def least() -> Run:
    x = normal(128)
    values = {"x": x, "out": nothing(3), "timer": np.zeros(6, "i8")}
    return once(3, 64, values, {"out": np.repeat(x.min(), 3)}, shared=512)


@SOURCE.runs(f"{CONCEPTS}scalarProd/scalarProd_kernel.cuh", "scalarProdGPU")
def scalar_products() -> Run:
    a, b = normal(7, 1500), normal(7, 1500, seed=2)
    values = {"C": nothing(7), "A": a, "B": b, "vectors": 7, "elements": 1500}
    return once(3, 128, values, {"C": (a.astype("f8") * b).sum(1)})


@SOURCE.runs(
    f"{INTRO}fp16ScalarProduct/fp16ScalarProduct.cu",
    "scalarProductKernel_intrinsics",
    "scalarProductKernel_native",
)
def half_products() -> Run:
    n = 128 * 4
    a, b = (integers(3, n, 2, seed=seed).astype("f2") for seed in (2, 3))
    first, grid = 128, 4  # threads begin a block later, and blocks one pair apart
    found = np.zeros(grid)
    for block in range(grid):
        at = np.arange(128) + first + block
        at = np.concatenate([at + turn * grid * 128 for turn in range(2)])
        found[block] = (a[at[at < n]].astype("f8") * b[at[at < n]]).sum()
    values = {"a": a, "b": b, "out": nothing(grid), "size": np.uint64(n)}
    return once(grid, 128, values, {"out": found}, rtol=1e-3)


@SOURCE.runs(f"{INTRO}simpleAWBarrier/simpleAWBarrier.cu", "normVecByDotProductAWBarrier")
def normalised() -> Run:
    a, b = uniform(500), uniform(500, seed=2)
    norm = np.sqrt((a.astype("f8") * b).sum())
    values = {"a": a, "b": b, "parts": np.zeros(3, "f8"), "size": 500}
    expected = {"a": a / norm, "b": b / norm}
    return once(3, 64, values, expected, shared=64, cooperative=True)


# Scans.

SCAN = f"{CONCEPTS}scan/scan.cu"


@SOURCE.runs(SCAN, "scanExclusiveShared")
def short_scans() -> Run:
    x = integers(100, 8, 256, of="uint32")
    values = {"dst": nothing(8, 256, of="u4"), "src": x, "size": 256}
    return once(2, 256, values, {"dst": x.cumsum(1) - x})


@SOURCE.runs(SCAN, "scanExclusiveShared2", "uniformUpdate")
def long_scan() -> Run:
    n = 8
    x = integers(100, n, 1024, of="uint32")
    values = {"src": x, "dst": nothing(n, 1024, of="u4"), "buf": nothing(n, of="u4")}
    launches = [
        Launch(n, 256, "scanExclusiveShared", ["dst", "src", 1024]),
        Launch(1, 256, "scanExclusiveShared2", ["buf", "dst", "src", n, n]),
        Launch(n, 256, "uniformUpdate", ["dst", "buf"]),
    ]
    flat = x.ravel()
    return Run(launches, values, {"dst": flat.cumsum() - flat})


SHUFFLES = f"{CONCEPTS}shfl_scan/shfl_scan.cu"


@SOURCE.runs(SHUFFLES, "shfl_scan_test", "uniform_add")
def shuffled_scan() -> Run:
    x = integers(100, 4, 256)
    found = x.cumsum(1)
    values = {"x": x, "sums": nothing(4, of="i4")}
    launches = [
        Launch(4, 256, "shfl_scan_test", ["x", 32, "sums"], 32),
        Launch(4, 256, "uniform_add", ["x", "before", 1024]),
    ]
    sums = found[:, -1]
    values["before"] = (sums.cumsum() - sums).astype("i4")
    return Run(launches, values, {"x": x.ravel().cumsum(), "sums": sums})


@SOURCE.runs(f"{CONCEPTS}shfl_scan/shfl_integral_image.cuh", "shfl_vertical_shfl")
def columns_summed() -> Run:
    x = integers(100, 1080, 64, of="uint32")
    return once(2, (32, 8), {"x": x, "width": 64, "height": 1080}, {"x": x.cumsum(0)})


# Histograms.

HISTOGRAMS = f"{CONCEPTS}histogram/"


@SOURCE.runs(
    f"{HISTOGRAMS}histogram64.cu",
    ("histogram64Kernel", 64, 64, 16),
    ("mergeHistogram64Kernel", 64, 64, 16),
)
@SOURCE.runs(
    f"{HISTOGRAMS}histogram256.cu",
    ("histogram256Kernel", 256, 192, 4),
    ("mergeHistogram256Kernel", 256, 192, 4),
)
def histogram(bins: int, block: int, size: int) -> Run:
    data = bytes_of(4096)
    parts = 3
    values = {"out": nothing(bins, of="u4"), "parts": nothing(parts, bins, of="u4"), "data": data}
    launches = [
        Launch(parts, block, f"histogram{bins}Kernel", ["parts", "data", 4096 // size]),
        Launch(bins, 256, f"mergeHistogram{bins}Kernel", ["out", "parts", parts]),
    ]
    found = np.bincount(data // (256 // bins), minlength=bins)
    return Run(launches, values, {"out": found})


# Sorts of keys with values.


def pairs(n: int, batch: int = 1) -> tuple[NDArray[Any], NDArray[Any], dict[str, Any]]:
    """Return keys, values, and what they are to be sorted."""
    keys = np.random.default_rng(7).permutation(n * batch).astype("u4").reshape(batch, n)
    values = np.arange(n * batch, dtype="u4").reshape(batch, n)
    order = keys.argsort(1)
    found = {"dst_key": np.take_along_axis(keys, order, 1)}
    return keys, values, found | {"dst_val": np.take_along_axis(values, order, 1)}


NETWORKS = f"{CONCEPTS}sortingNetworks/"
LIMIT = 1024


@SOURCE.runs(
    f"{NETWORKS}bitonicSort.cu", ("bitonicSortShared", 1024, 2), ("bitonicSortShared", 256, 4)
)
@SOURCE.runs(f"{NETWORKS}oddEvenMergeSort.cu", ("oddEvenMergeSortShared", 1024, 2))
@SOURCE.runs(f"{INTRO}mergeSort/bitonic.cu", ("bitonicSortSharedKernel", 1024, 2))
def sorted_in_blocks(n: int, batch: int) -> Run:
    keys, values, found = pairs(n, batch)
    arrays = {name: np.zeros_like(keys) for name in found}
    arrays |= {"src_key": keys, "src_val": values}
    grid = blocks(n * batch, LIMIT)
    return once(grid, LIMIT // 2, {**arrays, "n": n, "dir": 1}, found)


@SOURCE.runs(f"{INTRO}mergeSort/mergeSort.cu", "mergeSortSharedKernel<1>")
def merged_in_blocks() -> Run:
    keys, values, found = pairs(1024, 2)
    arrays = {name: np.zeros_like(keys) for name in found}
    arrays |= {"src_key": keys, "src_val": values, "n": 1024}
    return once(2, LIMIT // 2, arrays, found)


@SOURCE.runs(
    f"{NETWORKS}bitonicSort.cu", "bitonicSortShared1", "bitonicMergeGlobal", "bitonicMergeShared"
)
def bitonic_sort() -> Run:
    n = 4096
    keys, values, found = pairs(n)
    arrays = {name: np.zeros_like(keys) for name in found}
    arrays |= {"src_key": keys, "src_val": values}
    own, grid = ["dst_key", "dst_val", "dst_key", "dst_val"], n // LIMIT
    launches = [Launch(grid, 512, "bitonicSortShared1", list(arrays))]
    size = 2 * LIMIT
    while size <= n:
        stride = size // 2
        while stride >= LIMIT:
            given = [*own, n, size, stride, 1]
            launches.append(Launch(n // 512, 256, "bitonicMergeGlobal", given))
            stride //= 2
        launches.append(Launch(grid, 512, "bitonicMergeShared", [*own, n, size, 1]))
        size *= 2
    return Run(launches, arrays, found)


@SOURCE.runs(f"{NETWORKS}oddEvenMergeSort.cu", "oddEvenMergeGlobal")
def odd_even_sort() -> Run:
    n = 2048
    keys, values, found = pairs(n)
    arrays = {name: np.zeros_like(keys) for name in found}
    arrays |= {"src_key": keys, "src_val": values}
    own = ["dst_key", "dst_val", "dst_key", "dst_val"]
    first = ["dst_key", "dst_val", "src_key", "src_val", LIMIT, 1]
    launches = [Launch(n // LIMIT, LIMIT // 2, "oddEvenMergeSortShared", first)]
    stride = n // 2
    while stride:
        launches.append(Launch(n // 512, 256, arguments=[*own, n, n, stride, 1]))
        stride //= 2
    return Run(launches, arrays, found)


# Transposes.

TRANSPOSES = "Samples/6_Performance/transpose/transpose.cu"


@SOURCE.runs(
    TRANSPOSES,
    ("copy", False),
    ("copySharedMem", False),
    *((f"transpose{name}", True) for name in ("Naive", "Coalesced", "NoBankConflicts", "Diagonal")),
)
def transposed(turned: bool) -> Run:
    x = normal(64, 64)
    values = {"out": nothing(64, 64), "x": x, "width": 64, "height": 64}
    return once((2, 2), (32, 16), values, {"out": x.T if turned else x})


@SOURCE.runs(TRANSPOSES, "transposeFineGrained", "transposeCoarseGrained")
def tiles_transposed() -> Run:
    x = normal(64, 64)
    tiles = x.reshape(2, 32, 2, 32)
    values = {"fine": nothing(64, 64), "coarse": nothing(64, 64), "x": x}
    launches = [
        Launch((2, 2), (32, 16), "transposeFineGrained", ["fine", "x", 64, 64]),
        Launch((2, 2), (32, 16), "transposeCoarseGrained", ["coarse", "x", 64, 64]),
    ]
    fine = tiles.transpose(0, 3, 2, 1).reshape(64, 64)
    coarse = tiles.transpose(2, 1, 0, 3).reshape(64, 64)
    return Run(launches, values, {"fine": fine, "coarse": coarse})


# Solvers.


@SOURCE.runs(f"{FEATURES}jacobiCudaGraphs/jacobi.cu", "JacobiMethod", "finalError")
def jacobi() -> Run:
    n = 512
    a = np.eye(n, dtype="f4") * n + uniform(n, n)
    b, x = uniform(n, seed=2).astype("f8"), uniform(n, seed=3).astype("f8")
    step = (b - a.astype("f8") @ x) / a.diagonal()
    values = {"A": a, "b": b, "x": x, "new": np.zeros(n), "sum": np.zeros(1), "error": np.zeros(1)}
    launches = [
        Launch(n // 4, 256, "JacobiMethod", ["A", "b", 1e-3, "x", "new", "sum"]),
        Launch(2, 64, "finalError", ["new", "error"], 8 * 32),
    ]
    expected = {"new": x + step, "sum": np.abs(step).sum(keepdims=True)}
    expected["error"] = np.abs(x + step - 1).sum(keepdims=True)
    return Run(launches, values, expected, rtol=1e-9)


@SOURCE.runs(
    "Samples/4_CUDA_Libraries/conjugateGradientMultiBlockCG/conjugateGradientMultiBlockCG.cu",
    "gpuConjugateGradient",
)
def conjugate_gradient() -> Run:
    n = 64
    dense = np.diag(np.full(n, 10.0)) + np.diag(uniform(n - 1), 1)
    dense = (dense + dense.T) / 2
    rows = [np.flatnonzero(row) for row in dense]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype("i4")
    values = {"I": indptr, "J": np.concatenate(rows).astype("i4")}
    values["val"] = np.concatenate([dense[i, row] for i, row in enumerate(rows)]).astype("f4")
    rhs = np.ones(n, "f4")
    values |= {"x": np.zeros(n, "f4"), "Ax": np.zeros(n, "f4"), "p": np.zeros(n, "f4"), "r": rhs}
    values |= {"dot": np.zeros(1, "f8"), "nnz": int(indptr[-1]), "N": n, "tol": 1e-5}
    expected = {"x": np.linalg.solve(dense, rhs)}
    return once(2, 64, values, expected, shared=512, cooperative=True, rtol=1e-3)
