"""`cuda::pipeline` of a thread and of a block, and `cuda::memcpy_async`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import run, source

HEADERS = """#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using cuda::thread_scope_block;
#pragma nv_diag_suppress static_var_with_dynamic_init
"""
SCHEDULES = ("lockstep", "warp", "random:2", "random:5", "round-robin:3")
_NUMBERS = np.arange(512, dtype="i4")
_TILES = _NUMBERS.reshape(8, 64)


def kernel(body: str, parameters: str = "const int *a, int *out") -> str:
    return source(parameters, f"int t = threadIdx.x; {body}", HEADERS)


def checked(text: str, *arguments: Any, block: int = 64, schedule: str = "lockstep") -> list[Any]:
    """What a launch under the sanitizers leaves in its arrays."""
    with simulator.Device(memory=1 << 20, schedule=schedule), simulator.sanitize("all"):
        arrays = [simulator.asarray(a) for a in arguments]
        simulator.RawKernel(text, "k")((1,), (block,), tuple(arrays))
        return [a.get() for a in arrays]


def of_block(stages: int, made: str = "") -> str:
    """The tiles of an array added up, each turned round, by so many stages."""
    return kernel(f"""__shared__ int buffer[{stages}][64];
      __shared__ cuda::pipeline_shared_state<thread_scope_block, {stages}> state;
      auto block = cg::this_thread_block(); auto pipe = cuda::make_pipeline(block, &state{made});
      int sum = 0, begun = 0;
      for (int tile = 0; tile < 8; tile++) {{
        for (; begun < 8 && begun < tile + {stages}; begun++) {{
          pipe.producer_acquire();
          cuda::memcpy_async(block, buffer[begun % {stages}], a + 64 * begun,
            cuda::aligned_size_t<4>(sizeof(int) * 64), pipe);
          pipe.producer_commit();
        }}
        pipe.consumer_wait(); sum = 2 * sum + buffer[tile % {stages}][63 - t];
        pipe.consumer_release();
      }}
      out[t] = sum;""")


def added(tiles: np.ndarray) -> np.ndarray:
    total = np.zeros(64, "i4")
    for tile in tiles:
        total = 2 * total + tile[::-1]
    return total


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_pipeline_of_the_block(stages: int, schedule: str) -> None:
    found = checked(of_block(stages), _NUMBERS, np.zeros(64, "i4"), schedule=schedule)[1]
    assert found.tolist() == added(_TILES).tolist()


PARTED = """__shared__ int buffer[2][32];
  __shared__ cuda::pipeline_shared_state<thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, MADE);
  if (t < 32) for (int tile = 0; tile < 8; tile++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&buffer[tile % 2][t], a + 64 * tile + t, sizeof(int), pipe);
    pipe.producer_commit();
  } else {
    int sum = 0;
    for (int tile = 0; tile < 8; tile++) {
      pipe.consumer_wait(); sum = 2 * sum + buffer[tile % 2][63 - t]; pipe.consumer_release();
    }
    out[t - 32] = sum;
  }"""
_ROLE = "t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("made", ["32", _ROLE])
def test_warps_that_produce_and_warps_that_consume(made: str, schedule: str) -> None:
    text = kernel(PARTED.replace("MADE", made))
    found = checked(text, _NUMBERS, np.zeros(32, "i4"), schedule=schedule)[1]
    total = np.zeros(32, "i4")
    for tile in _TILES:
        total = 2 * total + tile[31::-1]
    assert found.tolist() == total.tolist()


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.sampled_from("cbw12"), max_size=14), st.sampled_from(SCHEDULES))
def test_batches_of_a_thread(steps: list[str], schedule: str) -> None:
    """c copies the next number, b commits, w waits for a batch, digits for all but so many."""
    batches: list[list[int]] = [[]]
    there, seen, lines, copied, waited = set(), [], [], 0, 0
    for step in steps:
        if step == "c":
            batches[-1].append(copied)
            lines.append(f"cuda::memcpy_async(&tile[{copied}][t], &a[32 * {copied} + t], 4, pipe);")
            copied += 1
        elif step == "b":
            batches.append([])
            lines.append("pipe.producer_commit();")
        elif step == "w":
            waited = min(waited + 1, len(batches) - 1)
            lines.append("pipe.consumer_wait();")
        else:
            waited = max(0, len(batches) - 1 - int(step))
            lines.append(f"cuda::pipeline_consumer_wait_prior<{step}>(pipe);")
        for batch in batches[:waited]:
            there |= set(batch)
        seen.append(len(there))
        lines.append(
            f"out[{len(seen) - 1}] = 0; for (int i = 0; i < 14; i++)"
            f" out[{len(seen) - 1}] += tile[i][t] == 1;"
        )
    body = f"""__shared__ int tile[14][32]; for (int i = 0; i < 14; i++) tile[i][t] = 0;
      auto pipe = cuda::make_pipeline(); out += 14 * t; {" ".join(lines)}"""
    arrays = np.ones(448, "i4"), np.zeros(448, "i4")
    found = run(kernel(body), *arrays, schedule=schedule).arrays[1]
    for row in found.reshape(32, 14):
        assert row[: len(seen)].tolist() == seen


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "copy",
    [
        "cuda::memcpy_async(block, tile, a, sizeof(int) * 64, bar);",
        "cuda::memcpy_async(block, tile, a, cuda::aligned_size_t<16>(sizeof(int) * 64), bar);",
        "cuda::memcpy_async(tile + t, a + t, sizeof(int), bar);",
        "cuda::memcpy_async(tile + 2 * (t / 2), a + 2 * (t / 2), 4 + 4 * (t % 2), bar);",
        "auto half = cg::tiled_partition<32>(block); int first = t / 32 * 32;"
        " cuda::memcpy_async(half, tile + first, a + first, sizeof(int) * 32, bar);",
    ],
)
def test_copies_that_a_barrier_tells_of(copy: str, schedule: str) -> None:
    body = f"""__shared__ alignas(16) int tile[64];
      __shared__ cuda::barrier<thread_scope_block> bar; auto block = cg::this_thread_block();
      if (t == 0) init(&bar, 64); block.sync();
      {copy} bar.arrive_and_wait(); out[t] = tile[63 - t];"""
    if "t % 2" in copy:  # neighbours write the same: the race checker calls that harmless
        found = run(kernel(body), _NUMBERS, np.zeros(64, "i4"), block=64, schedule=schedule).arrays
    else:
        found = checked(kernel(body), _NUMBERS, np.zeros(64, "i4"), schedule=schedule)
    assert found[1].tolist() == list(range(63, -1, -1))


def test_copies_count_as_loads_and_stores_of_their_line() -> None:
    ran = run(of_block(2), _NUMBERS, np.zeros(64, "i4"), block=64)
    counters = ran.counters
    assert (counters.load_requests, counters.load_bytes) == (16, 2048)
    assert (counters.shared_requests, counters.atomic_requests) == (32, 0)
    assert ran.site("load").requests == 16


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("cuda::memcpy_async(tile, a, 4);", "takes 4 or 5 arguments, not 3"),
        ("cuda::memcpy_async(tile, a, 4, t);", "needs a pipeline or a barrier, not `int`"),
        ("cuda::memcpy_async(cg::this_grid(), tile, a, 4, pipe);", "takes a block, a tile or a"),
        ("cuda::memcpy_async((float *)tile, a, 4, pipe);", "copies `int` to `float`"),
        ("cuda::memcpy_async(tile, 3, 4, pipe);", "needs two pointers, not `int`"),
        ("cuda::pipeline_producer_commit(pipe, 3);", "is not supported"),
        ("pipe.foo();", "has no function `foo`"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    start = "__shared__ int tile[64]; auto pipe = cuda::make_pipeline();"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(kernel(start + body))
    assert message in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.source.name == "<kernel>"


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
@pytest.mark.parametrize("text", [of_block(2), *(PARTED.replace("MADE", m) for m in ("32", _ROLE))])
def test_nvidias_compiler_takes_what_is_tested(text: str, tmp_path: Path) -> None:
    whole = text if "__global__" in text else kernel(text)
    nvrtc.compile_text(whole, "pipelines.cu", tmp_path)
