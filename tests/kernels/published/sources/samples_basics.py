"""NVIDIA/cuda-samples: element by element, products of matrices, atomics and votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.published.arrays import blocks, bytes_of, integers, normal, nothing, uniform
from tests.kernels.published.case import Launch, Run, Source, once

SOURCE = Source("cuda-samples", folders=("Common",))
INTRO = "Samples/0_Introduction/"
CONCEPTS = "Samples/2_Concepts_and_Techniques/"
FEATURES = "Samples/3_CUDA_Features/"
LIBRARIES = "Samples/4_CUDA_Libraries/"
LINUX = ["__linux__"]
#: Why a product is right only where all of B is one number, as its program has it.
SQUARE = "it reads B at the places of A"
#: Why a pipeline is right where copies happen to land late, as here, and is not on an H200.
STAGES = "it begins to fill a fifth stage while the first of its four is read"


def one(size: int, values: dict[str, Any], expected: dict[str, Any], **more: Any) -> Run:
    """Return a launch of a thread for each element."""
    return once(blocks(size, 64), 64, values, expected, **more)


# Element by element.


@SOURCE.runs(f"{INTRO}vectorAdd/vectorAdd.cu", "vectorAdd")
@SOURCE.runs(f"{INTRO}vectorAddDrv/vectorAdd_kernel.cu", "VecAdd_kernel")
@SOURCE.runs(f"{INTRO}vectorAddMMAP/vectorAdd_kernel.cu", "VecAdd_kernel")
@SOURCE.runs(f"{INTRO}vectorAdd_nvrtc/vectorAdd_kernel.cu", "vectorAdd")
@SOURCE.runs(f"{INTRO}simpleDrvRuntime/vectorAdd_kernel.cu", "VecAdd_kernel")
@SOURCE.runs(f"{INTRO}simpleZeroCopy/simpleZeroCopy.cu", "vectorAddGPU")
@SOURCE.runs(f"{CONCEPTS}streamOrderedAllocation/streamOrderedAllocation.cu", "vectorAddGPU")
def added() -> Run:
    a, b = normal(150), normal(150, seed=2)
    return one(150, {"a": a, "b": b, "c": nothing(150), "n": 150}, {"c": a + b})


@SOURCE.runs(f"{INTRO}asyncAPI/asyncAPI.cu", "increment_kernel")
@SOURCE.runs(f"{INTRO}cudaOpenMP/cudaOpenMP.cu", "kernelAddConstant")
@SOURCE.runs(f"{INTRO}simpleStreams/simpleStreams.cu", ("init_array", True))
def incremented(by_pointer: bool = False) -> Run:
    x = integers(100, 128)
    if not by_pointer:
        return one(128, {"x": x, "by": 26}, {"x": x + 26})
    return one(128, {"x": x, "by": integers(9, 1), "times": 5}, {"x": x + 5 * integers(9, 1)})


@SOURCE.runs(f"{INTRO}simpleCallback/simpleCallback.cu", "incKernel")
def incremented_by_one() -> Run:
    x = integers(100, 100)
    return one(100, {"x": x, "n": 100}, {"x": x + 1})


@SOURCE.runs(f"{INTRO}simpleMultiCopy/simpleMultiCopy.cu", "incKernel")
def copied() -> Run:
    x = integers(100, 100)
    return one(100, {"out": nothing(100, of="i4"), "x": x, "n": 100, "m": 3}, {"out": x + 1})


@SOURCE.runs(f"{INTRO}simpleOccupancy/simpleOccupancy.cu", "square")
def squared() -> Run:
    x = integers(100, 100)
    return one(100, {"x": x, "n": 100}, {"x": x**2})


def doubled(x: Any) -> Any:
    return 2 * x


@SOURCE.runs(f"{INTRO}simpleP2P/simpleP2P.cu", ("SimpleKernel", doubled))
@SOURCE.runs(f"{INTRO}simpleMPI/simpleMPI.cu", ("simpleMPIKernel", np.sqrt))
def of_each(function: Any) -> Run:
    x = uniform(128)
    return one(128, {"x": x, "out": nothing(128)}, {"out": function(x)})


@SOURCE.runs(
    f"{FEATURES}graphMemoryNodes/graphMemoryNodes.cu",
    ("squareArray", np.square),
    ("negateArray", np.negative),
)
def of_each_up_to(function: Any) -> Run:
    x = normal(100)
    return one(100, {"x": x, "out": nothing(100), "n": 100}, {"out": function(x)})


@SOURCE.runs(f"{INTRO}template/template.cu", ("testKernel", "f4"))
@SOURCE.runs(
    f"{INTRO}simpleTemplates/simpleTemplates.cu",
    ("testKernel<float>", "f4"),
    ("testKernel<int>", "i4"),
)
def by_shared_memory(of: str) -> Run:
    x = integers(100, 32).astype(of)
    return once(1, 32, {"x": x, "out": nothing(32, of=of)}, {"out": 32 * x}, shared=128)


@SOURCE.runs(f"{INTRO}simpleIPC/simpleIPC.cu", "simpleKernel", defines=LINUX)
@SOURCE.runs(
    f"{CONCEPTS}streamOrderedAllocationIPC/streamOrderedAllocationIPC.cu",
    "simpleKernel",
    defines=LINUX,
)
@SOURCE.runs(f"{FEATURES}memMapIPCDrv/memMapIpc_kernel.cu", "memMapIpc_kernel")
def filled() -> Run:
    x = np.zeros(100, "i1")
    return once(1, 64, {"x": x, "n": 100, "value": np.int8(7)}, {"x": np.full(100, 7, "i1")})


@SOURCE.runs(f"{FEATURES}StreamPriorities/StreamPriorities.cu", "memcpy_kernel")
def copied_in_blocks() -> Run:
    x = integers(100, 200)
    values = {"out": nothing(200, of="i4"), "x": x, "n": np.uint64(800)}
    return once(blocks(200, 64), 64, values, {"out": x})


@SOURCE.runs(f"{FEATURES}cudaCompressibleMemory/saxpy.cu", "saxpy")
def saxpy() -> Run:
    x, y = normal(100, 4), normal(100, 4, seed=2)
    values = {"a": 1.5, "x": x, "y": y, "z": nothing(100, 4), "n": np.uint64(100)}
    return once(1, 32, values, {"z": np.float32(1.5) * x + y})


@SOURCE.runs(f"{FEATURES}cudaCompressibleMemory/saxpy.cu", "init")
def initial() -> Run:
    x, y, full = nothing(100, 4), nothing(100, 4), np.full((100, 4), 2.5)
    return once(1, 32, {"x": x, "y": y, "a": 2.5, "n": np.uint64(100)}, {"x": full, "y": full})


@SOURCE.runs(
    f"{LIBRARIES}conjugateGradientCudaGraphs/conjugateGradientCudaGraphs.cu",
    "initVectors",
    "r1_div_x",
    "a_minus",
)
def of_gradients() -> Run:
    values = {"a": np.float32([3]), "b": np.float32([4]), "x": nothing(100), "y": nothing(100)}
    launches = [
        Launch(2, 32, "r1_div_x", ["a", "b", "x"]),
        Launch(2, 32, "a_minus", ["b", "y"]),
        Launch(2, 32, "initVectors", ["rhs", "start", 100]),
    ]
    values |= {"rhs": nothing(100), "start": nothing(100)}
    expected = {"rhs": np.ones(100), "start": np.zeros(100), "x": [0.75], "y": [-4.0]}
    return Run(launches, values, {name: np.float32(v) for name, v in expected.items()})


@SOURCE.runs(f"{LIBRARIES}simpleCUFFT/simpleCUFFT.cu", "ComplexPointwiseMulAndScale")
@SOURCE.runs(
    f"{LIBRARIES}simpleCUFFT_MGPU/simpleCUFFT_MGPU.cu",
    "ComplexPointwiseMulAndScale",
    defines=["cufftComplex=float2"],
)
def scaled_products() -> Run:
    a, b = (x[:, 0] + 1j * x[:, 1] for x in (normal(100, 2), normal(100, 2, seed=2)))
    a, b = a.astype("c8"), b.astype("c8")
    values = {"a": a.view("f4"), "b": b.view("f4"), "size": 100, "scale": 0.5}
    return once(1, 64, values, {"a": (a * b / 2).view("f4")})


@SOURCE.runs(f"{CONCEPTS}threadMigration/threadMigration_kernel.cu", "kernelFunction")
def migrated() -> Run:
    x = integers(100, 32)
    return once(1, 32, {"x": x}, {"x": 32 - np.arange(32)})


@SOURCE.runs(f"{CONCEPTS}inlinePTX/inlinePTX.cu", "sequence_gpu")
@SOURCE.runs(f"{CONCEPTS}inlinePTX_nvrtc/inlinePTX_kernel.cu", "sequence_gpu")
def lanes() -> Run:
    values = {"out": nothing(150, of="i4"), "n": 150}
    return one(150, values, {"out": np.arange(150) % 32})


# Products of matrices.


@SOURCE.runs(f"{INTRO}matrixMul/matrixMul.cu", ("MatrixMulCUDA<16>", 16), ("MatrixMulCUDA<32>", 32))
@SOURCE.runs(
    f"{INTRO}matrixMulDrv/matrixMul_kernel.cu",
    *((f"matrixMul_bs{n}_64bit", n, np.uint64) for n in (8, 16, 32)),
)
@SOURCE.runs(
    f"{INTRO}matrixMul_nvrtc/matrixMul_kernel.cu",
    ("matrixMulCUDA_block16", 16),
    ("matrixMulCUDA_block32", 32),
)
@SOURCE.runs(
    f"{FEATURES}globalToShmemAsyncCopy/globalToShmemAsyncCopy.cu",
    ("MatrixMulAsyncCopyMultiStageLargeChunk<16>", 16, np.int32, 0, 6, 0.5),
    ("MatrixMulAsyncCopyLargeChunk<16>", 16, np.int32, 0, 6, 0.5),
    ("MatrixMulAsyncCopyLargeChunkAWBarrier<16>", 16, np.int32, 0, 6, 0.5),
    ("MatrixMulAsyncCopySingleStage<16>", 16),
    ("MatrixMulAsyncCopyMultiStage<16>", 16),
    ("MatrixMulAsyncCopyMultiStageSharedState<16>", 16, np.int32, 4),
    ("MatrixMulNaive<16>", 16),
    ("MatrixMulNaiveLargeChunk<16>", 16, np.int32, 0, 6, 0.5),
    wrong={f"MatrixMulAsyncCopyMultiStage{end}<16>": STAGES for end in ("", "LargeChunk")},
)
@SOURCE.runs(
    f"{FEATURES}globalToShmemAsyncCopy/globalToShmemAsyncCopy.cu",
    ("MatrixMulAsyncCopyMultiStageLargeChunk<16>", 16),
    ("MatrixMulAsyncCopyLargeChunk<16>", 16),
    ("MatrixMulAsyncCopyLargeChunkAWBarrier<16>", 16),
    ("MatrixMulNaiveLargeChunk<16>", 16),
    wrong={
        f"MatrixMul{name}LargeChunk{end}<16>": SQUARE
        for name in ("AsyncCopyMultiStage", "AsyncCopy", "Naive")
        for end in ("", "AWBarrier")
    },
)
def product(
    tile: int, number: Any = np.int32, more: int = 0, wide: int = 6, all_of_b: float = 0
) -> Run:
    a, b = normal(2 * tile, wide * tile), normal(wide * tile, 2 * tile, seed=2)
    b = np.full_like(b, all_of_b) if all_of_b else b
    values = {"C": nothing(2 * tile, 2 * tile), "A": a, "B": b}
    values |= {"wA": number(wide * tile), "wB": number(2 * tile)}
    return once((2, 2), (tile, tile + more), values, {"C": a.astype("f8") @ b})


@SOURCE.runs(
    "Samples/6_Performance/UnifiedMemoryPerf/matrixMultiplyPerf.cu", "matrixMultiplyKernel"
)
def square_product() -> Run:
    a, b = normal(64, 64), normal(64, 64, seed=2)
    values = {"C": nothing(64, 64), "A": a, "B": b, "n": 64}
    return once((2, 2), (32, 32), values, {"C": a.astype("f8") @ b})


# Tensor cores.


@SOURCE.runs(f"{FEATURES}cudaTensorCoreGemm/cudaTensorCoreGemm.cu", "simple_wmma_gemm")
def tensor_product() -> Run:
    m, n, k = 64, 64, 32
    a, b, c = normal(m, k).astype("f2"), normal(n, k, seed=2).astype("f2"), normal(m, n, seed=3)
    values = {"a": a, "b": b, "c": c, "d": nothing(m, n), "m": m, "n": n, "k": k}
    expected = 1.5 * (a.astype("f8") @ b.T) + 2.0 * c
    return once((1, 1), (128, 4), {**values, "alpha": 1.5, "beta": 2.0}, {"d": expected}, rtol=1e-3)


@SOURCE.runs(f"{FEATURES}immaTensorCoreGemm/immaTensorCoreGemm.cu", "simple_wmma_gemm_imma")
def integer_product() -> Run:
    m, n, k = 64, 64, 64  # it goes through A by its height
    a, b, c = bytes_of(m, k), bytes_of(n, k, seed=2), integers(100, m, n)
    values = {"a": a, "b": b, "c": c, "d": nothing(m, n, of="i4"), "m": m, "n": n, "k": k}
    expected = 2 * (a.astype("i4") @ b.T.astype("i4")) + 3 * c
    return once((1, 1), (128, 4), {**values, "alpha": 2, "beta": 3}, {"d": expected})


# Atomics, votes and groups.


@SOURCE.runs(f"{INTRO}simpleAtomicIntrinsics/simpleAtomicIntrinsics_kernel.cuh", "testKernel")
@SOURCE.runs(f"{INTRO}simpleAtomicIntrinsics_nvrtc/simpleAtomicIntrinsics_kernel.cuh", "testKernel")
def atomics() -> Run:
    count = 256
    threads = np.arange(count)
    found = np.zeros(11, "f8")
    found[[0, 1, 3]] = 10 * count, -10 * count, count - 1
    found[[2, 7]] = np.nan  # any of the threads
    found[5] = count % 18
    found[6] = (137 - (count - 1)) % 138
    found[8] = np.bitwise_and.reduce(2 * threads + 7) & 0xFF
    found[9] = -1
    found[10] = np.bitwise_xor.reduce(threads) ^ 0xFF
    start = np.zeros(11, "i4")
    start[[8, 10]] = 0xFF
    return once(4, 64, {"x": start}, {"x": found})


@SOURCE.runs(f"{INTRO}systemWideAtomics/systemWideAtomics.cu", "atomicKernel")
def system_atomics() -> Run:
    count, times = 128, 50
    found = np.zeros(10, "f8")
    found[[0, 2]] = 10 * count * times, count - 1
    found[[1, 6]] = np.nan
    found[4] = count * times % 18
    found[5] = (137 - (count * times - 1)) % 138
    found[7] = np.bitwise_and.reduce(2 * np.arange(count) + 7) & 0xFF
    found[8] = -1
    found[9] = 0xFF
    start = np.zeros(10, "i4")
    start[[7, 9]] = 0xFF
    return once(2, 64, {"x": start}, {"x": found})


@SOURCE.runs(
    f"{INTRO}simpleVoteIntrinsics/simpleVote_kernel.cuh",
    ("VoteAnyKernel1", np.any),
    ("VoteAllKernel2", np.all),
)
def votes(function: Any) -> Run:
    x = np.ones((4, 32), "u4")
    x[0], x[1, 7], x[2] = 0, 0, np.arange(32) == 9
    found = np.repeat(function(x, axis=1), 32)
    return once(1, 128, {"x": x, "result": nothing(128, of="u4"), "size": 128}, {"result": found})


@SOURCE.runs(f"{INTRO}simpleVoteIntrinsics/simpleVote_kernel.cuh", "VoteAnyKernel3")
def votes_of_halves() -> Run:
    late = np.arange(96) >= 48
    found = np.stack([np.arange(96) >= 32, late, np.arange(96) >= 64], 1)
    return once(1, 96, {"info": np.zeros((96, 3), bool), "size": 32}, {"info": found})


@SOURCE.runs(f"{FEATURES}binaryPartitionCG/binaryPartitionCG.cu", "oddEvenCountAndSumCG")
def odds() -> Run:
    x = integers(50, 1024)
    odd = x % 2 == 1
    values = {"x": x, "odds": np.zeros(1, "i4"), "sums": np.zeros(2, "i4"), "size": 1024}
    expected = {"odds": odd.sum(keepdims=True), "sums": np.array([x[odd].sum(), x[~odd].sum()])}
    return once(2, 128, values, expected)


AGGREGATED = f"{FEATURES}warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu"


@SOURCE.runs(AGGREGATED, "filter_arr")
def positive() -> Run:
    x = integers(100, 500) - 50
    kept = x[x > 0]
    values = {"dst": np.zeros(kept.size, "i4"), "n": np.zeros(1, "i4"), "src": x, "size": 500}
    expected = {"dst": kept, "n": np.array([kept.size])}
    return once(2, 96, values, expected, unordered=("dst",))


@SOURCE.runs(AGGREGATED, "mapToBuckets")
def buckets() -> Run:
    x, count = integers(5, 300), 4
    starts = np.concatenate([[0], np.bincount(x)[:count].cumsum()[:-1]]).astype("i4")
    kept = np.flatnonzero(x < count)
    values = {"x": x, "indices": np.zeros(kept.size, "i4"), "counters": starts, "n": 300, "m": 4}
    expected = {"indices": kept, "counters": starts + np.bincount(x)[:count]}
    return once(2, 96, values, expected, unordered=("indices",))


@SOURCE.runs(AGGREGATED, "calculateMaxInEachBuckets")
def greatest() -> Run:
    x, weights = integers(5, 300), integers(1000, 300, seed=3)
    found = np.array([weights[x == bucket].max() for bucket in range(4)])
    values = {"x": x, "values": weights, "most": np.zeros(4, "i4"), "n": 300, "m": 4}
    return once(2, 96, values, {"most": found})


# What of trees of graphs are single steps.

TREES = f"{CONCEPTS}segmentationTreeThrust/kernels.cuh"
NONE = 2**32 - 1


@SOURCE.runs(TREES, "addScalar")
def shifted() -> Run:
    x = integers(100, 100, of="uint32")
    return one(100, {"x": x, "by": -3, "n": 100}, {"x": x - np.uint32(3)})


@SOURCE.runs(TREES, "markSegments", "getSuccessors")
def segments() -> Run:
    offsets = np.cumsum(integers(4, 20) + 1) - 1
    edges = integers(20, 100, of="uint32")
    flags = np.isin(np.arange(100), offsets)
    values = {"offsets": offsets.astype("u4"), "flags": np.zeros(100, "u4"), "edges": edges}
    values["successors"] = nothing(20, of="u4")
    launches = [
        Launch(1, 32, "markSegments", ["offsets", "flags", 20]),
        Launch(1, 32, "getSuccessors", ["offsets", "edges", "successors", 20, 100]),
    ]
    expected = {"flags": flags, "successors": edges[np.append(offsets[1:] - 1, 99)]}
    return Run(launches, values, expected)


@SOURCE.runs(TREES, "removeCycles", "getRepresentatives")
def representatives() -> Run:
    parents = np.maximum(np.arange(60) - 1 - integers(9, 60), 0)
    found = np.arange(60)
    parents[0], roots = 1, parents.copy()
    roots[0] = 0
    for _ in range(60):
        found = roots[found]
    values = {"successors": parents.astype("u4"), "out": nothing(60, of="u4")}
    launches = [
        Launch(1, 64, "removeCycles", ["successors", 60]),
        Launch(1, 64, "getRepresentatives", ["successors", "out", 60]),
    ]
    return Run(launches, values, {"successors": roots, "out": found})


@SOURCE.runs(TREES, "getVerticesMapping", "invalidateLoops", "calculateEdgesInfo", "makeNewEdges")
def edges() -> Run:
    vertices, count, new = 30, 120, 8
    ids = np.random.default_rng(5).permutation(vertices)
    names = integers(new, vertices)
    mapping = np.empty(vertices, "i8")
    mapping[ids] = names
    starts, ends = (integers(vertices, count, of="int64", seed=seed) for seed in (2, 4))
    loops = mapping[starts] == mapping[ends]
    weights = normal(count)
    kept = np.flatnonzero(~loops)
    values = {"ids": ids, "names": names, "starts": starts, "ends": ends, "kept": kept}
    values = {name: x.astype("u4") for name, x in values.items()}
    values |= {"mapping": nothing(vertices, of="u4"), "weights": weights}
    values |= {name: nothing(count, of="u4") for name in ("new", "survived", "made")}
    values["made_weights"] = nothing(count)
    launches = [
        Launch(1, 32, "getVerticesMapping", ["ids", "names", "mapping", vertices]),
        Launch(2, 64, "invalidateLoops", ["starts", "mapping", "ends", count]),
        Launch(
            2,
            64,
            "calculateEdgesInfo",
            ["starts", "mapping", "ends", "weights", "new", "survived", count, new],
        ),
        Launch(
            2,
            64,
            "makeNewEdges",
            ["kept", "mapping", "ends", "weights", "made", "made_weights", kept.size],
        ),
    ]
    expected = {"mapping": mapping, "ends": np.where(loops, NONE, ends)}
    expected |= {"new": mapping[starts] + loops * new, "made": mapping[ends[kept]]}
    expected |= {"survived": np.where(loops, NONE, np.arange(count)), "made_weights": weights[kept]}
    return Run(launches, values, expected)
