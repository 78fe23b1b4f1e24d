"""Asynchronous copies to shared memory, of groups and of single threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import fault, run, source

HEADERS = """#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
"""
GROUPS = {
    "cg::this_thread_block()": 64,
    "cg::tiled_partition<8>(cg::this_thread_block())": 8,
    "cg::coalesced_threads()": 32,
}
TYPES = {"char": "i1", "short": "i2", "float": "f4", "double": "f8", "int4": "u1", "uchar3": "u1"}


def kernel(body: str, parameters: str = "const int *a, int *out") -> str:
    return source(parameters, f"int t = threadIdx.x; {body}", HEADERS)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("ctype", TYPES)
@pytest.mark.parametrize("counted", [False, True])
def test_groups_copy_together(group: str, ctype: str, counted: bool) -> None:
    size = {"int4": 16, "uchar3": 3}.get(ctype, np.dtype(TYPES[ctype]).itemsize)
    many = "tile, 37, part, 40" if counted else f"tile, part, 37 * sizeof({ctype})"
    body = f"""__shared__ {ctype} tiles[8][40]; auto group = {group};
      int first = t / group.num_threads(); {ctype} *tile = tiles[first];
      const {ctype} *part = a + 40 * first;
      cg::memcpy_async(group, {many}); cg::wait(group);
      for (int i = group.thread_rank(); i < 37; i += group.num_threads())
        out[40 * first + i] = tile[i];"""
    parts = 64 // GROUPS[group]
    given_bytes = np.random.default_rng(5).integers(0, 100, parts * 40 * size).astype("u1")
    array = given_bytes.view(TYPES[ctype])
    text = kernel(body, f"const {ctype} *a, {ctype} *out")
    given, out = (simulator.asarray(one) for one in (array, np.zeros_like(array)))
    with simulator.sanitize("all"):
        simulator.RawKernel(text, "k")((1,), (64,), (given, out))
    found = out.get()
    wanted = given_bytes.copy().reshape(parts, 40 * size)
    wanted[:, 37 * size :] = 0
    assert found.tobytes() == wanted.tobytes()


def test_what_is_copied_is_there_when_it_was_waited_for() -> None:
    body = """__shared__ int tile[32]; tile[t] = -t;
      __pipeline_memcpy_async(&tile[t], &a[t], 4); __pipeline_commit();
      out[2 * t] = tile[t]; __pipeline_wait_prior(0); out[2 * t + 1] = tile[t];"""
    found = run(kernel(body), np.arange(100, 132, dtype="i4"), np.zeros(64, "i4")).arrays[1]
    assert found.reshape(32, 2).tolist() == [[-t, 100 + t] for t in range(32)]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("cbw123"), max_size=14), st.integers(0, 2))
def test_batches(steps: list[str], schedule: int) -> None:
    """c copies the next number, b makes a batch, w and digits wait for all but so many."""
    batches: list[list[int]] = [[]]
    there, seen, lines, copied = [0] * 14, [], [], 0
    for step in steps:
        if step == "c":
            batches[-1].append(copied)
            line = f"__pipeline_memcpy_async(&tile[{copied}][t], &a[32 * {copied} + t], 4);"
            copied += 1
        elif step == "b":
            batches.append([])
            line = "__pipeline_commit();"
        else:
            prior = 0 if step == "w" else int(step)
            for batch in batches[: max(0, len(batches) - 1 - prior)]:
                for number in batch:
                    there[number] = 1
            line = f"__pipeline_wait_prior({prior});"
        lines.append(line)
        seen.append(sum(there))
        lines.append(
            f"out[{len(seen) - 1}] = 0; for (int i = 0; i < 14; i++)"
            f" out[{len(seen) - 1}] += tile[i][t] == 1;"
        )
    body = f"""__shared__ int tile[14][32]; for (int i = 0; i < 14; i++) tile[i][t] = 0;
      out += 14 * t; {" ".join(lines)}"""
    name = ("lockstep", "warp", "random:3")[schedule]
    found = run(kernel(body), np.ones(448, "i4"), np.zeros(448, "i4"), schedule=name).arrays[1]
    for row in found.reshape(32, 14):
        assert row[: len(seen)].tolist() == seen


def test_zeros_take_the_place_of_what_is_not_copied() -> None:
    body = """__shared__ int4 tile[32];
      __pipeline_memcpy_async(&tile[t], (const int4 *)a + t, 16, t < 20 ? 0 : 16);
      __pipeline_commit(); __pipeline_wait_prior(0); out[t] = tile[t].w;"""
    found = run(kernel(body), np.arange(1, 81, dtype="i4"), np.zeros(32, "i4")).arrays[1]
    assert found.tolist() == [4 * t + 4 if t < 20 else 0 for t in range(32)]


def test_copies_are_loads_and_stores_of_their_line() -> None:
    body = """__shared__ float4 tile[64]; auto block = cg::this_thread_block();
      cg::memcpy_async(block, tile, a, sizeof(float4) * 64);
      cg::wait(block); out[t] = tile[t].x;"""
    text = kernel(body, "const float4 *a, float *out")
    ran = run(text, np.zeros(256, "f4"), np.zeros(64, "f4"), block=64)
    assert (ran.counters.load_requests, ran.counters.load_sectors) == (2, 32)
    assert (ran.counters.shared_requests, ran.counters.barriers) == (4, 1)
    assert ran.site("load", "cg::memcpy_async(block, tile, a, sizeof(float4) * 64)").requests == 2


@pytest.mark.parametrize("alignment", [4, 8, 16, 32])
def test_alignments_that_are_promised(alignment: int) -> None:
    """Copies of 16 bytes at most go by as few accesses as the promise allows."""
    body = f"""__shared__ alignas(16) int tile[64]; auto block = cg::this_thread_block();
      cg::memcpy_async(block, tile, a, cuda::aligned_size_t<{alignment}>(sizeof(int) * 64));
      cg::wait(block); out[t] = tile[63 - t];"""
    text = f"#include <cuda/barrier>\n{kernel(body)}"
    ran = run(text, np.arange(64, dtype="i4"), np.zeros(64, "i4"), block=64)
    assert ran.arrays[1].tolist() == list(range(63, -1, -1))
    assert ran.counters.load_requests == {4: 2, 8: 1, 16: 1, 32: 1}[alignment]
    assert ran.counters.load_bytes == 256


def test_to_other_memory_a_group_copies_at_once() -> None:
    body = """cg::memcpy_async(cg::this_thread_block(), out, a, 4 * 32); out[t] += 1;"""
    found = run(kernel(body), np.arange(32, dtype="i4"), np.zeros(32, "i4")).arrays[1]
    assert found.tolist() == list(range(1, 33))


def test_a_thread_copies_to_shared_memory_only() -> None:
    found = fault(kernel("__pipeline_memcpy_async(&out[t], &a[t], 4);"), *[np.zeros(32, "i4")] * 2)
    assert "not the block's shared memory" in found.message


def test_a_copy_past_the_end_is_a_fault_where_it_begins() -> None:
    body = """__shared__ int other[64]; __shared__ int tile[16]; other[t] = 1;
      cg::memcpy_async(cg::this_thread_block(), tile, a, 4 * 32);"""
    found = fault(kernel(body), np.zeros(64, "i4"), np.zeros(1, "i4"))
    assert "tile" in found.message
    assert "memcpy_async" in found.span.text if found.span else False


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("__pipeline_memcpy_async(tile, a, 5);", "cannot copy `5` bytes"),
        ("__pipeline_memcpy_async(tile, a, t);", "cannot copy `t` bytes"),
        ("__pipeline_memcpy_async(tile, a, 16, 4);", "cannot fill 4 bytes"),
        ("__pipeline_memcpy_async(tile, 3, 4);", "takes `const void *` here, not `int`"),
        ("cg::memcpy_async(cg::this_grid(), tile, a, 4);", "takes a block, a tile or a coalesced"),
        ("cg::memcpy_async(block, tile, 3, 4);", "needs two pointers, not `int`"),
        ("cg::memcpy_async(block, (float *)tile, a, 4);", "copies `int` to `float`"),
        ("cg::memcpy_async(block, a, a, 4);", "cannot change what `const int *` points to"),
        ("cg::memcpy_async(block, tile, a);", "takes 4 or 5 arguments, not 3"),
        ("cg::memcpy_async(block, tile, a, cuda::aligned_size_t<16>(4));", "is not supported"),
        ("cg::wait(cg::this_grid());", "takes a block, a tile or a coalesced"),
        ("cg::wait_prior<t>(block);", "needs one constant number of batches"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    start = "__shared__ int tile[64]; auto block = cg::this_thread_block();"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(kernel(start + body))
    assert message in caught.value.message


def test_copies_need_their_headers() -> None:
    text = source("int *a", "cooperative_groups::wait(cooperative_groups::this_thread_block());")
    with pytest.raises(simulator.CompileError, match="needs its header") as caught:
        simulator.RawModule("#include <cooperative_groups.h>\n" + text)
    assert "cooperative_groups/memcpy_async.h" in caught.value.hint


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_compiler_takes_what_is_tested(tmp_path: Path) -> None:
    body = """__shared__ int4 tile[32]; __shared__ short other[64];
      auto block = cg::this_thread_block();
      __pipeline_memcpy_async(&tile[t], (const int4 *)a + t, 16, t < 20 ? 0 : 16);
      __pipeline_commit(); __pipeline_wait_prior(1);
      cg::memcpy_async(block, other, 32, (const short *)a, 30);
      cg::memcpy_async(cg::coalesced_threads(), tile, (const int4 *)a, sizeof(int4) * 32);
      cg::wait_prior<1>(block); cg::wait(block); out[t] = tile[t].w + other[t];"""
    nvrtc.compile_text(kernel(body), "copies.cu", tmp_path)


@pytest.mark.parametrize(
    ("index", "sectors"),
    [
        *[("t", 16), ("2 * t", 16), ("3 * t", 20), ("4 * t", 16), ("5 * t", 24), ("8 * t", 32)],
        *[("0", 16), ("t / 2", 16), ("31 - t", 16)],
    ],
)
def test_copies_of_16_bytes_count_what_an_h200_counts(index: str, sectors: int) -> None:
    code = f"""#include <cuda_pipeline.h>
    extern "C" __global__ void k(const float4 *from, float *b) {{
      __shared__ float4 tile[32];
      int t = threadIdx.x;
      __pipeline_memcpy_async(&tile[t], &from[{index}], 16);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      b[t] = tile[t].x;
    }}"""
    a, b = simulator.zeros(1024, "float32"), simulator.zeros(32, "float32")
    with simulator.counting() as record:
        simulator.RawKernel(code, "k")((1,), (32,), (a, b))
    assert record.launches[0].counters.load_sectors == sectors


def test_what_says_where_to_copy_from_is_loaded_as_ever() -> None:
    code = """#include <cuda_pipeline.h>
    extern "C" __global__ void k(const float4 *from, const int *at, float *b) {
      __shared__ float4 tile[32];
      int t = threadIdx.x;
      __pipeline_memcpy_async(&tile[t], &from[at[8 * t]], 16);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      b[t] = tile[t].x;
    }"""
    a, at, b = (simulator.zeros(1024, kind) for kind in ("float32", "int32", "float32"))
    with simulator.counting() as record:
        simulator.RawKernel(code, "k")((1,), (32,), (a, at, b))
    assert record.launches[0].counters.load_sectors == 32 + 16
