"""How a GPU is asked: which launches belong to which search, how often, and what is changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.measure import nsight
from gpubfs.measure.hardware import recording
from gpubfs.measure.hardware.cases import BARRIER, PAST_L1
from gpubfs.measure.hardware.records import Record, Records, joined
from gpubfs.measure.nsight import metrics


def table(launches: int) -> str:
    rows = ['"ID","Kernel Name","Metric Name","Metric Value"']
    names = [metric for found in metrics().values() for metric in found]
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


def test_runs_and_experiments_belong_to_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    simulated = gpubfs.run("status-array", "toy").counters

    def collected(program: str, command: list[str], kernels: set[str], more: Any) -> Any:
        """The launches of status-array count what they should, others their turns."""
        pairs = [json.loads(argument)[0] for argument in command[3:]]
        told.append(" ".join([*pairs, *(more or {}).values()]))
        rows = table(len(pairs)).splitlines()
        for turn, name in enumerate(pairs):
            if name == "status-array":
                own = [(m, simulated[n]) for n, found in metrics().items() for m in found]
                first = 1 + turn * len(own)
                for at, (metric, count) in enumerate(own):
                    rows[first + at] = f'"{turn}","k","{metric}","{count}"'
        return json.dumps([1] * len(pairs)), "\n".join(rows)

    monkeypatch.setattr(recording.shutil, "which", lambda name: "ncu")
    monkeypatch.setattr(recording, "cuda_module", lambda: None)
    monkeypatch.setattr(recording, "_here", lambda cuda, program: ("gpu", "1", "2", "3"))
    monkeypatch.setattr(recording, "searched", lambda t, g, counters: gpubfs.run(t, g))
    monkeypatch.setattr(nsight, "collect", collected)
    made = recording.record(["scan-free", "dfq-shared", "status-array"], ["toy"])
    free, dfq, plain = made.records
    assert free.hardware["load_requests"] == [1, 1, 1]
    assert dfq.hardware["load_requests"] == [2, 2, 2]
    assert plain.hardware["load_requests"] == [simulated["load_requests"]]
    assert {n: c["load_requests"] for n, c in free.experiments.items()} == {"past L1": 1}
    assert dfq.experiments["past L1"]["load_requests"] == 2
    assert dfq.experiments["atomic barrier"]["load_requests"] == 1
    assert plain.experiments == {}
    assert dfq.instrumented["grid_syncs"] == 4
    assert told == [
        "scan-free dfq-shared status-array",
        *["scan-free dfq-shared"] * 2,
        f"scan-free dfq-shared {PAST_L1.flag}",
        f"dfq-shared {BARRIER.flag}",
    ]


def test_records_of_two_days_are_joined_and_newer_ones_stay() -> None:
    facts = {"instrumented": {}, "hardware": {}, "experiments": {}}
    rows = [Record(name, "toy", kernels, **facts) for name, kernels in ("a1", "b1", "a2")]
    here = ("gpu", "driver", "compiler", "profiler")
    old = Records(*here, "2026-01-01", tuple(rows[:2]))
    new = Records(*here, "2026-01-03", tuple(rows[2:]))
    both = joined(old, new)
    assert [(r.technique, r.kernels) for r in both.records] == [("a", "2"), ("b", "1")]
    assert both.date == "2026-01-01 to 2026-01-03"
    assert joined(both, new).date == both.date
    assert joined(new, new).date == new.date


def test_records_of_another_driver_are_refused_before_anything_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording.shutil, "which", lambda name: "ncu")
    monkeypatch.setattr(recording, "cuda_module", lambda: None)
    monkeypatch.setattr(recording, "_here", lambda cuda, program: ("gpu", "2", "3", "4"))
    old = Records("gpu", "1", "3", "4", "2026-01-01", ())
    with pytest.raises(UsageError, match="the driver is 2, and the records in the file are of 1"):
        recording.record(["scan-free"], ["toy"], old=old)
