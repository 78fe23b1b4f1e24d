"""Count: logged basic blocks in, a GPU engineer's counters out.

`counters.py` declares and describes each; `tally.py` counts in bulk, by `requests.py`; `sites.py`
has what each location of the source adds up to. `add` adds a counter.
"""

from simulator.observe.counters.counters import SECTOR, Counters
from simulator.observe.counters.description import (
    COUNTERS,
    LAUNCH,
    RUN,
    Counter,
    LaunchCounter,
    add,
    remove,
    shown,
)
from simulator.observe.counters.formula import Formula
from simulator.observe.counters.sites import Most, Site, Sum, merge_sites
from simulator.observe.counters.work import Work

__all__ = [
    "COUNTERS",
    "LAUNCH",
    "RUN",
    "SECTOR",
    "Counter",
    "Counters",
    "Formula",
    "LaunchCounter",
    "Most",
    "Site",
    "Sum",
    "Work",
    "add",
    "merge_sites",
    "remove",
    "shown",
]
