"""What was recorded on a GPU, and how the simulator is held against it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.measure.hardware import agreement, recording, records
from gpubfs.measure.hardware.cases import (
    BARRIER,
    EXPERIMENTS,
    LIMITS,
    OPEN,
    ORDER,
    PAST_L1,
    Case,
    all_cases,
    cases_of,
    schedules,
)
from gpubfs.measure.hardware.records import GRAPHS, digest, launches_kernels, specs
from gpubfs.measure.nsight import metrics
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import parse
from tests.gpubfs.techniques.shipped import skip_added

H200 = records.load("h200")
PAGE = (Path(agreement.__file__).parent / "h200.md").read_text(encoding="utf-8")
README = (Path(gpubfs.__file__).parent / "README.md").read_text(encoding="utf-8")

#: Blocks of 1,024 threads that an H200 holds, and so those of persistent kernels by default.
RESIDENT = 264


@pytest.mark.slow
def test_no_record_is_of_other_kernels_than_those_that_ship() -> None:
    """If this fails, kernels have changed: record them again with `gpubfs record`."""
    assert [(r.technique, r.graph) for r in H200.records if r.stale] == []


@pytest.mark.slow
def test_records_are_of_launches_as_they_are_made_now(cases: list[Case]) -> None:
    """Of the kernels alone a record knows a digest. Blocks that find nothing branch all the same.

    If this fails, a driver launches other blocks than were recorded: record them again.
    """
    for counter, graphs in (("barriers", GRAPHS), ("grid_syncs", GRAPHS), ("branches", ("toy",))):
        own = [c for c in cases if c.counter == counter and c.graph in graphs]
        assert len(own) == len({c.technique for c in own}) * len(graphs) > 0
        assert [c for c in own if not same_launches(c)] == []


def same_launches(case: Case) -> bool:
    """Whether a counter is the recorded one, or one that orders decide, which it then is in some.

    Who wins a block, or a place in a queue, decides which vertices are searched together.
    """
    if case.simulated == case.instrumented:
        return True
    tried = cases_of(H200.find(case.technique, case.graph), 6)
    low, high = next(one.band for one in tried if one.counter == case.counter)
    return low != high and low <= case.instrumented <= high


@pytest.mark.parametrize("spec", ["central-queue", "central-queue:loop=persistent", "dfq-global"])
def test_a_record_of_other_blocks_would_be_noticed(spec: str) -> None:
    name, options = parse(spec)
    half = gpubfs.run(name, "toy", blocks=RESIDENT // 2, **options).counters
    assert half["branches"] < H200.find(spec, "toy").instrumented["branches"]


def test_records_say_where_and_when_they_were_made() -> None:
    assert "H200" in H200.device
    assert all((H200.driver, H200.compiler, H200.profiler, H200.date))
    assert all(set(r.hardware) == set(metrics()) for r in H200.records)
    for record in H200.records:
        assert {len(runs) for runs in record.hardware.values()} <= {1, recording.RUNS}


#: Shipped techniques that nobody has recorded on a GPU yet.
NOT_RECORDED = ("best",)


@pytest.mark.parametrize("spec", specs())
def test_every_technique_is_recorded_on_every_reference_graph(spec: str) -> None:
    if spec in NOT_RECORDED:
        pytest.skip(f"{spec} was not recorded yet; CONTRIBUTING.md says how to do it")
    skip_added(spec.partition(":")[0], {r.technique for r in H200.records}, "record of a GPU")
    assert {r.graph for r in H200.records if r.technique == spec} == set(GRAPHS)


@pytest.mark.parametrize(
    ("readme", "begins"),
    [("README.md", "Without a GPU, both witnesses"), ("gpubfs/README.md", "The package brings")],
)
def test_readmes_name_what_is_not_recorded(readme: str, begins: str) -> None:
    text = (Path(__file__).parents[4] / readme).read_text(encoding="utf-8")
    passage = text[text.index(begins) :].partition("gpubfs compare")[0]
    for name in (*filter(launches_kernels, techniques()), *NOT_RECORDED):
        assert name in passage


def test_no_record_is_of_what_is_not_there() -> None:
    assert {r.technique for r in H200.records} <= set(specs())
    assert len({(r.technique, r.graph) for r in H200.records}) == len(H200.records)


def test_where_the_hardware_differs_it_was_asked_again_and_experimented_with() -> None:
    differing = [
        r
        for r in H200.records
        if any(set(r.hardware[name]) != {r.instrumented[name]} for name in LIMITS)
    ]
    assert differing
    for record in differing:
        assert {len(runs) for runs in record.hardware.values()} == {recording.RUNS}
        wanted = {e.name for e in EXPERIMENTS if e.concerns(record.instrumented)}
        assert set(record.experiments) == wanted
    assert any(BARRIER.name in r.experiments for r in differing)
    assert all(PAST_L1.name in r.experiments for r in differing)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return all_cases(H200)


@pytest.mark.slow
@pytest.mark.parametrize("counter", LIMITS)
def test_medians_are_as_promised(counter: str, cases: list[Case]) -> None:
    shares = sorted(abs(c.difference or 0) for c in cases if c.counter == counter)
    assert shares[len(shares) // 2] <= LIMITS[counter][0]


@pytest.mark.slow
@pytest.mark.parametrize("counter", ["load_requests", "load_sectors"])
def test_no_load_is_farther_than_promised_but_those_of_the_grids_barrier(
    counter: str, cases: list[Case]
) -> None:
    outside = [c for c in cases if c.counter == counter and c.outside]
    assert {c.reason for c in outside} <= {BARRIER.name}


@pytest.mark.slow
def test_loads_are_the_simulators_where_the_grids_barrier_makes_none(cases: list[Case]) -> None:
    """How often a block loads while it waits grows with the blocks; without, nothing is left."""
    waiting = [c for c in cases if BARRIER.name in c.experiments and c.counter.startswith("load")]
    # Four persistent kernels; hierarchical-kernels needs its grid on the largest graph alone.
    assert len(waiting) == 2 * (4 * len(GRAPHS) + 1)
    for case in waiting:
        # There the blocks' order moves a sector or two; elsewhere it moves nothing.
        off = 2 if case.technique == "hierarchical-kernels" else 0
        assert abs(case.experiments[BARRIER.name] - case.simulated) <= off
        assert case.simulated < min(case.measured)


#: Blocks of 256 threads, where others have 264 of 1,024.
BLOCKS = {"persistent": 1056}
#: Where how many threads swap depends on who was first: they read a level before they do.
RACING = {
    "persistent": ("grid:8x8", "er:10", "kron:10", "kron:12"),
    "hierarchical-kernels": ("kron:12",),
}


@pytest.mark.slow
def test_barriers_of_the_grid_cost_one_atomic_a_block(cases: list[Case]) -> None:
    """The hardware counts them; the simulator counts what the source says."""
    counted = {(c.technique, c.graph, c.counter): c for c in cases}
    found = 0
    for (technique, graph, counter), syncs in counted.items():
        if counter != "grid_syncs" or not syncs.simulated:
            continue
        if technique in RACING and graph in RACING[technique]:
            continue
        atomics = counted[technique, graph, "atomic_requests"]
        more = {measured - atomics.simulated for measured in atomics.measured}
        assert more == {BLOCKS.get(technique, RESIDENT) * syncs.simulated}
        found += 1
    assert found == 4 * len(GRAPHS) - 4


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["status-array", "double-scan:alpha=0", "strided-scan:alpha=0"])
def test_what_does_not_depend_on_the_order_is_equal_to_the_digit(
    spec: str, cases: list[Case]
) -> None:
    own = [c for c in cases if c.technique == spec]
    assert len(own) > len(GRAPHS) * len(metrics())
    for case in own:
        assert case.simulated == case.instrumented
        if case.counter != "bank_conflicts":
            assert set(case.measured) <= {case.simulated}


def test_the_page_that_ships_explains_every_case_outside() -> None:
    assert f"{len(H200.records)} pairs of a technique and a graph" in PAGE
    assert f"Recorded on {H200.date}" in PAGE
    assert OPEN not in PAGE


def test_where_no_schedule_makes_a_difference_the_counting_build_counts_the_same() -> None:
    _, _, rest = PAGE.partition("## Where no schedule makes a difference")
    rows = table(rest.partition("## ")[0])
    assert rows
    assert [row for row in rows if row[2] != row[3]] == []
    counters, pairs = sum(int(row[2]) for row in rows), sum(len(row[1].split(", ")) for row in rows)
    words = f"{counters:,} of {counters:,} counters of {pairs} pairs"
    assert words in README


def test_the_readme_says_what_the_page_says() -> None:
    _, _, rest = PAGE.partition("## All cases together")
    for counter, number, equal, median, _, worst, *_ in table(rest.partition("## ")[0])[:5]:
        assert f"| {counter} | {equal} of {number} | {median} | {worst} |" in README


def table(text: str) -> list[list[str]]:
    """Cells of the rows of the first table in a text, in Markdown."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.slow
def test_the_page_that_ships_is_what_the_command_writes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    call("agreement", "h200", "--page", str(page))
    assert page.read_text(encoding="utf-8") == PAGE


def test_a_technique_is_found_by_its_options_in_any_form() -> None:
    plain = H200.find("scan-free", "toy")
    assert H200.find("scan_free:block=256,width=1", "toy") is plain
    assert H200.find("scan-free:width=32", "toy") is not plain
    with pytest.raises(UsageError, match="was not recorded on kron:11"):
        H200.find("scan-free", "kron:11")
    with pytest.raises(UsageError, match="scan-free:block=64 was not recorded on the NVIDIA H200"):
        H200.find("scan-free:block=64", "toy")
    with pytest.raises(UsageError, match="did you mean h200"):
        records.load("h20")


def test_a_record_of_other_kernels_is_refused() -> None:
    old = replace(H200.records[0], kernels="0" * 16)
    with pytest.raises(UsageError, match="have changed since they were recorded"):
        replace(H200, records=(old,)).find(old.technique, old.graph)
    assert all_cases(replace(H200, records=(old,))) == []


def test_a_digest_changes_with_code_and_not_with_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    technique = gpubfs.techniques()["scan-free"]
    before = digest("scan-free")
    made = []
    for change in (("// level", "// the level"), ("-1, next_depth", "-1, next_depth + 0")):
        kernel = tmp_path / f"k{len(made)}.cu"
        kernel.write_text(technique.source.replace(*change))
        changed = replace(technique, kernel=str(kernel))
        monkeypatch.setattr("gpubfs.measure.hardware.records.find", lambda name, c=changed: c)
        digest.cache_clear()
        made.append(digest("scan-free"))
    monkeypatch.undo()
    digest.cache_clear()
    assert made[0] == before != made[1]


def test_records_are_written_and_read_and_joined(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "gpu.json"
    records.write(file, H200)
    assert records.read(file) == H200
    newer = replace(H200.records[0], kernels="new")
    both = records.joined(H200, replace(H200, records=(newer,)))
    assert len(both.records) == len(H200.records)
    assert newer in both.records


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ("2026-01-01", "2026-01-01", "2026-01-01"),
        ("2026-01-01", "2026-01-02", "2026-01-01 to 2026-01-02"),
        ("2026-01-01 to 2026-01-02", "2026-01-03", "2026-01-01 to 2026-01-03"),
    ],
)
def test_joined_records_say_from_when_to_when_they_were_made(old: str, new: str, both: str) -> None:
    joined = records.joined(replace(H200, date=old), replace(H200, date=new))
    assert joined.date == both


@pytest.mark.parametrize(
    ("simulated", "hardware", "difference", "outside"),
    [(100, 100, 0.0, False), (97, 100, -0.03, False), (96, 100, -0.04, True), (0, 0, 0.0, False)],
)
def test_differences(simulated: int, hardware: int, difference: float, outside: bool) -> None:
    case = Case("t", "g", "load_sectors", simulated, 0, (0, 99), (hardware, 0, 1000))
    assert case.difference == pytest.approx(difference)
    assert case.outside is outside


def test_what_only_the_simulator_counts_has_no_difference_and_is_outside() -> None:
    case = Case("t", "g", "load_sectors", 5, 5, (5, 5), (0,))
    assert case.difference is None
    assert case.outside
    assert case.reason == OPEN
    assert not replace(case, counter="bank_conflicts").outside


def test_why_a_case_is_outside() -> None:
    far = Case("t", "g", "store_sectors", 100, 0, (90, 110), (150,))
    assert far.reason == OPEN
    assert replace(far, experiments={"past L1": 140}).reason == OPEN
    assert replace(far, experiments={"past L1": 140, "atomic barrier": 113}).reason == BARRIER.name
    assert replace(far, experiments={"past L1": 90}).reason == PAST_L1.name
    assert replace(far, band=(90, 146), experiments={"past L1": 90}).reason == ORDER
    assert replace(far, measured=(102,), experiments={"past L1": 200}).reason == ""
    assert replace(far, counter="atomic_requests").reason == ""


def test_a_band_holds_every_order_that_was_tried() -> None:
    assert schedules(3) == ["shuffled:0", "round-robin:0", "random:0"]
    record = H200.find("scan-free", "er:10")
    orders = ("lockstep", *schedules(3))
    runs = [gpubfs.run("scan-free", "er:10", schedule=order).counters for order in orders]
    for case in cases_of(record, 3):
        if case.counter in metrics():
            counted = [counters[case.counter] for counters in runs]
            assert case.band == (min(counted), max(counted))
            assert case.simulated == counted[0]


def call(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code


def test_against_a_gpu_that_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    call("compare", "scan-free", "status-array", "--graph", "toy", "--against", "h200")
    shown = capsys.readouterr().out
    assert "scan-free on toy against the NVIDIA H200" in shown
    assert "counting build" in shown
    assert "farther than promised" not in shown
    call("compare", "single-scan", "--graph", "kron:12", "--against", "h200")
    shown = capsys.readouterr().out
    assert "farther than promised: store_requests, store_sectors" in " ".join(shown.split())
    call("compare", "scan-free", "--graph", "toy", "--against", "h200", "--json")
    data = json.loads(capsys.readouterr().out)
    assert {case["counter"] for case in data["cases"]} > {*metrics(), "branches", "work.maximum"}


def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    cases_of = "gpubfs.measure.hardware.cases.cases_of"
    monkeypatch.setattr(cases_of, lambda *given: pytest.fail("it ran"))
    with pytest.raises(SystemExit) as ended:
        main(["agreement", "--page", str(tmp_path / "nowhere" / "page.md")])
    assert ended.value.code == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--machine", "gpu"], ["--source", "1"], ["--device", "v100"]])
def test_against_takes_no_other_machine(more: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "scan-free", "--graph", "toy", "--against", "h200", *more])
    assert ended.value.code == 2
    assert "--against compares" in capsys.readouterr().err


def test_the_command_for_all_cases(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    few = [r for r in H200.records if (r.technique, r.graph) == ("single-scan", "kron:10")]
    monkeypatch.setattr(records, "load", lambda name: replace(H200, records=tuple(few)))
    call("agreement", "h200", "--schedules", "2")
    shown = capsys.readouterr().out
    assert "outside of what is promised" in shown
    assert "store_sectors" in shown
    assert "past L1" in shown
    page = tmp_path / "page.md"
    call("agreement", "--schedules", "0", "--json", "--page", str(page))
    text = page.read_text()
    assert text.startswith(f"# The simulator against the {H200.device}")
    assert "| single-scan | kron:10 | load_sectors |" in text
    assert len(json.loads(capsys.readouterr().out)["cases"]) > len(metrics())
