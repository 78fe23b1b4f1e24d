"""The papers that techniques come from, as descriptions cite them."""

from __future__ import annotations

HARISH = "Harish, Narayanan, Accelerating large graph algorithms on the GPU using CUDA"
LUO = "Luo, Wong, Hwu, An effective GPU implementation of breadth-first search"
MERRILL = "Merrill, Garland, Grimshaw, Scalable GPU graph traversal"
HONG = "Hong, Kim, Oguntebi, Olukotun, Accelerating CUDA graph algorithms at maximum warp"
BEAMER = "Beamer, Asanović, Patterson, Direction-Optimizing Breadth-First Search"
LIGRA = "Shun, Blelloch, Ligra: A Lightweight Graph Processing Framework for Shared Memory"
BUSATO = (
    "Busato, Bombieri, Efficient Load Balancing Techniques for Graph Traversal Applications on GPUs"
)
ZHANG = (
    "Zhang, Holk, Matty, Misurda, Zalewski, Chu, McMillan, Lumsdaine, Dynamic parallelism for "
    "simple and efficient GPU graph algorithms"
)
ENTERPRISE = "Liu, Huang, Enterprise: Breadth-First Graph Traversal on GPUs"
TIGR = "Sabet, Qiu, Zhao, Tigr: Transforming Irregular Graphs for GPU-Friendly Graph Processing"
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
AIMGRAPH = (
    "Winter, Zayer, Steinberger, Autonomous, Independent Management of Dynamic Graphs on GPUs"
)
GPMA = "Sha, Li, He, Tan, Accelerating Dynamic Graph Analytics on GPUs"
FAIMGRAPH = (
    "Winter, Mlakar, Zayer, Seidel, Steinberger, faimGraph: High Performance Management of "
    "Fully-Dynamic Graphs under Tight Memory Constraints on the GPU"
)
