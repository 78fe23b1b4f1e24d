"""Compile: a checked kernel becomes one Python generator function over arrays of lanes.

`dispatch` is the way into the tree, and has the active lanes with their registers and basic blocks.
The handler of each kind of node is a function of the node and of the `context`, and registers
itself (`handlers` imports all): `expressions`, `structures` and `calls` have what has a value,
`statements` and `switches` what is done. They use `variables`, `memory` (loads, stores and
addresses), `atomics` and `barriers`, and these the `context`, into which the text is written, and
`values`. What is read off a function before it is compiled is in `context`, `merging`,
`spin_loops` and `chased_links`; `kernel` is the whole. Launches need what comes of it alone:
`compiled`, the names that generated code finds (`runtime`), and `dtypes`.
"""
