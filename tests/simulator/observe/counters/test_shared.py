"""Bank conflicts and barriers, against 32 banks of 4 bytes filled word by word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.brute_force import conflicts
from tests.simulator.launching import run, source

STRIDED = "extern __shared__ {of} s[]; s[threadIdx.x * stride] = 1; out[threadIdx.x] = 0;"


def strided(of: str, stride: int, threads: int = 32) -> int:
    text = source("int *out, int stride", STRIDED.format(of=of))
    size = 8 if of in ("double", "long long") else 4
    ran = run(text, np.zeros(threads, "i4"), stride, block=threads, shared=1024 * size)
    assert ran.counters.shared_requests == threads // 32
    return ran.counters.bank_conflicts


@pytest.mark.parametrize("degree", range(1, 33))
def test_conflicts_of_every_degree(degree: int) -> None:
    """`degree` lanes aim at different words of bank 0, the others at banks of their own."""
    text = source(
        "int *out, int degree",
        "__shared__ int s[2048]; int i = threadIdx.x;\ns[i < degree ? 32 * i : i] = 1; out[i] = 0;",
    )
    ran = run(text, np.zeros(32, "i4"), degree)
    assert ran.counters.shared_requests == 1
    assert ran.counters.bank_conflicts == degree - 1
    assert ran.site("shared_store").bank_conflicts == degree - 1


@pytest.mark.parametrize("stride", range(1, 33))
def test_strides_of_four_byte_elements(stride: int) -> None:
    assert strided("int", stride) == np.gcd(stride, 32) - 1


@pytest.mark.parametrize("stride", range(1, 33))
def test_strides_of_eight_byte_elements(stride: int) -> None:
    """Each half warp takes two words a lane: 16 lanes, every second bank."""
    groups = [[(lane, lane * stride * 8) for lane in range(32)]]
    expected = conflicts(groups, 8)
    assert expected == 2 * (min(16, np.gcd(stride, 16)) - 1)
    assert strided("double", stride) == strided("long long", stride) == expected


def test_conflicts_add_up_over_warps() -> None:
    assert strided("int", 8, threads=128) == 4 * 7


@pytest.mark.parametrize("of", ["unsigned char", "short", "int", "double"])
def test_one_word_for_all_lanes_is_free(of: str) -> None:
    text = source(
        "int *out",
        f"__shared__ {of} s[64]; s[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = s[5];",
    )
    ran = run(text, np.zeros(32, "i4"))
    assert ran.site("shared_load").bank_conflicts == 0
    assert ran.counters.bank_conflicts == 0


def test_bytes_of_one_word_do_not_collide() -> None:
    text = source("int *out", "__shared__ char s[4096]; s[threadIdx.x] = 1; out[0] = 0;")
    assert run(text, np.zeros(32, "i4")).counters.bank_conflicts == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 511), min_size=1, max_size=96),
    st.sampled_from([("unsigned char", 1), ("int", 4), ("double", 8)]),
    st.sampled_from([("h200", 32), ("toy4", 4)]),
)
def test_random_places(places: list[int], of: tuple[str, int], machine: tuple[str, int]) -> None:
    name, size = of
    profile, warp_size = machine
    block = min(len(places), 16) if warp_size == 4 else len(places)
    places = places[:block]
    text = source(
        f"const int *at, {name} *out",
        f"__shared__ {name} s[512]; int i = threadIdx.x; s[at[i]] = 1; __syncthreads();\n"
        "out[i] = s[at[i]];",
    )
    out = np.zeros(block, {1: "u1", 4: "i4", 8: "f8"}[size])
    ran = run(text, np.array(places, "i4"), out, block=block, profile=profile)
    assert ran.arrays[1].tolist() == [1] * block
    numbered = [(i % warp_size, place * size) for i, place in enumerate(places)]
    groups = [numbered[i : i + warp_size] for i in range(0, block, warp_size)]
    expected = conflicts(groups, size, warp_size)
    for kind in ("shared_store", "shared_load"):
        site = ran.site(kind)
        assert (site.requests, site.lanes) == (len(groups), block)
        assert site.bank_conflicts == expected
    assert ran.counters.bank_conflicts == 2 * expected


def test_arrays_share_the_banks_of_their_block() -> None:
    """Two arrays of 33 words: element i of the second lies one bank further than of the first."""
    text = source(
        "int *out, int n",
        "__shared__ int a[33]; __shared__ int b[33]; int i = threadIdx.x;\n"
        "int *p = i & 1 ? b : a; p[i & 1 ? n : 0] = 1; out[i] = 0;",
    )
    apart = run(text, np.zeros(32, "i4"), 0).counters.bank_conflicts
    together = run(text, np.zeros(32, "i4"), 31).counters.bank_conflicts
    assert (apart, together) == (0, 1)


@pytest.mark.parametrize("block", [1, 31, 33, 1000])
@pytest.mark.parametrize("grid", [1, 5])
def test_barriers_are_counted_per_block(block: int, grid: int) -> None:
    text = source("int *out, int n", "for (int i = 0; i < n; i++) __syncthreads(); out[0] = 0;")
    ran = run(text, np.zeros(1, "i4"), 7, grid=grid, block=block)
    assert ran.counters.barriers == 7 * grid


def test_blocks_may_pass_different_numbers_of_barriers() -> None:
    text = source(
        "int *out", "for (int i = 0; i <= (int)blockIdx.x; i++) __syncthreads(); out[0] = 0;"
    )
    assert run(text, np.zeros(1, "i4"), grid=6, block=40).counters.barriers == 1 + 2 + 3 + 4 + 5 + 6


def test_votes_are_barriers() -> None:
    text = source(
        "int *out",
        "int i = threadIdx.x; out[i] = __syncthreads_count(i & 1)\n"
        "+ 100 * __syncthreads_and(i < 40) + 1000 * __syncthreads_or(i == 39);",
    )
    ran = run(text, np.zeros(40, "i4"), block=40)
    assert ran.counters.barriers == 3
    assert ran.arrays[0].tolist() == [20 + 100 + 1000] * 40
