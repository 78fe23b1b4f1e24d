"""How work spreads over threads, warps and blocks; and that waves of blocks count like one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.observe.counters import merge_sites
from tests.simulator.brute_force import gini, warps
from tests.simulator.launching import run, source

I = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741
LOOP = source(
    "const int *a, int *b, int n",
    f"{I} if (i >= n) return; int end = a[i]; int x = 0;\n"
    "for (int k = 0; k < end; k++) x += b[k]; ",
)


def histogram(work: simulator.Work) -> dict[int, int]:
    return dict(zip(work.values.tolist(), work.counts.tolist(), strict=True))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=80),
    st.sampled_from([1, 31, 32, 33, 64]),
    st.sampled_from(["h200", "toy4"]),
)
def test_the_histogram_of_work(amounts: list[int], block: int, profile: str) -> None:
    warp_size = simulator.PROFILES[profile].warp_size
    block = min(block, 16) if profile == "toy4" else block
    n, grid = len(amounts), -(-len(amounts) // block)
    ran = run(
        LOOP,
        np.array(amounts, "i4"),
        np.zeros(10, "i4"),
        n,
        grid=grid,
        block=block,
        profile=profile,
    )
    each = [amounts[i] + 1 if i < n else 0 for i in range(grid * block)]
    found = ran.counters
    assert histogram(found.work) == Counter(each)
    groups = warps(grid, block, warp_size)
    per_warp = [sum(each[p.everywhere] for p in group) for group in groups]
    assert histogram(found.work_per_warp) == Counter(per_warp)
    per_block = [sum(each[b * block : (b + 1) * block]) for b in range(grid)]
    assert histogram(found.work_per_block) == Counter(per_block)
    for work, values in (
        (found.work, each),
        (found.work_per_warp, per_warp),
        (found.work_per_block, per_block),
    ):
        assert (work.threads, work.total, work.maximum) == (len(values), sum(values), max(values))
        assert work.mean == pytest.approx(sum(values) / len(values))
        assert work.imbalance == pytest.approx(max(values) / (sum(values) / len(values)))
        assert work.gini == pytest.approx(gini(values))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=30))
def test_the_gini_coefficient_is_its_definition(values: list[int]) -> None:
    assert simulator.Work.of(np.array(values)).gini == pytest.approx(gini(values))


def test_equal_and_extreme_work() -> None:
    assert simulator.Work.of(np.full(100, 7)).gini == pytest.approx(0)
    one = np.zeros(100, int)
    one[3] = 5
    work = simulator.Work.of(one)
    assert (work.gini, work.imbalance) == (pytest.approx(0.99), pytest.approx(100))
    nothing = simulator.Work.of(np.zeros(4, int))
    assert (nothing.gini, nothing.imbalance, nothing.total) == (0, 0, 0)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_work_of_two_launches_is_work_of_all_their_threads(a: list[int], b: list[int]) -> None:
    both = simulator.Work.of(np.array(a, int)) + simulator.Work.of(np.array(b, int))
    assert histogram(both) == Counter(a + b)


def test_all_kinds_of_memory_count_as_work() -> None:
    text = source(
        "int *a",
        "__shared__ int s[64]; int mine[4] = {1}; int i = threadIdx.x; s[i] = mine[0];\n"
        "atomicAdd(&a[0], s[i]); atomicAdd(&s[i], 1); if (i < 8) a[i + 1] += 2;",
    )
    # The thread's own array is registers; += is a load and a store.
    found = run(text, np.zeros(64, "i4"), block=64).counters.work
    assert histogram(found) == {4: 56, 6: 8}


def test_a_thread_that_does_nothing_counts_as_one() -> None:
    found = run(source("int *a", "if (threadIdx.x == 5) a[0] = 1;"), np.zeros(1, "i4"), grid=3)
    assert histogram(found.counters.work) == {0: 93, 1: 3}
    assert found.counters.work.imbalance == 32


# Waves


BUSY = source(
    "int *a, const int *b, int n",
    f"""__shared__ int s[8]; {I}
    for (int k = threadIdx.x; k < 8; k += blockDim.x) s[k] = k;
    __syncthreads();
    int x = 0;
    for (int k = 0; k < b[i % n]; k++) {{ if (k == 5) break; x += s[(k * i) % 8]; }}
    atomicAdd(&a[x % 4], 1);
    if (i % 3 == 0) return;
    __syncthreads();
    a[4 + i] = x;""",
)


@pytest.mark.parametrize("name", ["toy2", "toy4"])
@pytest.mark.parametrize("block", [3, 8])
def test_waves_count_like_one_wave(name: str, block: int) -> None:
    """A profile with room for all blocks at once, and the toy with room for a few."""
    small = simulator.PROFILES[name]
    large = replace(small, multiprocessors=1000)
    grid = 37
    assert small.resident_blocks(block, 32) < grid < large.resident_blocks(block, 32)
    b = np.random.default_rng(3).integers(0, 9, 64).astype("i4")
    one, many = (
        run(BUSY, np.zeros(4 + grid * block, "i4"), b, 64, grid=grid, block=block, profile=p)
        for p in (large, small)
    )
    assert np.array_equal(one.arrays[0], many.arrays[0])
    for item in fields(simulator.Counters):
        left, right = getattr(one.counters, item.name), getattr(many.counters, item.name)
        if isinstance(left, simulator.Work):
            left, right = histogram(left), histogram(right)
        assert left == right, item.name
    assert {s.key: s.as_dict() for s in one.launch.sites} == {
        s.key: s.as_dict() for s in many.launch.sites
    }


def test_a_later_wave_sees_what_an_earlier_one_wrote() -> None:
    """Blocks that are resident together find the counter as it stood before their store."""
    text = source("int *a, int *seen", "seen[blockIdx.x] = a[0]; a[0] = blockIdx.x + 1;")
    toy = simulator.PROFILES["toy2"]
    resident = toy.resident_blocks(2, 0)
    ran = run(
        text,
        np.zeros(1, "i4"),
        np.zeros(3 * resident, "i4"),
        grid=3 * resident,
        block=2,
        profile=toy,
    )
    wave = [n * resident for n in range(3) for _ in range(resident)]
    assert ran.arrays[1].tolist() == wave


def test_counting_changes_nothing_and_stops() -> None:
    a = simulator.zeros(4, "int32")
    kernel = simulator.RawKernel(source("int *a", "atomicAdd(&a[threadIdx.x & 3], 1);"), "k")
    kernel((1,), (32,), (a,))
    with simulator.counting() as record, simulator.counting() as inner:
        kernel((2,), (32,), (a,))
    kernel((1,), (32,), (a,))
    assert a.get().tolist() == [32] * 4
    assert [launch.counters.atomic_lanes for launch in record.launches] == [64]
    assert len(inner.launches) == 1
    launch = record.launches[0]
    assert (launch.kernel, launch.grid, launch.block) == ("k", (2, 1, 1), (32, 1, 1))


def test_long_loops_are_counted_piece_by_piece() -> None:
    """More lanes than fit the log between two countings."""
    text = source("int *a, int n", f"{I} for (int k = 0; k < n; k++) a[i] += k;")
    found = run(text, np.zeros(4096, "i4"), 300, grid=16, block=256).counters
    assert found.load_requests == found.store_requests == 128 * 300
    assert found.load_sectors == found.store_sectors == 4 * 128 * 300
    assert found.branches == 128 * 301
    assert found.thread_steps == 4096 * (2 + 301 + 600)
    assert histogram(found.work) == {600: 4096}


def test_a_threads_own_array_is_no_work_behind_a_computed_pointer() -> None:
    text = source("int *a", "int mine[4] = {0}; int *p = threadIdx.x & 1 ? mine : a; p[2] = 1;")
    found = run(text, np.zeros(4, "i4")).counters
    assert (found.store_requests, found.store_bytes) == (1, 4 * 16)
    assert histogram(found.work) == {0: 16, 1: 16}


def test_counters_and_sites_are_ready_for_json() -> None:
    launch = run(BUSY, np.zeros(68, "i4"), np.ones(64, "i4"), 64, grid=4, block=16).launch
    counters = json.loads(json.dumps(launch.counters.as_dict()))
    assert counters["atomic_lanes"] == 64
    assert counters["work"]["total"] == launch.counters.work.total
    for site in json.loads(json.dumps([s.as_dict() for s in launch.sites])):
        assert site["line"] >= 3
        assert site["lanes"] >= site["requests"] > 0


def test_one_place_is_one_site_however_often_it_is_inlined() -> None:
    functions = "__device__ int f(const int *p, int i) { return p[i]; }"
    body = "int i = threadIdx.x; b[i] = f(a, i) + f(a, 31 - i) + f(b, i);"
    launch = run(
        source("const int *a, int *b", body, functions), np.zeros(32, "i4"), np.zeros(32, "i4")
    ).launch
    merged = merge_sites(launch.sites)
    loads = {s.array: (s.requests, s.sectors, s.line) for s in merged if s.kind == "load"}
    assert loads == {"a": (2, 8, 1), "b": (1, 4, 1)}
    assert sum(s.requests for s in merged) == sum(s.requests for s in launch.sites)
