"""`__cluster_dims__` and cluster groups as CUDA takes them: NVRTC is asked where it is there."""

from __future__ import annotations

import pytest

import simulator
from simulator.check import check
from simulator.compile.kernel import compile_kernel
from simulator.read import read
from simulator.source import CompileError, Source
from tests.simulator.execute.clusters import HEAD, clustered
from tests.simulator.launching import cuda_takes

S = "__shared__ int s[4]; "


def grouped(body: str, functions: str = "") -> str:
    """A kernel with a cluster `c`."""
    start = "cg::cluster_group c = cg::this_cluster(); "
    return f"{HEAD}{functions}\n__global__ void k(int *a) {{ {start}{body} }}"


ACCEPTED = [
    "__global__ void __cluster_dims__(2) k(int *a) { }",
    "__cluster_dims__(2) __global__ void k(int *a) { }",
    "__global__ __cluster_dims__(2) void k(int *a) { }",
    'extern "C" __cluster_dims__(2, 2) __global__ void k(int *a) { }',
    "__global__ void __cluster_dims__(2, 2, 2) k(int *a) { }",
    "__global__ void __cluster_dims__(1) k(int *a) { }",
    "__global__ void __cluster_dims__(3) k(int *a) { }",
    "__global__ void __cluster_dims__(2) __launch_bounds__(64) k(int *a) { }",
    "__global__ void __launch_bounds__(64) __cluster_dims__(2, 1) k(int *a) { }",
    "#define C 4\n__global__ void __cluster_dims__(C, 1, 1) k(int *a) { }",
    "constexpr int n = 2; __global__ void __cluster_dims__(n * 2) k(int *a) { }",
    "template <int N> __global__ void __cluster_dims__(N) k(int *a) { }",
    "__global__ void __cluster_dims__(2) k(int *a); __global__ void k(int *a) { }",
    "__global__ void k(int *a); __global__ void __cluster_dims__(2) k(int *a) { }",
    "__global__ void k(int *a) { dim3 d = __clusterDim(); a[0] = d.x + __clusterIdx().y; }",
    "__global__ void k(int *a) { a[0] = __clusterRelativeBlockRank() + __clusterSizeInBlocks(); }",
    "__global__ void k(int *a) { a[0] = __clusterRelativeBlockIdx().x; }",
    "__global__ void k(int *a) { a[0] = __clusterGridDimInClusters().z; }",
    "__global__ void k(int *a) { __cluster_barrier_arrive(); __cluster_barrier_wait(); }",
    f"__global__ void k(int *a) {{ {S} int *p = (int *)__cluster_map_shared_rank(s, 1);"
    " a[0] = *p + __cluster_query_shared_rank(p) + __isClusterShared(p); }",
    grouped("c.sync(); cg::sync(c); cg::this_cluster().sync();"),
    grouped("c.barrier_arrive(); c.barrier_wait();"),
    grouped("auto t = c.barrier_arrive(); c.barrier_wait();"),
    grouped("c.barrier_wait(c.barrier_arrive());"),
    grouped("unsigned r = c.block_rank() + c.num_blocks() + c.thread_rank() + c.num_threads();"),
    grouped("uint3 u = c.block_index(); dim3 d = c.dim_blocks(); a[0] = u.x + d.y + c.size();"),
    grouped("a[0] = c.thread_index().x + c.dim_threads().y + cg::thread_rank(c);"),
    grouped("a[0] = cg::group_size(c);"),
    grouped("auto g = cg::this_grid(); a[0] = g.num_clusters() + g.cluster_rank();"),
    grouped("a[0] = cg::this_grid().dim_clusters().x + cg::this_grid().cluster_index().y;"),
    grouped(f"{S} int *p = c.map_shared_rank(s, 1); a[0] = *p + c.query_shared_rank(p);"),
    grouped(f"{S} a[0] = c.map_shared_rank(&s[1], 1u)[2]; atomicAdd(c.map_shared_rank(s, 0), 1);"),
    grouped(f"{S} const int *q = s; const int *p = c.map_shared_rank(q, 1); a[0] = *p;"),
    grouped(f"{S} void *v = s; void *p = c.map_shared_rank(v, 1);"),
    grouped("__shared__ int t[4][4]; a[0] = c.map_shared_rank(t, 1)[2][1];"),
    grouped("extern __shared__ int d[]; a[0] = *c.map_shared_rank(d, c.block_rank() ^ 1);"),
    grouped("f(c); g(c);", "__device__ void f(cg::cluster_group c) { c.sync(); }"
            "__device__ void g(const cg::cluster_group &c) { c.sync(); }"),
]  # fmt: skip

REFUSED = {
    "__global__ void __cluster_dims__(0) k(int *a) { }": "constant numbers of blocks",
    "__global__ void __cluster_dims__(2, 0) k(int *a) { }": "constant numbers of blocks",
    "__global__ void __cluster_dims__(-1) k(int *a) { }": "constant numbers of blocks",
    "__global__ void __cluster_dims__(2.5) k(int *a) { }": "constant numbers of blocks",
    "__global__ void __cluster_dims__(m) k(int *a) { }": "`m` is not declared",
    "__global__ void __cluster_dims__(1, 1, 1, 1) k(int *a) { }": "takes 1 to 3 numbers, not 4",
    "__global__ void __cluster_dims__ k(int *a) { }": "",
    "__device__ void __cluster_dims__(2) f(int *a) { }": "`f` is no kernel",
    "__cluster_dims__(2) __device__ int x;": "`__cluster_dims__` cannot stand here",
    "__global__ void k(int *a) { __cluster_dims__(2) int x; }": "cannot stand here",
    "__global__ void k(__cluster_dims__(2) int *a) { }": "cannot stand here",
    "__global__ void k(int *a) { a[0] = clusterDim.x; }": "`clusterDim` is not declared",
    f"__global__ void k(int *a) {{ {S} int *p = __cluster_map_shared_rank(s, 1); }}": "needed",
    grouped("cg::cluster_group d;"): "the group `d` needs a value",
    grouped("c.any(1);"): "has no function `any`",
    grouped("c.group_dim();"): "has no function `group_dim`",
    grouped("c.is_valid();"): "has no function `is_valid`",
    grouped("auto t = c.barrier_arrive(); c.barrier_wait(t);"): "`barrier_wait` cannot take `t`",
    grouped("c.barrier_wait(1);"): "`barrier_wait` cannot take `1`",
    grouped("c.sync(1);"): "`sync` takes 0 arguments, not 1",
    grouped("c.map_shared_rank(a);"): "`map_shared_rank` takes 2 arguments, not 1",
    grouped("c.map_shared_rank(3, 1);"): "needs a pointer to shared memory, not `int`",
    grouped(f"{S} volatile int *p = s; c.map_shared_rank(p, 1);"): "takes no `volatile int *`",
    grouped(f"{S} const int *q = s; int *p = c.map_shared_rank(q, 1);"): "`const int *`",
    grouped("auto t = cg::tiled_partition<32>(c);"): "takes a block or a tile",
    grouped("cg::reduce(c, 1, cg::plus<int>());").replace(
        "groups.h", "groups/reduce.h"
    ): "takes a tile or a coalesced group",
}

#: What CUDA takes and the simulator refuses, by name.
NOT_SUPPORTED = {
    "__global__ void __cluster_dims__(16) k(int *a) { }": "a cluster of 16 blocks is not",
    "__global__ void __cluster_dims__(3, 3) k(int *a) { }": "a cluster of 9 blocks is not",
    "__global__ void __cluster_dims__() k(int *a) { }": "",
    "__global__ void k(int *a) { __cluster_barrier_arrive_relaxed(); __cluster_barrier_wait(); }": (
        "`__cluster_barrier_arrive_relaxed` is not supported"
    ),
    grouped("auto t = cg::tiled_partition(c, 32);"): "takes a grid, a block, a tile or",
    grouped("f(c);", "__device__ void f(const cg::thread_group &g) { g.sync(); }"): "needed",
    grouped(
        "auto t = c.barrier_arrive(); c.barrier_wait(std::move(t));"
    ): "`std::move` needs its header",
    grouped("cg::invoke_one(c, [] { });"): "`cooperative_groups::invoke_one` is not supported",
}


def taken(text: str) -> None:
    for kernel in check(read(Source(text), headers={})).kernels.values():
        compile_kernel(kernel)


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_cuda_takes_is_taken(text: str) -> None:
    taken(text)


@pytest.mark.parametrize("text", [*REFUSED, *NOT_SUPPORTED])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        taken(text)
    assert (REFUSED | NOT_SUPPORTED)[text] in caught.value.message


@pytest.mark.parametrize("text", [*ACCEPTED, *REFUSED, *NOT_SUPPORTED])
def test_cuda_says_so(text: str) -> None:
    assert cuda_takes(text) == (text not in REFUSED)


def test_the_size_of_a_cluster_may_come_from_an_option() -> None:
    text = clustered("int *out", "out[blockIdx.x] = c.num_blocks();", "BLOCKS")
    out = simulator.zeros(4, "int32")
    simulator.RawKernel(text, "k", options=("-DBLOCKS=4",))((4,), (1,), (out,))
    assert out.get().tolist() == [4] * 4


def test_the_size_of_a_cluster_may_be_a_parameter_of_a_template() -> None:
    text = f"""{HEAD} template <int N> __global__ void __cluster_dims__(N) k(int *out) {{
      out[blockIdx.x] = cg::this_cluster().num_blocks();
    }}"""
    module = simulator.RawModule(code=text, name_expressions=["k<2>", "k<3>"])
    for size in (2, 3):
        out = simulator.zeros(6, "int32")
        module.get_function(f"k<{size}>")((6,), (1,), (out,))
        assert out.get().tolist() == [size] * 6


def test_a_declaration_before_may_have_the_size() -> None:
    text = f"""{HEAD} extern "C" __global__ void __cluster_dims__(2) k(int *out);
    extern "C" __global__ void k(int *out) {{ out[0] = cg::this_cluster().num_blocks(); }}"""
    out = simulator.zeros(1, "int32")
    simulator.RawKernel(text, "k")((2,), (1,), (out,))
    assert out.get().tolist() == [2]


def test_above_eight_blocks_the_message_says_what_is_missing() -> None:
    with pytest.raises(CompileError) as caught:
        taken("__global__ void __cluster_dims__(4, 4) k(int *a) { }")
    assert "NonPortableClusterSizeAllowed" in caught.value.hint
