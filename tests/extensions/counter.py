"""Three counters: accesses by a single lane, their share, and branches that ever diverged."""

import numpy as np

from simulator.observe.counters import Counter, LaunchCounter, add
from simulator.observe.log import Decoder


class SingleLane(LaunchCounter):
    """Counts memory accesses of warps of which one lane is active."""

    def start(self, wave):  # some blocks of the launch become resident
        self.decoder = Decoder()

    def consume(self, log, blocks):  # what they did since the last call
        warp_size = self.config.profile.warp_size
        for number, lanes, _ in self.decoder.each(log):
            active = np.unique(lanes // warp_size, return_counts=True)[1]
            self.value += blocks[number].accesses * int(np.count_nonzero(active == 1))


add(
    Counter(
        name="single_lane_accesses",
        unit="requests",
        meaning="memory accesses of warps with one active lane",
        group="execution",
        observer=SingleLane,  # counts in the log of each launch
    )
)
add(
    Counter(
        name="single_lane_share",
        unit="%",
        meaning="share of them in all memory accesses of warps",
        group="execution",
        formula="single_lane_accesses"
        " / (load_requests + store_requests + atomic_requests + shared_requests)",
        percent=True,
    )
)
add(
    Counter(
        name="diverging_sites",
        unit="branches",
        meaning="branches of the source whose lanes ever disagreed",
        group="execution",
        sites=lambda sites: sum(site.divergent > 0 for site in sites),
        merge="max",  # of several launches together: of the one that has most
        before="branches",
    )
)
