"""Which atomics the compiler merges, as NVRTC's machine code for sm_90 shows it."""

import pytest

import simulator

FRAME = """
struct Queue {{ int *tail; int *items; }};
__device__ int tail;
__device__ int draw(int *tail) {{ return atomicAdd(tail, 1); }}
__device__ void count(int &hits) {{ hits++; }}
extern "C" __global__ void k(int *a, unsigned *u, int *out, int n) {{
  int i = threadIdx.x;
  {0}
}}
"""

#: From the machine code: whether a vote or a reduction stands before the atomic.
MERGED = {
    "always": [
        "atomicAdd(a, 1);",
        "out[i] = atomicAdd(&a[3], 1);",
        "out[i] = atomicAdd(a + n, n);",
        "out[i] = atomicAdd(&a[blockIdx.x], 1);",
        "out[i] = atomicAdd(&a[out[100]], 1);",
        "out[i] = atomicAdd(&tail, 1);",
        "out[i] = atomicSub(a, 1);",
        "out[i] = draw(a) + draw(a + 1);",
        "Queue q = {a, out}; q.items[i] = atomicAdd(q.tail, 1);",
        "int *p = a + n; if (out[i]) out[i] = atomicAdd(p, 1);",
        "for (int e = i; e < out[i]; e += n) out[e] = atomicAdd(a, 1);",
        "atomicAdd(a, i);",
        "atomicAdd(a, out[i]);",
        "atomicMax(a, i);",
        "atomicMin(u, (unsigned)i);",
        "atomicXor(u, 1u << i);",
    ],
    "whole warps": [
        "out[i] = atomicAdd(a, i);",
        "out[i] = atomicAdd(a, out[i]);",
        "int wanted = out[i] > 0; out[i] = atomicAdd(a, wanted);",
    ],
    "": [
        "out[i] = atomicAdd(&a[i % 4], 1);",
        "atomicAdd(&a[out[i]], 1);",
        "out[i] = atomicMax(a, 7);",
        "out[i] = atomicOr(u, 4u);",
        "atomicExch(a, 4);",
        "out[i] = atomicCAS(a, 0, 1);",
        "u[i] = atomicInc(u, 100u);",
        "atomicAdd((float *)a, 1.0f);",
        "atomicAdd((unsigned long long *)a, (unsigned long long)i);",
        "int *p = a; if (i > 3) p = a + 1; out[i] = atomicAdd(p, 1);",
        "for (int d = 0; d < i; d++) out[i] = atomicAdd(&a[d], 1);",
        "int hits = 0; if (i > 3) count(hits); out[i] = atomicAdd(&a[hits], 1);",
        "int own[2] = {i, i}; out[i] = atomicAdd(&a[own[0]], 1);",
    ],
}


@pytest.mark.parametrize(
    ("when", "statement"), [(when, s) for when, found in MERGED.items() for s in found]
)
def test_what_the_compiler_sees_to_be_one_address_is_merged(when: str, statement: str) -> None:
    kernel = simulator.RawKernel(FRAME.format(statement), "k")
    sites = [s for s in kernel.compiled().plan.sites if s.kind == "atomic"]
    assert sites
    assert {site.merged for site in sites} == {when}


def test_a_function_that_is_called_with_several_addresses_is_merged_nowhere() -> None:
    """The compiler, which inlines it, merges the first call alone."""
    kernel = simulator.RawKernel(FRAME.format("out[i] = draw(a) + draw(a + i);"), "k")
    sites = [s for s in kernel.compiled().plan.sites if s.kind == "atomic"]
    assert [site.merged for site in sites] == ["", ""]


def test_a_function_of_two_kernels_is_merged_in_the_one_where_it_can_be() -> None:
    text = """
    __device__ int draw(int *tail) { return atomicAdd(tail, 1); }
    extern "C" __global__ void one(int *a) { draw(a); }
    extern "C" __global__ void each(int *a) { draw(a + threadIdx.x); }
    """
    for name, sectors in (("one", 1), ("each", 4)):
        with simulator.counting() as record:
            simulator.RawKernel(text, name)((1,), (32,), (simulator.zeros(32, "int32"),))
        assert record.launches[0].counters.atomic_sectors == sectors
