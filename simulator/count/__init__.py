"""Count: logged basic blocks in, a GPU engineer's counters out.

`tally` does the arithmetic in bulk, `counters` and `work` hold the results.
"""

from simulator.count.counters import Counters, Site, merge_sites
from simulator.count.work import Work

__all__ = ["Counters", "Site", "Work", "merge_sites"]
