"""Thread-block clusters: who is where, distributed shared memory, and what programs do with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from tests.simulator.brute_force import lanes
from tests.simulator.execute.clusters import SCHEDULES, clustered
from tests.simulator.launching import fault, run

EVERY = pytest.mark.parametrize("schedule", SCHEDULES)


SHAPE = """auto g = cg::this_grid(); unsigned *o = out + 20 * (int)g.thread_rank();
    o[0] = c.thread_rank(); o[1] = c.block_rank(); o[2] = c.num_threads(); o[3] = c.num_blocks();
    o[4] = c.size(); o[5] = cg::thread_rank(c); o[6] = cg::group_size(c);
    o[7] = c.dim_blocks().x; o[8] = c.dim_blocks().y; o[9] = c.dim_threads().x;
    o[10] = c.dim_threads().y; o[11] = c.block_index().x; o[12] = c.block_index().y;
    o[13] = c.block_index().z; o[14] = c.thread_index().x; o[15] = c.thread_index().y;
    o[16] = g.cluster_rank(); o[17] = g.num_clusters(); o[18] = g.cluster_index().y;
    o[19] = g.dim_clusters().x * 100 + g.block_rank();"""


def number(index: Any, extent: Any) -> int:
    return int(index[0] + extent[0] * (index[1] + extent[1] * index[2]))


@pytest.mark.parametrize(
    ("dims", "grid", "block"),
    [
        ((4, 1, 1), (8, 1, 1), (5, 1, 1)),
        ((2, 2, 1), (4, 6, 1), (3, 2, 1)),
        ((1, 2, 4), (3, 4, 4), (2, 1, 2)),
        ((1, 1, 1), (3, 2, 1), (4, 1, 1)),
    ],
)
def test_who_is_where(dims: Any, grid: Any, block: Any) -> None:
    total = int(np.prod(grid) * np.prod(block))
    text = clustered("unsigned *out", SHAPE, ", ".join(map(str, dims)))
    found = run(text, np.zeros(20 * total, "u4"), grid=grid, block=block).arrays[0]
    outer = [g // d for g, d in zip(grid, dims, strict=True)]
    threads, blocks = int(np.prod(block)), int(np.prod(dims))
    for lane in lanes(grid, block):
        inner = [b % d for b, d in zip(lane.block, dims, strict=True)]
        whole = [b // d for b, d in zip(lane.block, dims, strict=True)]
        rank = number(inner, dims)
        own = rank * threads + lane.place
        size = threads * blocks
        wanted = [own, rank, size, blocks, size, own, size, dims[0], dims[1]]
        wanted += [dims[0] * block[0], dims[1] * block[1], *inner]
        wanted += [inner[axis] * block[axis] + lane.thread[axis] for axis in (0, 1)]
        wanted += [number(whole, outer), int(np.prod(outer)), whole[1]]
        wanted += [outer[0] * 100 + lane.everywhere // threads]
        assert found[20 * lane.everywhere :][:20].tolist() == wanted


def test_without_dimensions_each_block_is_a_cluster() -> None:
    body = "c.sync(); out[blockIdx.x] = 10 * c.num_blocks() + c.block_rank();"
    assert (
        run(clustered("int *out", body, ""), np.zeros(3, "i4"), grid=3).arrays[0].tolist()
        == [10] * 3
    )


# Programs.


RING = """__shared__ int mine[32];
    mine[threadIdx.x] = a[c.thread_rank()];
    for (int step = 0; step < 3; step++) {
      c.sync();
      int got = c.map_shared_rank(mine, (c.block_rank() + 1) % c.num_blocks())[threadIdx.x];
      c.sync();
      mine[threadIdx.x] = got;
    }
    out[c.thread_rank()] = mine[threadIdx.x];"""


@EVERY
def test_a_ring_passes_values_on(schedule: str) -> None:
    values = np.arange(128, dtype="i4")
    text = clustered("const int *a, int *out", RING)
    found = run(text, values, np.zeros(128, "i4"), grid=4, schedule=schedule).arrays[1]
    assert found.tolist() == np.roll(values, -3 * 32).tolist()


HISTOGRAM = """extern __shared__ int bins[];
    for (int i = threadIdx.x; i < each; i += blockDim.x) bins[i] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      int bin = a[i];
      atomicAdd(c.map_shared_rank(bins, bin / each) + bin % each, 1);
    }
    c.sync();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
      atomicAdd(&out[c.block_rank() * each + i], bins[i]);"""


@EVERY
def test_a_histogram_in_distributed_shared_memory(schedule: str) -> None:
    values = (np.arange(1000) ** 2 % 64).astype("i4")
    text = clustered("const int *a, int n, int each, int *out", HISTOGRAM)
    given = values, np.int32(1000), np.int32(16), np.zeros(64, "i4")
    found = run(text, *given, grid=8, block=64, shared=64, schedule=schedule).arrays[3]
    assert found.tolist() == np.bincount(values, minlength=64).tolist()


REDUCTION = """__shared__ int sum, part[2];
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
    c.sync();
    if (c.thread_rank() == 0) {
      int total = 0;
      for (unsigned r = 0; r < c.num_blocks(); r++) total += *c.map_shared_rank(&sum, r);
      for (unsigned r = 0; r < c.num_blocks(); r++) c.map_shared_rank(part, r)[1] = total;
    }
    c.sync();
    out[blockIdx.x] = part[1];"""


@EVERY
def test_a_reduction_over_a_cluster(schedule: str) -> None:
    values = np.arange(6 * 48, dtype="i4")
    text = clustered("const int *a, int *out", REDUCTION, "3")
    found = run(text, values, np.zeros(6, "i4"), grid=6, block=48, schedule=schedule).arrays[1]
    sums = values.reshape(2, -1).sum(1)
    assert found.tolist() == np.repeat(sums, 3).tolist()


QUEUE = """__shared__ int tail, queue[64];
    if (c.thread_rank() == 0) tail = 0;
    c.sync();
    int *counter = c.map_shared_rank(&tail, 0);
    int value = a[c.thread_rank()];
    if (value % 3 == 0) {
      int place = atomicAdd(counter, 1);
      c.map_shared_rank(queue, place / 64)[place % 64] = value;
    }
    c.sync();
    int length = *counter;
    int place = c.block_rank() * 64 + threadIdx.x;
    if (threadIdx.x < 64 && place < length) out[place] = queue[threadIdx.x];
    c.sync();"""


@EVERY
def test_a_queue_of_a_cluster(schedule: str) -> None:
    values = np.arange(256, dtype="i4")
    text = clustered("const int *a, int *out", QUEUE)
    ran = run(text, values, np.full(256, -1, "i4"), grid=4, block=64, schedule=schedule)
    found = ran.arrays[1]
    wanted = values[values % 3 == 0]
    assert sorted(found[: wanted.size].tolist()) == wanted.tolist()
    assert (found[wanted.size :] == -1).all()


@given(
    st.sampled_from([(2, 1, 1), (1, 2, 1), (2, 2, 1), (1, 2, 2)]),
    st.tuples(*[st.integers(1, 3)] * 3),
    st.sampled_from(["h200", "toy4"]),
    st.sampled_from(SCHEDULES),
    st.integers(0, 100),
)
def test_all_blocks_of_a_cluster_exchange_with_all_others(
    dims: Any, times: Any, profile: str, schedule: str, salt: int
) -> None:
    """Each thread adds its value to a cell of its own in every block: the law is a transpose."""
    body = """__shared__ int from[8][4];
    for (int r = 0; r < 8; r++) from[r][threadIdx.x] = -1;
    c.sync();
    for (unsigned r = 0; r < c.num_blocks(); r++)
      c.map_shared_rank(&from[c.block_rank()][threadIdx.x], r)[0] = salt + 100 * (int)
          cg::this_grid().block_rank() + (int)r;
    c.sync();
    for (unsigned r = 0; r < c.num_blocks(); r++)
      out[((int)cg::this_grid().block_rank() * c.num_blocks() + r) * 4 + threadIdx.x] =
          from[r][threadIdx.x];"""
    grid = tuple(d * t for d, t in zip(dims, times, strict=True))
    count, blocks = int(np.prod(grid)), int(np.prod(dims))
    text = clustered("int salt, int *out", body, ", ".join(map(str, dims)))
    ran = run(
        *(text, np.int32(salt), np.zeros(count * blocks * 4, "i4")),
        **{"grid": grid, "block": 4, "profile": profile, "schedule": schedule},
    )
    found = ran.arrays[1].reshape(count, blocks, 4)
    for lane in lanes(grid, (4, 1, 1)):
        inner = [b % d for b, d in zip(lane.block, dims, strict=True)]
        first = [b - i for b, i in zip(lane.block, inner, strict=True)]
        for r in range(blocks):
            x, y, z = r % dims[0], r // dims[0] % dims[1], r // (dims[0] * dims[1])
            other = number([first[0] + x, first[1] + y, first[2] + z], grid)
            wanted = salt + 100 * other + number(inner, dims)
            assert found[number(lane.block, grid), r, lane.place] == wanted


# Pointers.


def test_pointers_to_distributed_shared_memory_travel() -> None:
    """Through variables, structures, functions, memory and integers."""
    body = """__shared__ int s[4]; __shared__ int *kept;
    s[threadIdx.x] = 10 * blockIdx.x + threadIdx.x;
    c.sync();
    int *p = c.map_shared_rank(s, 1);
    Pair pair = {p, p + 1};
    unsigned long long bits = (unsigned long long)(pair.second);
    if (threadIdx.x == 0) kept = pair.first + 2;
    __syncthreads();
    out[blockIdx.x * 4 + threadIdx.x] = at(pair.first, 0) * 10000 + *(int *)bits * 100 + *kept
        + 1000000 * c.query_shared_rank(p) + 2000000 * (p == c.map_shared_rank(p, 1));
    c.sync();"""
    functions = """struct Pair { int *first; int *second; };
    __device__ int at(const int *p, int i) { return p[i]; }"""
    text = clustered("int *out", body, "2", functions)
    found = run(text, np.zeros(8, "i4"), grid=2, block=4).arrays[0]
    assert found.tolist() == [3000000 + 100000 + 1100 + 12] * 8


def test_pointers_to_rows_and_structures() -> None:
    body = """__shared__ float4 v[2]; __shared__ int rows[2][4];
    if (threadIdx.x == 0) v[1] = make_float4(1, 2, 3, 4 + c.block_rank());
    rows[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
    c.sync();
    out[blockIdx.x * 8 + threadIdx.x] = c.map_shared_rank(v, 1)[1].w
        + 10 * c.map_shared_rank(rows, 1)[1][threadIdx.x % 4]
        + 100 * ((const int *)c.map_shared_rank((void *)rows, 0))[2];
    c.sync();"""
    found = run(clustered("int *out", body, "2"), np.zeros(16, "i4"), grid=2, block=8).arrays[0]
    assert found.tolist() == [205 + 10 * (4 + i % 4) for i in range(16)]


# Faults of memory.


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (
            "out[0] = c.map_shared_rank(s, 1)[16];",
            r"reads s\[16\] of block \(1, 0, 0\) through a pointer, but s has 16 elements",
        ),
        (
            "c.map_shared_rank(s, 3)[-1] = 2;",
            r"writes s\[-1\] of block \(3, 0, 0\) through a pointer, but s has 16 elements",
        ),
        (
            "atomicAdd(c.map_shared_rank(t, 2) + 2, 1);",
            r"updates t\[2\] of block \(2, 0, 0\) through a pointer, but t has 2 elements",
        ),
        ("out[0] = *c.map_shared_rank(s, 4);", "rank 4 in a cluster of 4 blocks"),
        ("out[0] = *c.map_shared_rank(s, -1);", "rank -1 in a cluster of 4 blocks"),
        ("out[0] = *c.map_shared_rank(out, 1);", "not in the shared memory of the cluster"),
        ("out[0] = c.query_shared_rank(out);", "not in the shared memory of the cluster"),
        ("out[0] = *c.map_shared_rank((int *)nullptr, 1);", "not in the shared memory of"),
    ],
)
@pytest.mark.parametrize("schedule", ["lockstep", "random:1"])
def test_what_lies_out_of_a_blocks_arrays_is_a_fault(
    access: str, message: str, schedule: str
) -> None:
    body = f"__shared__ int t[2], s[16]; s[threadIdx.x] = t[1] = 0; c.sync();\n{access}\nc.sync();"
    found = fault(
        clustered("int *out", body), np.zeros(1, "i4"), grid=4, block=16, schedule=schedule
    )
    assert re.search(message, found.message)


def test_without_mapping_another_block_is_out_of_reach() -> None:
    """A pointer to the own block's array does not come to the same array of the next one."""
    body = """__shared__ int s[16]; s[threadIdx.x] = 1; c.sync();
    int *p = s; if (n > 0) p += n; out[0] = *p;"""
    found = fault(
        clustered("int n, int *out", body), np.int32(18), np.zeros(1, "i4"), grid=4, block=16
    )
    assert "another block's shared memory" in found.message


def test_the_shared_memory_of_a_block_that_has_ended() -> None:
    body = """__shared__ int s[32]; s[threadIdx.x] = 1; c.sync();
    if (c.block_rank() == 2) return;
    out[blockIdx.x * 32 + threadIdx.x] = c.map_shared_rank(s, 2)[threadIdx.x];"""
    text = clustered("int *out", body)
    for schedule in ("lockstep", "warp", "shuffled:1"):  # others may run it last
        found = fault(text, np.zeros(128, "i4"), grid=4, schedule=schedule)
        assert "the shared memory of block (2, 0, 0), which has ended" in found.message
        assert "cluster.sync()" in found.hint


# Launches.


def refused(text: str, grid: Any, block: int = 32, profile: str = "h200") -> simulator.LaunchError:
    with pytest.raises(simulator.LaunchError) as caught:
        run(text, np.zeros(4, "i4"), grid=grid, block=block, profile=profile)
    return caught.value


@pytest.mark.parametrize(
    ("dims", "grid"), [("4", (6, 1, 1)), ("2, 2", (4, 3, 1)), ("1, 1, 2", (2, 2, 1))]
)
def test_a_grid_has_whole_clusters(dims: str, grid: Any) -> None:
    error = refused(clustered("int *out", "", dims), grid)
    assert f"launched with a grid of {' x '.join(map(str, grid))} blocks" in error.message
    assert "cudaErrorInvalidClusterSize" in error.hint


@pytest.mark.parametrize("dims", ["2", "1", ""])
@pytest.mark.parametrize("profile", ["v100", "rtx3090", "k80"])
def test_gpus_without_clusters_refuse_them(dims: str, profile: str) -> None:
    error = refused(clustered("int *out", "c.sync();", dims), 2, profile=profile)
    assert "needs clusters of blocks" in error.message
    assert "compute capability 9.0" in error.hint


def test_a_cluster_must_be_resident() -> None:
    error = refused(clustered("int *out", "", "4"), 4, block=16, profile="toy4")
    assert "clusters of 4 blocks of 16 threads" in error.message
    run(clustered("int *out", "", "4"), np.zeros(4, "i4"), grid=4, block=8, profile="toy4")


def test_waves_have_whole_clusters() -> None:
    """A toy GPU of 8 resident blocks runs clusters of 3 by twos."""
    body = """__shared__ int s; s = blockIdx.x; c.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *c.map_shared_rank(&s, 2);
    c.sync();"""
    text = clustered("int *out", body, "3")
    found = run(text, np.zeros(21, "i4"), grid=21, block=2, profile="toy4").arrays[0]
    assert found.tolist() == [i // 3 * 3 + 2 for i in range(21)]


def test_a_kernel_launches_one_with_clusters() -> None:
    functions = """__global__ void __cluster_dims__(2) child(int *out) {
      __shared__ int s; s = blockIdx.x + 5; cg::this_cluster().sync();
      out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&s, 1 - blockIdx.x);
      cg::this_cluster().sync();
    }"""
    body = "if (threadIdx.x == 0) child<<<n, 1>>>(out);"
    text = clustered("int n, int *out", body, "", functions)
    with simulator.Device():
        out = simulator.zeros(2, "int32")
        kernel = simulator.RawKernel(text, "k")
        kernel((1,), (32,), (np.int32(2), out))
        assert out.get().tolist() == [6, 5]
        with pytest.raises(simulator.Fault, match="launched with a grid of 3 x 1 x 1 blocks"):
            kernel((1,), (32,), (np.int32(3), out))


def test_the_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints what the comments behind its calls of `print` say."""
    page = (Path(simulator.__file__).parent / "README.md").read_text("utf-8")
    chapter = page[page.index("## Clusters of blocks") :]
    code = chapter.partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    wanted = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == wanted
