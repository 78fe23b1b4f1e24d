"""Compile: a checked kernel becomes one Python generator function over arrays of lanes.

`dispatch` is the way into the tree, and has the active lanes with their registers and basic blocks.
The handler of each kind of node is a function of the node and of the `context`, and registers
itself: `expressions`, `structures` and `calls` have what has a value, `statements` and `switches`
what is done. They use `variables`, `memory` (loads, stores and addresses), `atomics` and
`barriers`, and these the `context`, into which the text is written, and `values`. What is read off
a function before it is compiled is in `context`, `merging`, `spin_loops` and `chased_links`;
`kernel` is the whole.
"""

from simulator.compile import calls as _calls  # noqa: F401
from simulator.compile import expressions as _expressions  # noqa: F401
from simulator.compile import statements as _statements  # noqa: F401
from simulator.compile import structures as _structures  # noqa: F401
from simulator.compile import switches as _switches  # noqa: F401
