"""From Enterprise to XBFS, a contribution at a time: what Figures 11 and 12 of XBFS compare."""

from __future__ import annotations

from typing import Any

from gpubfs.experiments.gaihre import SYSTEM

#: The paper's baseline, and what its contributions are called.
BASELINE, ADAPTIVE, BALANCED, WHOLE = "Enterprise", "Ad", "Ad + WB", "Ad + WB + Async"

#: The technique of each stage, and its options. The paper's static solution is its first way to
#: balance, and here what bottom-up passes have without one; by default warps fetch.
STAGES: dict[str, tuple[str, dict[str, Any]]] = {
    BASELINE: ("enterprise", {}),
    ADAPTIVE: (SYSTEM, {"balance": "static", "asynchronous": False}),
    BALANCED: (SYSTEM, {"asynchronous": False}),
    WHOLE: (SYSTEM, {}),
}
