"""Cooperative groups, against each group worked out thread by thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.brute_force import lanes
from tests.simulator.launching import grouped, run, source

QUICK = settings(max_examples=25, deadline=None)
WARP = {"h200": 32, "toy4": 4, "toy2": 2}
PROFILES = st.sampled_from(sorted(WARP))
SIZES = (1, 2, 4, 8, 16, 32)


SHAPE = grouped(
    "unsigned *b, unsigned long long *g",
    """cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    int i = 8 * (int)grid.thread_rank();
    b[i] = block.thread_rank(); b[i + 1] = block.size(); b[i + 2] = block.num_threads();
    b[i + 3] = block.group_index().y; b[i + 4] = block.thread_index().z;
    b[i + 5] = block.dim_threads().x; b[i + 6] = block.group_dim().y;
    b[i + 7] = cg::thread_rank(block) + cg::group_size(block);
    g[i] = grid.thread_rank(); g[i + 1] = grid.size(); g[i + 2] = grid.num_threads();
    g[i + 3] = grid.num_blocks(); g[i + 4] = grid.block_rank(); g[i + 5] = grid.block_index().x;
    g[i + 6] = grid.thread_index().x;
    g[i + 7] = grid.dim_threads().y * 100 + grid.group_dim().x;""",
)


@pytest.mark.parametrize(
    ("grid", "block"), [((3, 1, 1), (5, 1, 1)), ((2, 3, 2), (3, 2, 2)), ((1, 2, 1), (33, 1, 1))]
)
def test_blocks_and_grids_of_every_shape(grid: Any, block: Any) -> None:
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    total = threads * blocks
    arrays = np.zeros(8 * total, "u4"), np.zeros(8 * total, "u8")
    ran = run(SHAPE, *arrays, grid=grid, block=block)
    for lane in lanes(grid, block):
        rank = lane.everywhere // threads
        at = slice(8 * lane.everywhere, 8 * lane.everywhere + 8)
        own = [lane.place, threads, threads, lane.block[1], lane.thread[2]]
        assert ran.arrays[0][at].tolist() == [*own, block[0], block[1], lane.place + threads]
        whole = [lane.everywhere, total, total, blocks, rank, lane.block[0]]
        x = lane.block[0] * block[0] + lane.thread[0]
        assert ran.arrays[1][at].tolist() == [*whole, x, grid[1] * block[1] * 100 + grid[0]]


TILE = """cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<{n}> tile = cg::tiled_partition<{n}>(block);
    int i = threadIdx.x, all = 0; unsigned *o = out + 14 * i;
    o[0] = tile.thread_rank(); o[1] = tile.size(); o[2] = tile.num_threads();
    o[3] = tile.meta_group_rank(); o[4] = tile.meta_group_size();
    o[5] = tile.shfl(a[i], 1); o[6] = tile.shfl_up(a[i], 1); o[7] = tile.shfl_down(a[i], 2);
    o[8] = tile.shfl_xor(a[i], 1 % {n}); o[9] = tile.ballot(a[i] & 1);
    o[10] = 2 * tile.any(a[i] == 3) + tile.all(a[i] < 3); o[11] = tile.match_any(a[i]);
    o[12] = tile.match_all(a[i] / 4, all) + 1000000007u * all;
    o[13] = cg::reduce(tile, a[i], cg::plus<unsigned>());"""


@QUICK
@given(st.sampled_from(SIZES), PROFILES, st.data())
def test_tiles_of_every_size(n: int, profile: str, data: st.DataObject) -> None:
    size, block = WARP[profile], {"h200": 64, "toy4": 16, "toy2": 8}[profile]
    values = data.draw(st.lists(st.integers(0, 4), min_size=block, max_size=block))
    text = grouped("const unsigned *a, unsigned *out", TILE.replace("{n}", str(n)))
    arrays = np.array(values, "u4"), np.zeros(14 * block, "u4")
    found = run(text, *arrays, block=block, profile=profile).arrays[1].reshape(block, 14)
    width = min(n, size)
    for i in range(block):
        rank, first = i % width, i // width * width
        tile = values[first : first + width]
        bits = [sum((v == w) << k for k, v in enumerate(tile)) for w in range(5)]
        wanted = [rank, width, width, i // width, block // width, tile[1 % width]]
        wanted += [tile[rank - 1] if rank else values[i]]
        wanted += [tile[rank + 2] if rank + 2 < width else values[i]]
        wanted += [values[i ^ 1 % width], bits[1] | bits[3]]
        wanted += [2 * (3 in tile) + all(v < 3 for v in tile), bits[values[i]]]
        every = (1 << width) - 1 if len({v // 4 for v in tile}) == 1 else 0
        wanted += [(every + 1000000007 * (every != 0)) % 2**32, sum(tile)]
        assert found[i].tolist() == wanted


def test_the_last_tile_of_a_block_may_be_short() -> None:
    body = """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[threadIdx.x] = tile.ballot(1) + 1000 * tile.meta_group_size();"""
    found = run(grouped("unsigned *out", body), np.zeros(20, "u4"), block=20).arrays[0]
    assert found.tolist() == [3000 + (255 if i < 16 else 15) for i in range(20)]


@pytest.mark.parametrize(("outer", "inner"), [(32, 8), (16, 4), (8, 4), (4, 1)])
def test_tiles_of_tiles(outer: int, inner: int) -> None:
    body = f"""cg::thread_block_tile<{outer}> outer =
      cg::tiled_partition<{outer}>(cg::this_thread_block());
    cg::thread_block_tile<{inner}, cg::thread_block_tile<{outer}>> inner =
      cg::tiled_partition<{inner}>(outer);
    out[2 * threadIdx.x] = inner.thread_rank() + 100 * inner.meta_group_rank();
    out[2 * threadIdx.x + 1] = inner.meta_group_size();"""
    found = run(grouped("unsigned *out", body), np.zeros(128, "u4"), block=64).arrays[0]
    wanted = [(i % inner + 100 * (i % outer // inner), outer // inner) for i in range(64)]
    assert found.reshape(64, 2).tolist() == [list(pair) for pair in wanted]


COALESCED = """int i = threadIdx.x, all = 0;
    if (on[i]) {
      cg::coalesced_group g = cg::coalesced_threads(); unsigned *o = out + 12 * i;
      o[0] = g.thread_rank(); o[1] = g.size(); o[2] = g.shfl(a[i], g.num_threads() - 1);
      o[3] = g.shfl_up(a[i], 1); o[4] = g.shfl_down(a[i], 2); o[5] = g.ballot(a[i] & 1);
      o[6] = g.any(a[i] == 3) + 2 * g.all(a[i] < 3); o[7] = g.match_any(a[i]);
      o[8] = g.match_all(a[i] / 4, all) + 1000000007u * all;
      o[9] = cg::reduce(g, a[i], cg::greater<unsigned>{});
      auto part = cg::tiled_partition(g, 4);
      o[10] = part.thread_rank() + 10 * part.size() + 100 * part.meta_group_rank();
      o[11] = part.meta_group_size() + 10 * g.meta_group_size() + g.meta_group_rank();
    }"""


@QUICK
@given(PROFILES, st.data())
def test_coalesced_threads(profile: str, data: st.DataObject) -> None:
    size, block = WARP[profile], {"h200": 40, "toy4": 16, "toy2": 8}[profile]
    values = data.draw(st.lists(st.integers(0, 4), min_size=block, max_size=block))
    on = data.draw(st.lists(st.booleans(), min_size=block, max_size=block))
    text = grouped("const int *on, const unsigned *a, unsigned *out", COALESCED)
    arrays = np.array(on, "i4"), np.array(values, "u4"), np.zeros(12 * block, "u4")
    found = run(text, *arrays, block=block, profile=profile).arrays[2].reshape(block, 12)
    for i in range(block):
        warp = range(i // size * size, min(block, (i // size + 1) * size))
        group = [k for k in warp if on[k]]
        if not on[i]:
            assert not found[i].any()
            continue
        rank, count, own = group.index(i), len(group), [values[k] for k in group]
        bits = [sum((v == w) << k for k, v in enumerate(own)) for w in range(5)]
        wanted = [rank, count, own[-1], own[rank - 1] if rank else values[i]]
        wanted += [own[rank + 2] if rank + 2 < count else values[i], bits[1] | bits[3]]
        wanted += [(3 in own) + 2 * all(v < 3 for v in own), bits[values[i]]]
        every = (1 << count) - 1 if len({v // 4 for v in own}) == 1 else 0
        wanted += [(every + 1000000007 * (every != 0)) % 2**32, max(own)]
        part = len(own[rank // 4 * 4 : rank // 4 * 4 + 4])
        wanted += [rank % 4 + 10 * part + 100 * (rank // 4), -(-count // 4) + 10]
        assert found[i].tolist() == wanted


@pytest.mark.parametrize("profile", WARP)
@pytest.mark.parametrize("n", [1, 4, 32])
def test_groups_of_any_kind(profile: str, n: int) -> None:
    body = """cg::thread_group whole = cg::this_thread_block();
    cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), n);
    cg::thread_group again = cg::tiled_partition(part, 2);
    cg::thread_group tile = cg::tiled_partition<2>(cg::this_thread_block());
    int i = threadIdx.x; unsigned long long *o = out + 5 * i;
    o[0] = whole.thread_rank() + 100 * whole.size();
    o[1] = part.thread_rank() + 100 * part.size();
    o[2] = again.thread_rank() + 100 * again.size(); o[3] = tile.thread_rank();
    if (i % 2) { cg::thread_group odd = cg::coalesced_threads(); o[4] = odd.size(); }
    part.sync(); whole.sync(); cg::sync(tile);"""
    text = grouped("unsigned long long *out, unsigned n", body)
    ran = run(text, np.zeros(40, "u8"), np.uint32(n), block=8, profile=profile)
    width, size = min(n, WARP[profile], 8), WARP[profile]
    two = min(2, width)
    for i in range(8):
        wanted = [i + 800, i % width + 100 * width, i % two + 100 * two, i % 2]
        wanted.append(min(size, 8) // 2 if i % 2 else 0)
        assert ran.arrays[0][5 * i : 5 * i + 5].tolist() == wanted
    assert ran.counters.barriers == 1


@pytest.mark.parametrize("profile", WARP)
@pytest.mark.parametrize(
    ("grid", "block", "n"),
    [(3, 64, 8), ((2, 3, 2), (3, 2, 2), 4), ((1, 2, 1), (33, 1, 1), 32), (2, (5, 3, 1), 2)],
)
def test_parts_of_a_grid_are_those_of_its_blocks(
    profile: str, grid: Any, block: Any, n: int
) -> None:
    body = """cg::grid_group grid = cg::this_grid();
    cg::thread_group part = cg::tiled_partition(grid, n);
    unsigned long long i = grid.thread_rank();
    out[3 * i] = part.thread_rank(); out[3 * i + 1] = part.size();
    out[3 * i + 2] = part.num_threads(); part.sync();"""
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    text = grouped("unsigned long long *out, int n", body)
    array = np.zeros(3 * threads * blocks, "u8")
    ran = run(text, array, np.int32(n), grid=grid, block=block, profile=profile)
    width = min(n, WARP[profile])
    for lane in lanes(grid, block, WARP[profile]):
        size = min(width, threads - lane.place // width * width)
        at = slice(3 * lane.everywhere, 3 * lane.everywhere + 3)
        assert ran.arrays[0][at].tolist() == [lane.place % width, size, size]
    assert (ran.counters.barriers, ran.counters.grid_syncs) == (0, 0)


OPERATIONS = {
    "plus": np.sum,
    "less": np.min,
    "greater": np.max,
    "bit_and": np.bitwise_and.reduce,
    "bit_or": np.bitwise_or.reduce,
    "bit_xor": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("of", ["int", "unsigned long long", "short", "float", "double"])
def test_reductions_of_tiles(operation: str, of: str) -> None:
    code = {"int": "i4", "unsigned long long": "u8", "short": "i2", "float": "f4", "double": "f8"}
    if operation.startswith("bit") and code[of][0] == "f":
        pytest.skip("floats have no bit operations")
    body = f"""auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::{operation}<{of}>());"""
    values = np.random.default_rng(3).integers(1, 100, 64).astype(code[of])
    found = run(grouped(f"{of} *a", body), values, block=64).arrays[0]
    wanted = [OPERATIONS[operation](row) for row in values.reshape(4, 16)]
    assert found.tolist() == [w for w in wanted for _ in range(16)]


def joined(operation: str, values: Any) -> Any:
    """All values joined as a GPU's scan joins them: halves, the last one a power of two."""
    if len(values) == 1:
        return values[0]
    late = 1 << (len(values) - 1).bit_length() - 1
    parts = values[len(values) - late :], values[: len(values) - late]
    left, right = (joined(operation, part) for part in parts)
    return values.dtype.type(OPERATIONS[operation](np.array([left, right], values.dtype)))


@pytest.mark.slow
@QUICK
@given(
    st.sampled_from(sorted(OPERATIONS)),
    st.sampled_from(["int", "unsigned long long", "float", "double"]),
    st.sampled_from(["cg::tiled_partition<8>(cg::this_thread_block())", "cg::coalesced_threads()"]),
    PROFILES,
    st.data(),
)
def test_scans(operation: str, of: str, group: str, profile: str, data: st.DataObject) -> None:
    code = {"int": "i4", "unsigned long long": "u8", "float": "f4", "double": "f8"}[of]
    if operation.startswith("bit") and code[0] == "f":
        operation = "plus"
    block, size = {"h200": 48, "toy4": 16, "toy2": 8}[profile], WARP[profile]
    on = data.draw(st.lists(st.booleans(), min_size=block, max_size=block))
    tiles = "tiled" in group
    on = [True] * block if tiles else on
    seed = data.draw(st.integers(0, 99))
    values = np.random.default_rng(seed).integers(1, 1000, block).astype(code)
    values = values / values.dtype.type(7) if code[0] == "f" else values
    plain = operation == "plus" and data.draw(st.booleans())
    given_operation = "" if plain else f", cg::{operation}<{of}>()"
    body = f"""int i = threadIdx.x; if (on[i]) {{ auto g = {group};
      out[2 * i] = cg::inclusive_scan(g, a[i]{given_operation});
      out[2 * i + 1] = cg::exclusive_scan(g, a[i]{given_operation}); }}"""
    text = grouped(f"const int *on, const {of} *a, {of} *out", body)
    arrays = np.array(on, "i4"), values, np.zeros(2 * block, code)
    found = run(text, *arrays, block=block, profile=profile).arrays[2].reshape(block, 2)
    width = min(8, size) if tiles else size
    for i in range(block):
        members = [k for k in range(i // width * width, i + 1) if on[k]]
        if not on[i]:
            continue
        own, before = values[members], values[members[:-1]]
        wanted = [joined(operation, own), joined(operation, before) if before.size else 0]
        assert found[i].tolist() == wanted


PARTS = """int i = threadIdx.x; if (on[i]) { auto g = GROUP;
      auto one = cg::binary_partition(g, a[i] > 1); auto many = cg::labeled_partition(g, a[i]);
      unsigned *o = out + 8 * i;
      o[0] = one.thread_rank(); o[1] = one.size(); o[2] = one.meta_group_rank();
      o[3] = one.meta_group_size(); o[4] = many.thread_rank(); o[5] = many.size();
      o[6] = many.meta_group_rank(); o[7] = many.meta_group_size(); }"""


@QUICK
@given(st.booleans(), PROFILES, st.data())
def test_partitions_by_predicates_and_labels(
    tiles: bool, profile: str, data: st.DataObject
) -> None:
    block, size = {"h200": 48, "toy4": 16, "toy2": 8}[profile], WARP[profile]
    flags = st.lists(st.booleans(), min_size=block, max_size=block)
    on = [True] * block if tiles else data.draw(flags)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=block, max_size=block))
    group = (
        "cg::tiled_partition<16>(cg::this_thread_block())" if tiles else "cg::coalesced_threads()"
    )
    text = grouped("const int *on, const int *a, unsigned *out", PARTS.replace("GROUP", group))
    arrays = np.array(on, "i4"), np.array(labels, "i4"), np.zeros(8 * block, "u4")
    found = run(text, *arrays, block=block, profile=profile).arrays[2].reshape(block, 8)
    width = min(16, size) if tiles else size
    for i in (i for i in range(block) if on[i]):
        first = i // width * width
        whole = [k for k in range(first, min(block, first + width)) if on[k]]
        big = [k for k in whole if (labels[k] > 1) == (labels[i] > 1)]
        mixed = big != whole
        wanted = [big.index(i), len(big), mixed and labels[i] > 1, 1 + mixed]
        alike = [k for k in whole if labels[k] == labels[i]]
        order = list(dict.fromkeys(labels[k] for k in whole))
        wanted += [alike.index(i), len(alike), order.index(labels[i]), len(order)]
        assert found[i].tolist() == wanted


def test_parts_by_truth_and_by_pointers() -> None:
    body = """int i = threadIdx.x; auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    auto odd = cg::labeled_partition(tile, i % 2 == 1);
    auto same = cg::labeled_partition(tile, out + i / 4);
    out[i] = odd.size() + 10 * odd.meta_group_rank() + 100 * same.size();
    odd.sync(); out[i] += 1000 * cg::reduce(same, 1, cg::plus<int>());"""
    out = np.zeros(8, "i4")
    found = run(grouped("int *out", body), out, block=8, sanitize="sync").arrays[0]
    assert found.tolist() == [4404 + 10 * (i % 2) for i in range(8)]


def test_small_types_keep_their_type_through_a_shuffle() -> None:
    body = """auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    short s = (short)(40000 + threadIdx.x); bool b = threadIdx.x & 1;
    out[threadIdx.x] = sizeof(tile.shfl(s, 0)) + 10 * tile.shfl_down(b, 1) + tile.shfl(s, 3);"""
    found = run(grouped("int *out", body), np.zeros(4, "i4"), block=4).arrays[0]
    assert found.tolist() == [2 + 10 * b + 40003 - 65536 for b in (1, 0, 1, 1)]


def test_ranks_and_sizes_are_no_branches_and_no_accesses() -> None:
    body = """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = cg::this_thread_block().thread_rank();
    bool first = i > 3 && tile.thread_rank() == 0 && tile.size() > 4;
    bool last = i < 60 && tile.meta_group_rank() == tile.meta_group_size() - 1;
    out[i] = first + 2 * last;"""
    ran = run(grouped("int *out", body), np.zeros(64, "i4"), block=64)
    wanted = [(i > 3 and i % 8 == 0) + 2 * (56 <= i < 60) for i in range(64)]
    assert ran.arrays[0].tolist() == wanted
    assert (ran.counters.branches, ran.counters.load_requests) == (0, 0)
    assert ran.counters.store_requests == 2


FUNCTIONS = """
__device__ int sum(cg::thread_block_tile<8> tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  return tile.shfl(v, 0);
}
__device__ unsigned rank(const cg::thread_block &block) { return block.thread_rank(); }
__device__ unsigned long long size(cg::thread_group g) { return g.size(); }
template <typename Group> __device__ int sum_of(const Group &g, int v) {
  for (int d = g.size() / 2; d > 0; d /= 2) v += g.shfl_xor(v, d);
  return v;
}
template <unsigned N> __device__ int count(cg::thread_block_tile<N> tile) { return N; }
__device__ cg::thread_block_tile<4> quad() {
  return cg::tiled_partition<4>(cg::this_thread_block());
}
"""


def test_groups_are_parameters_and_results() -> None:
    body = """cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block); auto four = quad(); int i = rank(block);
    cg::thread_block_tile<8> copy = tile;
    out[i] = sum(copy, i); out[16 + i] = sum_of(four, i) + sum_of(tile, 0);
    out[32 + i] = size(block) + size(tile) + count(four) + quad().thread_rank();"""
    found = run(grouped("int *out", body, FUNCTIONS), np.zeros(48, "i4"), block=16).arrays[0]
    assert found[:16].tolist() == [28] * 8 + [92] * 8
    assert found[16:32].tolist() == [sum(range(i // 4 * 4, i // 4 * 4 + 4)) for i in range(16)]
    assert found[32:].tolist() == [16 + 8 + 4 + i % 4 for i in range(16)]


def test_names_without_their_namespace() -> None:
    text = source(
        "int *out",
        """thread_block block = this_thread_block(); auto tile = tiled_partition<4>(block);
        out[block.thread_rank()] = reduce(tile, 1) + tile.size(); sync(tile);""",
        """#include <cooperative_groups.h>
        using namespace cooperative_groups;
        __device__ int reduce(thread_block_tile<4> tile, int v) { return 7 * v; }""",
    )
    assert run(text, np.zeros(4, "i4"), block=4).arrays[0].tolist() == [11] * 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("block.shfl(1, 2);", "`cg::thread_block` has no function `shfl`"),
        ("tile.shfl(1);", "`shfl` takes 2 arguments, not 1"),
        ("tile.shfl(out, 1);", "takes numbers, not `int *`"),
        ("block.sync(1);", "`sync` takes 0 arguments, not 1"),
        ("cg::tiled_partition<7>(block);", "a tile cannot have 7 threads"),
        ("cg::tiled_partition<64>(block);", "a tile cannot have 64 threads"),
        ("cg::tiled_partition(block, 3);", "a tile cannot have 3 threads"),
        ("cg::tiled_partition<16>(tile);", "`cg::thread_block_tile<8>` has no parts of 16"),
        ("cg::tiled_partition<8>(tile);", "`cg::thread_block_tile<8>` has no parts of 8"),
        ("cg::tiled_partition<4>(out);", "takes a block or a tile, not `int *`"),
        ("cg::tiled_partition<4>(cg::this_grid());", "takes a block or a tile, not `cg::grid"),
        ("cg::tiled_partition<4>(cg::coalesced_threads());", "block or a tile, not `cg::coal"),
        ("cg::tiled_partition(cg::this_grid(), 3);", "a tile cannot have 3 threads"),
        ("cg::tiled_partition(out, 4);", "takes a grid, a block, a tile or a coalesced group"),
        ("cg::tiled_partition<n>(block);", "needs one constant number of threads"),
        ("cg::thread_block_tile<4> t = tile;", "but `cg::thread_block_tile<4>` is needed"),
        ("cg::thread_block g;", "the group `g` needs a value"),
        ("cg::thread_group g = cg::this_grid();", "but `cg::thread_group` is needed"),
        ("__shared__ cg::thread_block g;", "is each thread's own"),
        ("cg::thread_block g[2];", "arrays of `cg::thread_block` are not supported"),
        ("cg::thread_block *g;", "pointers to `cg::thread_block` are not supported"),
        ("&block;", "pointers to `cg::thread_block` are not supported"),
        ("n.sync();", "`n` is `int`, which has no functions"),
        ("n = tile.size;", "`cg::thread_block_tile<8>` has no `size`"),
        ("block.barrier_arrive();", "has no function `barrier_arrive`"),
        ("cg::reduce(block, n, cg::plus<int>());", "takes a tile or a coalesced group"),
        ("cg::reduce(tile, n, cg::plus<float>());", "does not go with a value of type `int`"),
        ("cg::reduce(tile, n, n);", "`n` is no operation that the simulator knows"),
        ("cg::plus<float *> p;", "is no operation on numbers"),
        ("cg::bit_or<float> p;", "is no operation on numbers"),
        ("cg::memcpy_async(block, out, out, 4);", "`cooperative_groups::memcpy_async` needs its"),
        ("cg::invoke_one(block, out);", "`cooperative_groups::invoke_one` is not"),
        ("cg::inclusive_scan(block, n);", "`cg::inclusive_scan` takes a tile or a coalesced"),
        ("cg::inclusive_scan(tile);", "`cg::inclusive_scan` takes 2 or 3 arguments, not 1"),
        ("cg::exclusive_scan(tile, out);", "`cg::exclusive_scan` takes numbers, not `int *`"),
        ("cg::exclusive_scan(tile, n, cg::less<float>());", "not go with a value of type `int`"),
        ("cg::labeled_partition(block, n);", "`cg::labeled_partition` takes a tile or a coal"),
        ("cg::labeled_partition(tile, 2.5f);", "takes an integer or a pointer as label"),
        ("cg::binary_partition(tile);", "`cg::binary_partition` takes 2 arguments, not 1"),
        ("cg::foo(tile);", "cooperative groups have no `foo`"),
        ("tile.match_all(n, 3);", "`match_all` cannot tell `3` whether all match"),
        ("cuda::barrier<1> b;", "`cuda::barrier` needs its header"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    start = "auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);"
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(grouped("int *out, int n", f"{start}\n{body}"))
    assert message in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.line == 8


def test_tiles_of_a_grid_are_refused_with_what_compiles() -> None:
    text = grouped("int *out", "auto grid = cg::this_grid(); cg::tiled_partition<32>(grid);")
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(text)
    assert "`cg::tiled_partition(grid, 32)`" in caught.value.hint
    assert "`cg::this_thread_block()`" in caught.value.hint


def test_groups_need_their_headers() -> None:
    text = source("int *out", "cooperative_groups::this_thread_block().sync();")
    with pytest.raises(simulator.CompileError, match="needs its header") as caught:
        simulator.RawModule(text)
    assert "#include <cooperative_groups.h>" in caught.value.hint
    text = text.replace("this_thread_block()", "reduce(1)")
    with pytest.raises(simulator.CompileError, match="needs its header") as caught:
        simulator.RawModule("#include <cooperative_groups.h>\n" + text)
    assert "cooperative_groups/reduce.h" in caught.value.hint


# Reductions by what the program calls.

_BY_FUNCTIONS = """struct Longest {
  __device__ int operator()(int x, int y) const { return x < y ? y : x; } };
__device__ int joined(const cg::thread_block_tile<8> &tile, int x, int k) {
  return cg::reduce(tile, x, [=](int a, int b) { return a + b + k; }); }
__device__ int least(int x, int y) { return x < y ? x : y; }
struct Found { int value; double at; };
__device__ Found earlier(Found x, Found y) {
  return x.value != y.value ? (x.value > y.value ? x : y) : x.at < y.at ? x : y; }"""
_REDUCED = """auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x;
  out[t] = cg::reduce(tile, a[t], [](int x, int y) { return x ^ y; });
  out[32 + t] = cg::reduce(tile, a[t], Longest()); out[64 + t] = joined(tile, a[t], 100);
  out[96 + t] = cg::reduce(tile, (float)a[t], [](float x, float y) { return x > y ? x : y; });
  if (t % 3 == 0) {
    auto some = cg::coalesced_threads();
    out[128 + t] = cg::reduce(some, a[t], [](int x, int y) { return x + y; });
    out[224 + t] = cg::reduce(some, Found{a[t] / 100, t + 0.5}, earlier).at;
  }
  out[160 + t] = cg::reduce(tile, a[t], least);
  Found found = cg::reduce(tile, Found{a[t] / 100, t + 0.5}, earlier);
  out[192 + t] = found.at;"""


def test_reductions_by_functions() -> None:
    text = grouped("const int *a, int *out", _REDUCED, "").replace(
        'extern "C"', f'{_BY_FUNCTIONS}\nextern "C"'
    )
    numbers = np.random.default_rng(3).integers(0, 1000, 32).astype("i4")
    found = run(text, numbers, np.zeros(256, "i4")).arrays[1].reshape(8, 32)
    tiles = numbers.reshape(4, 8)
    assert found[0].tolist() == np.repeat(np.bitwise_xor.reduce(tiles, 1), 8).tolist()
    assert found[1].tolist() == found[3].tolist() == np.repeat(tiles.max(1), 8).tolist()
    assert found[2].tolist() == np.repeat(tiles.sum(1) + 700, 8).tolist()
    assert found[4].tolist() == np.where(np.arange(32) % 3, 0, numbers[::3].sum()).tolist()
    assert found[5].tolist() == np.repeat(tiles.min(1), 8).tolist()
    firsts = (tiles // 100).argmax(1) + np.arange(0, 32, 8)
    assert found[6].tolist() == np.repeat(firsts, 8).tolist()
    first = 3 * (numbers[::3] // 100).argmax()
    assert found[7].tolist() == np.where(np.arange(32) % 3, 0, first).tolist()


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_compiler_takes_reductions_by_functions(tmp_path: Path) -> None:
    text = grouped("const int *a, int *out", _REDUCED, "").replace(
        'extern "C"', f'{_BY_FUNCTIONS}\nextern "C"'
    )
    nvrtc.compile_text(text, "reduced.cu", tmp_path)
