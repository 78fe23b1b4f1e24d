"""What is counted of a launch that a fault stops."""

from __future__ import annotations

import numpy as np
import pytest

import simulator


def test_a_launch_that_a_fault_stops_is_counted_as_far_as_it_came() -> None:
    kernel = simulator.RawKernel(
        'extern "C" __global__ void k(int *a, int i) { a[0] = 3; a[i] = 4; }', "k"
    )
    with simulator.counting() as record:
        array = simulator.zeros(2, "int32")
        kernel((1,), (1,), (array, np.int32(1)))
        with pytest.raises(simulator.Fault):
            kernel((1,), (1,), (array, np.int32(9)))
    assert [launch.counters.store_requests for launch in record.launches] == [2]
    assert [launch.counters.store_requests for launch in record.stopped] == [1]
    assert [site.requests for site in record.stopped[0].sites] == [1]
