"""Masks: they must name the lanes that call, and lanes that come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator import Fault
from tests.sanitize.machine import kernel, sanitized

CALLS = {
    "__syncwarp": "__syncwarp({mask});",
    "__shfl_sync": "sink = __shfl_sync({mask}, sink, threadIdx.x);",
    "__ballot_sync": "sink = __ballot_sync({mask}, true);",
    "__any_sync": "sink = __any_sync({mask}, sink);",
}


@pytest.mark.parametrize("call", CALLS)
@given(st.data())
def test_the_lanes_that_call_and_those_that_are_named(call: str, data: st.DataObject) -> None:
    threads = data.draw(st.integers(1, 8))
    gone = data.draw(st.integers(0, 255)) if data.draw(st.booleans()) else 0
    calling = data.draw(st.integers(0, 255))
    mask = data.draw(st.sampled_from([calling, calling & ~gone, 15, 0xFFFFFFFF]))
    body = (
        f"int sink = 0; if ({gone} >> threadIdx.x & 1) return;\n"
        f"if ({calling} >> threadIdx.x & 1) {{ {CALLS[call].format(mask=f'{mask}u')} }}\n"
        "a[threadIdx.x] = sink;"
    )
    fits = True
    for first in range(0, threads, 4):
        there = {t for t in range(first, min(first + 4, threads)) if not gone >> t & 1}
        calls = {t for t in there if calling >> t & 1}
        named = {t for t in there if mask >> t - first & 1}
        fits &= not calls or calls == named
    text, run = kernel("int *a", body), {"names": ("sync",), "block": threads, "profile": "toy4"}
    if fits:
        sanitized(text, np.zeros(8, "i4"), **run)
    else:
        with pytest.raises(Fault, match="the mask"):
            sanitized(text, np.zeros(8, "i4"), **run)


def test_masks_are_not_looked_at_unless_asked_for() -> None:
    body = "if (threadIdx.x < 4) a[threadIdx.x] = __ballot_sync(~0u, true);"
    sanitized(kernel("int *a", body), np.zeros(8, "i4"), names=("race", "init"))
    with pytest.raises(Fault):
        sanitized(kernel("int *a", body), np.zeros(8, "i4"), names=("sync",))
