import pytest

from gpubfs import bench


@pytest.fixture
def timings(monkeypatch) -> list[bench.Timing]:
    told = []
    made = list(bench.bench(["toy", "star:9"], ["scan-free"], repeats=3, tell=told.append))
    assert told == ["scan-free on toy", "scan-free on star:9"]
    return made


def test_times_are_ordered(timings) -> None:
    for timing in timings:
        assert 0 < timing.seconds <= timing.slowest
        assert timing.seconds < timing.total_seconds
        assert timing.repeats == 3


def test_peak_memory_never_falls(timings) -> None:
    first, second = timings
    assert 0 < first.peak_mib <= second.peak_mib


def test_the_table_has_a_row_each(timings) -> None:
    rows = bench.sheet(timings).rows
    assert [row[:2] for row in rows] == [("toy", "scan-free"), ("star:9", "scan-free")]
