"""Compile: a checked kernel becomes one Python generator function over arrays of lanes.

`dispatch` is the way into the tree. The handler of each kind of node is a function of the node and
of the `context`, and stands in the module that is called as the kind; all that they write goes
through `context`, `basic_blocks`, `registers`, `active_lanes` and `memory`.
"""

from simulator.compile import branches as _branches  # noqa: F401 (handlers register themselves)
from simulator.compile import calls as _calls  # noqa: F401
from simulator.compile import declarations as _declarations  # noqa: F401
from simulator.compile import expressions as _expressions  # noqa: F401
from simulator.compile import launches as _launches  # noqa: F401
from simulator.compile import loops as _loops  # noqa: F401
from simulator.compile import statements as _statements  # noqa: F401
from simulator.compile import structures as _structures  # noqa: F401
from simulator.compile import switches as _switches  # noqa: F401
