"""The papers that techniques come from, as descriptions cite them."""

from __future__ import annotations

HARISH = "Harish, Narayanan, Accelerating large graph algorithms on the GPU using CUDA"
LUO = "Luo, Wong, Hwu, An effective GPU implementation of breadth-first search"
MERRILL = "Merrill, Garland, Grimshaw, Scalable GPU graph traversal"
TOEDLING = (
    "Tödling, Winter, Steinberger, Breadth-First Search on Dynamic Graphs using Dynamic "
    "Parallelism on the GPU"
)
XBFS = (
    "Gaihre, Wu, Yao, Liu, XBFS: eXploring Runtime Optimizations for Breadth-First Search on GPUs"
)
DFQ = (
    "Hsieh, Cheng, Chang, Kuo, A Decentralized Frontier Queue for Improving Scalability of "
    "Breadth-First-Search on GPUs"
)
