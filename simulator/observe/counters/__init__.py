"""Count: logged basic blocks in, a GPU engineer's counters out.

`tally` does the arithmetic in bulk, `counters` and `work` hold the results.
"""

from simulator.observe.counters.counters import Counters, Site, Work, merge_sites

__all__ = ["Counters", "Site", "Work", "merge_sites"]
