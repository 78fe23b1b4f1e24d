"""The lanes of a warp: votes, shuffles, matches, reductions, and the wait for one another."""

from __future__ import annotations

from simulator.builtins.lowerings import ActiveMask, WarpBarrier, WarpFunction
from simulator.builtins.overloads import Match, Reduce, Shuffle, Vote
from simulator.builtins.row import Row

_VOTE = "(unsigned mask, int predicate)"
_WIDTH = "int width = warpSize"

ROWS = (
    Row("void __syncwarp(unsigned mask = 0xffffffff)", WarpBarrier()),
    Row("unsigned __activemask()", ActiveMask()),
    Vote(f"unsigned int __ballot_sync{_VOTE}", WarpFunction("ballot")),
    Vote(f"int __any_sync{_VOTE}", WarpFunction("any_lane")),
    Vote(f"int __all_sync{_VOTE}", WarpFunction("all_lanes")),
    Shuffle(
        f"T __shfl_sync(unsigned mask, T value, int lane, {_WIDTH})",
        WarpFunction("shuffle", shuffles=True),
    ),
    Shuffle(
        f"T __shfl_up_sync(unsigned mask, T value, unsigned delta, {_WIDTH})",
        WarpFunction("shuffle_up", shuffles=True),
    ),
    Shuffle(
        f"T __shfl_down_sync(unsigned mask, T value, unsigned delta, {_WIDTH})",
        WarpFunction("shuffle_down", shuffles=True),
    ),
    Shuffle(
        f"T __shfl_xor_sync(unsigned mask, T value, int lanes, {_WIDTH})",
        WarpFunction("shuffle_xor", shuffles=True),
    ),
    Match("unsigned __match_any_sync(unsigned mask, T value)", WarpFunction("match_any")),
    Match(
        "unsigned __match_all_sync(unsigned mask, T value, int *all)",
        WarpFunction("match_all", tells=True),
    ),
    Reduce("T __reduce_add_sync(unsigned mask, T value)", WarpFunction("reduce_add")),
    Reduce("T __reduce_min_sync(unsigned mask, T value)", WarpFunction("reduce_min")),
    Reduce("T __reduce_max_sync(unsigned mask, T value)", WarpFunction("reduce_max")),
    Reduce("unsigned __reduce_and_sync(unsigned mask, unsigned value)", WarpFunction("reduce_and")),
    Reduce("unsigned __reduce_or_sync(unsigned mask, unsigned value)", WarpFunction("reduce_or")),
    Reduce("unsigned __reduce_xor_sync(unsigned mask, unsigned value)", WarpFunction("reduce_xor")),
)
