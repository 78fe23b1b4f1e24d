"""How much memory kernels touch at all, which is what a cache would have to hold."""

import numpy as np

import simulator
from gpubfs.search.observing import observer
from simulator.ir.events import MEMORY
from simulator.observe.log import Decoder


@observer("footprint")
class Footprint(simulator.Observer):
    """Different 32-byte sectors of global memory that each kernel touches."""

    def __init__(self):
        self.sectors = {}

    def begin(self, config):  # a launch: its kernel, grid, block, arguments and memory
        return FootprintOfLaunch(self.sectors.setdefault(config.kernel.name, set()))

    def report(self):
        sizes = {kernel: len(sectors) for kernel, sectors in self.sectors.items()}
        return {kernel: {"sectors": n, "bytes": 32 * n} for kernel, n in sizes.items()}


class FootprintOfLaunch(simulator.LaunchObserver):
    def __init__(self, whole):
        self.whole, self.sectors = whole, set()

    def start(self, wave):  # some of its blocks become resident
        self.wave, self.decoder = wave, Decoder()

    def consume(self, log, blocks):  # what they did since the last call
        for number, lanes, values in self.decoder.each(log):
            for operand, value in zip(blocks[number].operands, values, strict=True):
                if operand.form in MEMORY and operand.site.space == "global":
                    found = self.wave.addresses(operand, lanes, np.asarray(value))
                    self.sectors.update(np.unique(found // 32).tolist())

    def abandon(self):  # the launch begins anew, one warp after the other
        self.sectors.clear()

    def finish(self):
        self.whole |= self.sectors
