"""Requests and sectors of global loads and stores, against sets of sectors built lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.brute_force import lanes, requests_of, sectors, warps
from tests.simulator.launching import run, source

TYPES = {
    "unsigned char": "u1",
    "short": "i2",
    "int": "i4",
    "float": "f4",
    "long long": "i8",
    "double": "f8",
}
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"  # noqa: E741


def copy(index: str, of: str = "int") -> str:
    return source(f"const {of} *a, {of} *b, int n, int s", f"{I} if (i < n) b[i] = a[{index}];")


@pytest.mark.parametrize(("name", "code"), TYPES.items())
def test_coalesced_access_of_every_element_size(name: str, code: str) -> None:
    a = np.arange(256).astype(code)
    ran = run(copy("i", name), a, np.zeros(256, code), 256, 1, grid=2, block=128)
    size = np.dtype(code).itemsize
    assert np.array_equal(ran.arrays[1], a)
    assert ran.counters.load_requests == ran.counters.store_requests == 8
    assert ran.counters.load_sectors == ran.counters.store_sectors == 8 * size
    assert ran.counters.load_bytes == 256 * size
    assert ran.counters.sectors_per_request == size
    assert ran.counters.load_efficiency == 1.0


@pytest.mark.parametrize("stride", range(1, 33))
def test_strided_access(stride: int) -> None:
    ran = run(copy("i * s"), np.zeros(64 * 32, "i4"), np.zeros(64, "i4"), 64, stride, grid=2)
    touched = {lane * stride * 4 // 32 for lane in range(32)}
    assert len(touched) == min(32, -(-(31 * stride + 1) // 8))
    assert ran.counters.load_requests == 2
    assert ran.counters.load_sectors == 2 * len(touched)


@pytest.mark.parametrize("offset", range(33))
def test_misaligned_access(offset: int) -> None:
    ran = run(copy("i + s"), np.zeros(64, "i4"), np.zeros(32, "i4"), 32, offset)
    assert ran.counters.load_sectors == 4 + (offset % 8 != 0)


@pytest.mark.parametrize(("name", "code"), TYPES.items())
@pytest.mark.parametrize("offset", [1, 3, 4, 7, 8, 15, 31])
def test_misaligned_access_of_other_sizes(name: str, code: str, offset: int) -> None:
    a = np.zeros(80, code)
    ran = run(copy("i + s", name), a, np.zeros(32, code), 32, offset)
    size = a.itemsize
    expected = sectors([[(lane + offset) * size for lane in range(32)]], size)
    assert ran.counters.load_sectors == expected
    assert ran.counters.store_sectors == size


def test_a_broadcast_is_one_sector() -> None:
    ran = run(copy("s"), np.zeros(8, "i4"), np.zeros(96, "i4"), 96, 5, block=96)
    assert (ran.counters.load_requests, ran.counters.load_sectors) == (3, 3)
    assert ran.counters.load_efficiency == 32 * 4 / 32
    assert ran.site("load", "a[s]").lanes == 96


def test_all_lanes_storing_to_one_element_is_one_sector() -> None:
    ran = run(source("int *a", "a[3] = threadIdx.x;"), np.zeros(8, "i4"), block=64)
    assert (ran.counters.store_requests, ran.counters.store_sectors) == (2, 2)
    assert ran.arrays[0][3] in range(64)


@pytest.mark.parametrize("of", ["int", "double"])
def test_vectors_are_one_request(of: str) -> None:
    body = f"{I} b[i] = a[i];"
    a = np.arange(128 if of == "int" else 64).astype("i4" if of == "int" else "f8")
    width = 4 if of == "int" else 2
    ran = run(source(f"const {of}{width} *a, {of}{width} *b", body), a, np.zeros_like(a))
    assert np.array_equal(ran.arrays[1], a)
    assert (ran.counters.load_requests, ran.counters.load_sectors) == (1, 16)
    assert (ran.counters.store_requests, ran.counters.store_sectors) == (1, 16)
    assert ran.counters.load_bytes == 32 * 16


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 999), min_size=1, max_size=100),
    st.sampled_from(sorted(TYPES.items())),
    st.sampled_from([1, 7, 31, 32, 33, 64]),
)
def test_random_gathers(places: list[int], of: tuple[str, str], block: int) -> None:
    name, code = of
    text = source(
        f"const {name} *a, const int *at, {name} *b, int n", f"{I} if (i < n) b[i] = a[at[i]];"
    )
    n, grid = len(places), -(-len(places) // block)
    a = np.arange(1000).astype(code)
    at = np.array(places, "i4")
    ran = run(text, a, at, np.zeros(n, code), n, grid=grid, block=block)
    assert np.array_equal(ran.arrays[2], a[at])
    groups = [[p for p in w if p.everywhere < n] for w in warps(grid, block)]
    gathered = requests_of(groups, lambda p: places[p.everywhere] * a.itemsize)
    straight = requests_of(groups, lambda p: p.everywhere * 4)
    stored = requests_of(groups, lambda p: p.everywhere * a.itemsize)
    site = ran.site("load", "a[at[i]]")
    assert (site.requests, site.sectors, site.lanes) == (
        len(gathered),
        sectors(gathered, a.itemsize),
        n,
    )
    assert ran.site("load", "at[i]").sectors == sectors(straight)
    assert ran.counters.store_sectors == sectors(stored, a.itemsize)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 7), st.integers(1, 4)),
    st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 2)),
    st.tuples(*[st.integers(0, 40)] * 6),
    st.sampled_from(["h200", "toy2", "toy4"]),
)
def test_blocks_and_grids_of_three_dimensions(
    block: tuple[int, int, int],
    grid: tuple[int, int, int],
    weights: tuple[int, ...],
    profile: str,
) -> None:
    parts = [f"{w} * {name}Idx.{axis}" for w, (name, axis) in zip(weights, _axes(), strict=True)]
    size = 1 + sum(40 * n for n in (*block, *grid))
    text = source("int *a, int *b", f"int x = a[{' + '.join(parts)}]; b[0] = x;")
    ran = run(
        text, np.zeros(size, "i4"), np.zeros(1, "i4"), grid=grid, block=block, profile=profile
    )
    warp_size = {"h200": 32, "toy2": 2, "toy4": 4}[profile]
    groups = warps(grid, block, warp_size)
    places = requests_of(groups, lambda p: 4 * int(np.dot(weights, (*p.thread, *p.block))))
    assert ran.counters.load_requests == len(groups)
    assert ran.counters.load_sectors == sectors(places)
    assert ran.counters.load_bytes == 4 * sum(1 for _ in lanes(grid, block))


def _axes() -> list[tuple[str, str]]:
    return [(name, axis) for name in ("thread", "block") for axis in "xyz"]


@pytest.mark.parametrize("block", [1, 31, 33, 1000])
def test_partial_last_warps(block: int) -> None:
    n = 3 * block
    ran = run(copy("i"), np.arange(n, dtype="i4"), np.zeros(n, "i4"), n, 1, grid=3, block=block)
    assert np.array_equal(ran.arrays[1], np.arange(n))
    places = requests_of(warps(3, block), lambda p: 4 * p.everywhere)
    assert ran.counters.load_requests == len(places) == 3 * -(-block // 32)
    assert ran.counters.load_sectors == ran.counters.store_sectors == sectors(places)


def test_a_pointer_to_anywhere_counts_like_an_array() -> None:
    body = f"{I} const int *p = i & 1 ? a : b; c[i] = p[i];"
    text = source("const int *a, const int *b, int *c", body)
    a, b = np.arange(64, dtype="i4"), -np.arange(64, dtype="i4")
    ran = run(text, a, b, np.zeros(64, "i4"), grid=2)
    assert np.array_equal(ran.arrays[2], np.where(np.arange(64) & 1, a, b))
    # Odd lanes touch the four sectors of a, even lanes the four of b: eight a warp.
    assert (ran.counters.load_requests, ran.counters.load_sectors) == (2, 16)


def test_a_slice_counts_where_it_really_lies() -> None:
    import simulator

    with simulator.Device(memory=1 << 20) as device:
        whole = simulator.arange(64, dtype="int32")
        kernel = simulator.RawKernel(source("int *a", "int x = a[threadIdx.x];"), "k")
        with simulator.counting(device) as record:
            for start in range(9):
                kernel((1,), (32,), (whole[start:],))
    found = [launch.counters.load_sectors for launch in record.launches]
    assert found == [4, 5, 5, 5, 5, 5, 5, 5, 4]
