"""What was recorded on a GPU, and how the simulator is held against it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gpubfs
from gpubfs import nsight
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.nsight import METRICS
from gpubfs.witnesses import agreement, recording, records
from gpubfs.witnesses.agreement import LIMITS, Case
from gpubfs.witnesses.references import GRAPHS, digest, specs

H200 = records.load("h200")


def test_no_record_is_of_other_kernels_than_those_that_ship() -> None:
    """If this fails, kernels have changed: record them again with `gpubfs record`."""
    assert [(r.technique, r.graph) for r in H200.records if r.stale] == []


def test_records_say_where_and_when_they_were_made() -> None:
    assert "H200" in H200.device
    assert all((H200.driver, H200.compiler, H200.profiler, H200.date))
    assert {r.graph for r in H200.records} == set(GRAPHS)
    assert {r.technique for r in H200.records} <= set(specs())
    assert all(set(r.hardware) == set(METRICS) for r in H200.records)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return agreement.all_cases(H200)


@pytest.mark.parametrize("counter", LIMITS)
def test_medians_are_as_promised(counter: str, cases: list[Case]) -> None:
    shares = sorted(abs(c.difference or 0) for c in cases if c.counter == counter)
    assert shares[len(shares) // 2] <= LIMITS[counter][0]


@pytest.mark.parametrize("counter", ["load_requests", "load_sectors"])
def test_no_load_is_farther_than_promised(counter: str, cases: list[Case]) -> None:
    assert [c for c in cases if c.counter == counter and c.outside] == []


def test_what_does_not_depend_on_the_order_is_equal_to_the_digit(cases: list[Case]) -> None:
    own = [c for c in cases if c.technique == "status-array"]
    assert len(own) > len(GRAPHS) * len(METRICS)
    for case in own:
        assert case.simulated == case.instrumented
        assert case.hardware in (None, case.simulated)


def test_a_technique_is_found_by_its_options_in_any_form() -> None:
    plain = H200.find("scan-free", "toy")
    assert H200.find("scan_free:block=256,width=1", "toy") is plain
    assert H200.find("scan-free:width=32", "toy") is not plain
    with pytest.raises(UsageError, match="was not recorded on kron:11"):
        H200.find("scan-free", "kron:11")
    with pytest.raises(UsageError, match="scan-free:block=64 was not recorded"):
        H200.find("scan-free:block=64", "toy")
    with pytest.raises(UsageError, match="did you mean h200"):
        records.load("h20")


def test_a_record_of_other_kernels_is_refused() -> None:
    old = replace(H200.records[0], kernels="0" * 16)
    with pytest.raises(UsageError, match="have changed since they were recorded"):
        replace(H200, records=(old,)).find(old.technique, old.graph)
    assert agreement.all_cases(replace(H200, records=(old,))) == []


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
        monkeypatch.setattr("gpubfs.witnesses.references.find", lambda name, c=changed: c)
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
    both = records.joined(H200.records, [newer])
    assert len(both) == len(H200.records)
    assert newer in both


@pytest.mark.parametrize(
    ("simulated", "hardware", "difference", "outside"),
    [(100, 100, 0.0, False), (97, 100, -0.03, False), (96, 100, -0.04, True), (0, 0, 0.0, False)],
)
def test_differences(simulated: int, hardware: int, difference: float, outside: bool) -> None:
    case = Case("t", "g", "load_sectors", simulated, 0, hardware)
    assert case.difference == pytest.approx(difference)
    assert case.outside is outside


def test_what_only_the_simulator_counts_has_no_difference_and_is_outside() -> None:
    case = Case("t", "g", "load_sectors", 5, 5, 0)
    assert case.difference is None
    assert case.outside
    assert not replace(case, counter="bank_conflicts").outside


def test_a_band_holds_every_order_that_was_tried() -> None:
    in_lockstep = gpubfs.run("scan-free", "karate").counters["atomic_requests"]
    case = Case("scan-free", "karate", "atomic_requests", in_lockstep, 0, 0)
    low, high = agreement.band(case, 3)
    counted = [
        gpubfs.run("scan-free", "karate", schedule=f"random:{seed}").counters["atomic_requests"]
        for seed in range(3)
    ]
    assert (low, high) == (min(in_lockstep, *counted), max(in_lockstep, *counted))


def call(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code


def test_against_a_gpu_that_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    call("compare", "scan-free", "status-array", "--graph", "toy", "--against", "h200")
    shown = capsys.readouterr().out
    assert "scan-free on toy against the NVIDIA H200" in shown
    assert "counting build" in shown
    call("compare", "scan-free", "--graph", "toy", "--against", "h200", "--json")
    data = json.loads(capsys.readouterr().out)
    assert {case["counter"] for case in data["cases"]} > {*METRICS, "branches", "work.maximum"}


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
    page = tmp_path / "page.md"
    call("agreement", "--schedules", "0", "--json", "--page", str(page))
    text = page.read_text()
    assert text.startswith(f"# The simulator against the {H200.device}")
    assert "| single-scan | kron:10 | load_sectors |" in text
    assert len(json.loads(capsys.readouterr().out)["cases"]) > len(METRICS)


def table(launches: int) -> str:
    rows = ['"ID","Kernel Name","Metric Name","Metric Value"']
    names = [metric for metrics in METRICS.values() for metric in metrics]
    rows += [f'"{n}","k","{name}","{n + 1}"' for n in range(launches) for name in names]
    return "\n".join(rows)


def test_launches_of_many_searches_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("a", "toy"), ("b", "toy")]
    monkeypatch.setattr(nsight, "collect", lambda *given: ("noise\n[2, 3]\n", table(5)))
    first, second = recording._profiled("ncu", pairs, {"k"})
    assert (first["load_requests"], second["load_requests"]) == (1 + 2, 3 + 4 + 5)
    assert first["atomic_requests"] == 2 * (1 + 2)
    monkeypatch.setattr(nsight, "collect", lambda *given: ("[2, 2]", table(5)))
    with pytest.raises(RuntimeError, match="4 launches were made, 5 were profiled"):
        list(recording._profiled("ncu", pairs, {"k"}))


def test_without_a_profiler_there_is_nothing_to_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording.shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="Nsight Compute is not installed"):
        recording.record(["scan-free"], ["toy"])
