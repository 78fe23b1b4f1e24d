"""The handlers of all kinds of nodes, which register themselves when they are imported."""

from simulator.compile import calls as _calls  # noqa: F401
from simulator.compile import expressions as _expressions  # noqa: F401
from simulator.compile import statements as _statements  # noqa: F401
from simulator.compile import structures as _structures  # noqa: F401
from simulator.compile import switches as _switches  # noqa: F401
