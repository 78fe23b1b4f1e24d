"""What atomics cost: requests, lanes, the busiest address, failed swaps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from tests.simulator.brute_force import requests_of, warps
from tests.simulator.launching import run, source

I = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741


def passes(request: list[int]) -> int:
    """Visits to sectors: each is visited as often as the busiest of its addresses is aimed at."""
    busiest: Counter[int] = Counter()
    for byte, lanes in Counter(request).items():
        busiest[byte // 32] = max(busiest[byte // 32], lanes)
    return busiest.total()


def test_one_address_for_all() -> None:
    ran = run(source("int *a", "atomicAdd(&a[5], 1);"), np.zeros(9, "i4"), grid=3, block=64)
    assert ran.arrays[0][5] == 192
    found = ran.counters
    assert (found.atomic_requests, found.atomic_sectors, found.atomic_lanes) == (6, 6, 192)
    assert (found.same_address_max, found.hottest_ops) == (32, 192)
    assert found.hottest_address == "a[5]"
    assert (found.load_requests, found.store_requests) == (0, 0)


def test_an_address_for_each_lane() -> None:
    ran = run(source("int *a", "atomicAdd(&a[threadIdx.x], 1);"), np.zeros(32, "i4"), grid=4)
    found = ran.counters
    assert (found.atomic_requests, found.atomic_sectors) == (4, 16)
    assert (found.same_address_max, found.hottest_ops) == (1, 4)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=150),
    st.sampled_from([("int", "i4"), ("unsigned long long", "u8"), ("float", "f4")]),
    st.sampled_from([1, 32, 50]),
)
def test_random_addresses(places: list[int], of: tuple[str, str], block: int) -> None:
    n, grid = len(places), -(-len(places) // block)
    text = source(f"{of[0]} *a, const int *at, int n", f"{I} if (i < n) atomicAdd(&a[at[i]], 1);")
    ran = run(text, np.zeros(41, of[1]), np.array(places, "i4"), n, grid=grid, block=block)
    hits = Counter(places)
    assert ran.arrays[0].tolist() == [hits[p] for p in range(41)]
    groups = [[p for p in w if p.everywhere < n] for w in warps(grid, block)]
    size = np.dtype(of[1]).itemsize
    wanted = requests_of(groups, lambda p: places[p.everywhere] * size)
    found = ran.counters
    assert (found.atomic_requests, found.atomic_lanes) == (len(wanted), n)
    assert found.atomic_sectors == sum(passes(request) for request in wanted)
    assert found.same_address_max == max(max(Counter(r).values()) for r in wanted)
    assert found.hottest_ops == max(hits.values())
    assert found.hottest_address in {f"a[{p}]" for p, c in hits.items() if c == found.hottest_ops}


def test_the_busiest_address_gathers_all_sites_and_waves() -> None:
    text = source(
        "int *a, int *b",
        "atomicAdd(&b[threadIdx.x], 1); atomicAdd(&a[2], 1); atomicMax(&a[2], 7);\n"
        "if (threadIdx.x == 0) atomicSub(&a[2], 1);",
    )
    ran = run(text, np.zeros(4, "i4"), np.zeros(8, "i4"), grid=50, block=8, profile="toy2")
    assert (ran.counters.hottest_address, ran.counters.hottest_ops) == ("a[2]", 50 * 17)


def test_a_label_names_the_busiest_address() -> None:
    with simulator.Device(memory=1 << 20) as device:
        a = simulator.zeros(8, "int32")
        device.label(a, "next_size")
        kernel = simulator.RawKernel(source("int *p", "atomicAdd(p, 1);"), "k")
        with simulator.counting(device) as record:
            kernel((1,), (32,), (a,))
    assert record.launches[0].counters.hottest_address == "next_size[0]"


@pytest.mark.parametrize("lanes_a_word", [1, 2, 4, 8, 16, 32])
def test_compare_and_swap_lets_one_lane_an_address_win(lanes_a_word: int) -> None:
    text = source("int *a, int d", f"{I} atomicCAS(&a[i / d], 0, i + 1);")
    ran = run(text, np.zeros(64, "i4"), lanes_a_word, grid=2)
    assert ran.counters.cas_failed == 64 - 64 // lanes_a_word
    assert ran.counters.same_address_max == lanes_a_word
    assert np.count_nonzero(ran.arrays[0]) == 64 // lanes_a_word
    assert ran.site("atomic").cas_failed == ran.counters.cas_failed


def test_every_swap_fails_where_nothing_matches() -> None:
    ran = run(source("int *a", "atomicCAS(&a[threadIdx.x], 1, 2);"), np.zeros(32, "i4"), grid=2)
    assert ran.counters.cas_failed == 64
    assert not ran.arrays[0].any()


def test_shared_atomics_are_shared_requests() -> None:
    text = source(
        "int *a",
        "__shared__ int s[4]; if (threadIdx.x < 4) s[threadIdx.x] = 0; __syncthreads();\n"
        "atomicAdd(&s[1], 1); __syncthreads(); if (threadIdx.x == 0) a[blockIdx.x] = s[1];",
    )
    ran = run(text, np.zeros(3, "i4"), grid=3, block=96)
    found = ran.counters
    assert ran.arrays[0].tolist() == [96] * 3
    assert (found.atomic_requests, found.atomic_lanes) == (0, 0)
    assert ran.site("shared_atomic").requests == 9
    assert (found.same_address_max, found.hottest_ops) == (32, 96)
    assert found.hottest_address in {f"s[1] of block {block}" for block in range(3)}


def test_the_same_place_of_two_blocks_is_two_addresses() -> None:
    text = source(
        "int *a, int n",
        "extern __shared__ int s[]; s[3] = 0; __syncthreads();\n"
        "if (blockIdx.x == n || threadIdx.x == 0) atomicAdd(&s[3], 1);",
    )
    ran = run(text, np.zeros(3, "i4"), 2, grid=4, block=32, shared=64)
    assert (ran.counters.hottest_address, ran.counters.hottest_ops) == ("s[3] of block 2", 32)


def test_several_launches_together() -> None:
    one = simulator.Counters(hottest_ops=3, hottest_address="a[0]", same_address_max=2)
    two = simulator.Counters(hottest_ops=5, hottest_address="b[1]", same_address_max=1)
    for both in (one + two, two + one):
        assert (both.hottest_ops, both.hottest_address, both.same_address_max) == (5, "b[1]", 2)
