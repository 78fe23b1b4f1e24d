import pytest

from gpubfs.errors import UsageError
from gpubfs.measure import bench, contest
from gpubfs.search.catalogue import find
from simulator import CompileError


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


RIVAL = """import sys
import scipy.sparse
graph = scipy.sparse.load_npz(sys.argv[1])
assert graph.shape == (10, 10) and int(sys.argv[2]) == 0
print("all done, seconds 2.5")
"""


@pytest.mark.slow
def test_a_race_takes_turns_and_compares_medians(tmp_path) -> None:
    script = tmp_path / "rival.py"
    script.write_text(RIVAL)
    told = []
    result = contest.contest(find("scan-free"), "star:9", script, repeats=2, tell=told.append)
    assert told == ["round 1 of 2", "round 2 of 2"]
    assert result.other_seconds == 2.5
    assert result.ratio == result.seconds / 2.5
    assert contest.sheet([result]).rows[0][:2] == ("star:9", "scan-free")


def test_a_race_can_run_another_kernel_file(tmp_path) -> None:
    script, kernel = tmp_path / "rival.py", tmp_path / "mine.cu"
    script.write_text(RIVAL)
    kernel.write_text("// no kernel here\n")
    with pytest.raises(CompileError, match="scan_free"):
        contest.contest(find("scan-free"), "star:9", script, kernel=kernel)


@pytest.mark.parametrize(
    ("text", "words"), [("print('seconds')", "no time"), ("raise SystemExit(3)", "exit code 3")]
)
def test_a_rival_that_fails_is_a_clear_error(tmp_path, text, words) -> None:
    script = tmp_path / "rival.py"
    script.write_text(text)
    with pytest.raises(UsageError, match=words):
        contest.contest(find("scan-free"), "star:9", script, repeats=1)


def test_techniques_may_bring_options_and_overflow() -> None:
    names = ["hierarchical-queue:capacity=2", "hierarchical-queue:capacity=2,spill=true"]
    full, spilt = bench.bench(["star:100"], names, repeats=1)
    assert (full.technique, full.seconds) == (names[0], 0)
    assert "overflows at level 1" in full.problem
    assert spilt.seconds > 0
    assert spilt.problem == ""
    table = bench.sheet([full, spilt])
    assert table.rows[0][2] == "overflow"
    assert full.problem in table.notes[-1]
