"""Arrays in shared memory as frames show them."""

from __future__ import annotations

import gpubfs


def test_an_array_that_is_no_queue_is_shown_from_its_beginning() -> None:
    options = {"width": 1, "block": 2, "blocks": 1, "alpha": 0.0}
    trace = gpubfs.trace("double-scan", "toy", 0, device="toy2", levels=range(1), **options)
    texts = [trace.step(at).span.text for at in range(len(trace))]
    stored = texts.index("warp_totals[warp] = sum;")
    for at, first in ((stored - 1, "?"), (stored, "*9"), (stored + 1, "9")):
        row = next(line.plain for line in trace.frame(at) if line.plain.startswith("warp_tota…"))
        assert row.removeprefix("warp_tota…").split()[0] == first
