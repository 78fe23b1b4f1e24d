"""Exclusive sums and the radix sort on device arrays, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.dynamic.gpma.sums import exclusive_sum, room_to_sum, sort_keys, temporaries
from gpubfs.dynamic.structure import FOLDER
from gpubfs.host import Host
from gpubfs.machines import open_machine
from gpubfs.search.runs import LARGEST_BLOCK
from tests.sampling import examples, sampled

SHAPES = (("toy2", 2), ("toy2", 8), ("toy4", 16), ("toy8", 1024), ("h200", 32), ("h200", 256))
#: Of rows and of columns; each four take two passes.
BITS = st.sampled_from((1, 4, 5, 8, 9, 31))

SCHEDULES = ("lockstep", "warp", "shuffled:3", "round-robin:1", "random:2")


@contextmanager
def host(device: str, schedule: str = "lockstep") -> Iterator[Host]:
    import simulator

    opened = open_machine("sim", device=device, schedule=schedule)
    macros = {"MOST_WARPS": str(LARGEST_BLOCK // opened.warp_size)}
    with opened, simulator.sanitize("all"):
        yield Host(opened, FOLDER / "gpma.cu", macros)


@pytest.mark.parametrize(
    ("device", "block", "tiles"), sampled([(*shape, n) for shape in SHAPES for n in (0, 1, 2)], 9)
)
def test_sums_over_one_tile_and_over_tiles_of_tiles(device, block, tiles) -> None:
    most = min(block**tiles, 3000)
    for count in {1, most, most + 1}:
        values = np.random.default_rng(count).integers(0, 9, count, dtype=np.int32)
        with host(device) as own:
            room = np.zeros(room_to_sum(count, block), np.int32)
            room[:count] = values
            array = own.array("values", room)
            exclusive_sum(own, array, count, block)
            found = own.read(array)[:count]
            assert own.bytes_peak == room.nbytes
        assert found.tolist() == (np.cumsum(values) - values).tolist()


@pytest.mark.slow
@examples(200, 3)
@given(st.data(), st.sampled_from(SHAPES), st.sampled_from(SCHEDULES))
def test_a_sort_is_stable_and_numpys(data, shape, schedule) -> None:
    device, block = shape
    bits = data.draw(BITS)
    end = st.integers(0, 2**bits - 1)
    few = data.draw(st.lists(end, min_size=1, max_size=5))
    pairs = st.tuples(st.sampled_from(few), end | st.sampled_from(few))
    ends = st.lists(pairs, min_size=1, max_size=70)
    keys = np.array([u << 32 | v for u, v in data.draw(ends)], np.uint64)
    order = np.arange(len(keys), dtype=np.int32)
    with host(device, schedule) as own, temporaries(own) as made:
        pair = made.array("keys", keys), made.empty("moved", len(keys), "uint64")
        what = made.array("order", order), made.empty("moved_order", len(keys))
        found = sort_keys(own, pair, what, len(keys), bits, block)
        sorted_keys, places = (own.read(array) for array in found)
    expected = np.argsort(keys, kind="stable")
    assert places.tolist() == expected.tolist()
    assert sorted_keys.tolist() == keys[expected].tolist()
