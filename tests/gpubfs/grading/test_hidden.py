"""Why a hidden case is lost is told without its data, whatever the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpubfs.grading.exercises.exercise import Exercise, load
from gpubfs.grading.gradescope import results
from gpubfs.grading.outcome import REASONS, Failure, Grade, Outcome
from gpubfs.grading.sandbox import grade, private
from gpubfs.technique import KERNELS
from tests.gpubfs.grading.doubling import handed_in

SEARCH = """
title = "Search"
kind = "KIND"
hints = ["Go."]
includes = ["csr.cuh", "visit.cuh"]
seconds = 4
memory = 256
search = { technique = "status-array" }
[[cases]]
name = "any"
points = 4
given = { graph = "kron:5,seed={seed}", source = 3 }
schedules = ["lockstep", "warp"]
sanitize = "all"
limits = { launches = 40, host_reads = 40, atomic_lanes = 0 }
hidden = true
"""
OWN = SEARCH.replace('search = { technique = "status-array" }\n', "").replace(
    ", host_reads = 40", ""
)
PROBLEM = """
import numpy as np
import gpubfs
from gpubfs.grading import Launch, Problem

def make(rng, graph, source):
    made = gpubfs.graph(graph.replace("{seed}", str(rng.integers(1000))))
    values = rng.integers(1, 9, made.vertices, dtype=np.int32)
    args = ("in", "out", values.size)
    check = (lambda found: "" if found["out"][0] != 77 else f"{made.spec}: {made.none}")
    return Problem({"in": values, "out": 0 * values}, (Launch("twice", 1, 32, args),),
                   {"out": 2 * values}, check=check)
"""
HEAD = 'extern "C" __global__ void twice(const int *in, int *out, int size) { int i = threadIdx.x;'
DRIVE = "def search(host, graph, source, **options):\n    "
SAME = (KERNELS / "status_array.cu").read_text("utf-8")
BODY = SAME[: SAME.index("{", SAME.index("__global__")) + 1]

SUBMISSIONS = {
    ("search", "read"): "int broken(",
    ("search", "no kernel"): 'extern "C" __global__ void other() {}',
    ("search", "result"): f"{BODY} }}",
    ("search", "fault"): f"{BODY} level[1 << 20] = 3; }}",
    ("search", "sanitizer"): f"{BODY} level[vertices - 1] = threadIdx.x; }}",
    ("search", "endless"): f"{BODY} while (level[0] < 99) level[1] = -1; }}",
    ("search", "limit"): SAME.replace(BODY, f"{BODY} atomicAdd(found, 0);"),
    ("own", "read"): f"{HEAD} out[i] = 2 * in[j]; }}",
    ("own", "arguments"): 'extern "C" __global__ void twice(int *in) {}',
    ("own", "result"): f"{HEAD} out[i] = 3 * in[i]; }}",
    ("own", "check"): f"{HEAD} out[i] = 77; }}",
    ("own", "fault"): f"{HEAD} out[i + size] = 2 * in[i]; }}",
    ("own", "sanitizer"): f"{HEAD} out[0] = i; }}",
    ("own", "schedule"): f"{HEAD} out[i] = 2 * in[i]; }}".replace(
        "out[i]", "if (i == 0) out[1] = clock64() & 1; out[i]"),
    ("own", "limit"): f"{HEAD} atomicAdd(&out[i], 2 * in[i]); }}",
    ("own", "endless"): f"{HEAD} while (size) out[i] = i; }}",
    ("drive", "read"): "def search(",
    ("drive", "none"): "x = 3",
    ("drive", "result"): f"{DRIVE}return host.levels(graph.vertices, source)",
    ("drive", "raise"): f"{DRIVE}raise ValueError((source, graph.vertices))",
    ("drive", "refused"): f"{DRIVE}host.launch('none', 1, 1, ())",
    ("drive", "time"): f"{DRIVE}while True: pass",
    ("drive", "memory"): f"{DRIVE}return bytearray(1 << 40)",
    ("drive", "crash"): f"{DRIVE}import os; os._exit(source)",
    ("drive", "wrong after many reads"): f"{DRIVE}a = host.levels(graph.vertices, source)\n    "
                        "[host.read_int(a) for _ in range(50)]\n    return a",
}  # fmt: skip


def exercise(folder: Path, kind: str) -> Exercise:
    home = folder / "00-lesson" / "exercises" / "some"
    home.mkdir(parents=True)
    toml = (OWN if kind == "own" else SEARCH).replace(
        "KIND", "drive" if kind == "drive" else "mend"
    )
    (home / "exercise.toml").write_text(toml)
    (home / "problem.py").write_text(PROBLEM)
    return load(home)


def lost(folder: Path, kind: str, text: str) -> Grade:
    made = exercise(folder, kind)
    return grade(made, handed_in(folder, text, f"mine{made.suffix}"), "a secret")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), SUBMISSIONS)
def test_no_seed_is_told(kind: str, name: str, tmp_path: Path) -> None:
    made = lost(tmp_path, kind, SUBMISSIONS[kind, name])
    (outcome,) = made.outcomes
    failure = outcome.failure
    assert failure is not None
    told = json.dumps(made.as_dict()) + json.dumps(results([made]))
    assert "seed=" not in told
    assert "kron" not in told
    assert not failure.called
    assert not failure.expected
    assert not failure.got
    if failure.reason != "read":
        assert not failure.detail


@pytest.mark.slow
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path) -> None:
    (outcome,) = lost(tmp_path, "search", SUBMISSIONS["search", "read"]).outcomes
    assert outcome.failure is not None
    assert outcome.failure.reason == "read"
    assert "mine.cu:1:" in outcome.failure.detail
    assert outcome.failure.message in outcome.failure.detail


@pytest.mark.parametrize("reason", REASONS)
def test_no_reason_tells_what_was_called(reason: str) -> None:
    data = "kron:6,seed=559012"
    shown = private(Outcome("any", 3, True, Failure(reason, "words", data, data, data, data)))
    assert shown.failure is not None
    assert shown.failure.reason == reason
    assert shown.failure.message
    kept = shown.failure.detail if reason == "read" else json.dumps(shown.as_dict())
    assert ("seed=" in kept) == (reason == "read")  # of the student's own text


def test_what_is_shown_is_told_whole() -> None:
    outcome = Outcome("any", 3, False, Failure("result", "words", "f", "1", "2", "here"))
    assert private(outcome) == outcome
    assert private(Outcome("any", 3, True)) == Outcome("any", 3, True)
