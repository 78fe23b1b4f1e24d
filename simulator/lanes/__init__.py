"""What generated code calls: C's operators and CUDA's functions, over arrays of lanes.

`arithmetic` has operators and bits, `warp` votes, shuffles, matches and groups, `atomics` atomics
and the order in which lanes are served, `control_flow` calls, switches and traps, `ranks` where
threads stand, `printing` printf.
"""
