"""Why a hidden case is lost is told without its data, whatever the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpubfs.grading.cohort.report import feedback_text, marks_table
from gpubfs.grading.cohort.submissions import Marked
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.feedback import gradescope_results
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import REASONS, Failure, Grade, Outcome, redacted
from gpubfs.grading.processes.sandbox import grade
from gpubfs.kernels import KERNELS
from tests.gpubfs.grading.doubling import submission
from tests.sampling import sampled

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
    ("search", "header"): f'#define WIDTH 1\n#include "visit.cuh"\n{BODY}'
                          " mark_neighbours(offsets, neighbours, level, 999, 0, 1, 3); }",
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
    ("own", "threads"): f"{HEAD} if (i >= in[0]) out[size + i] = 1; out[i] = 2 * in[i]; }}",
    ("own", "index"): f"{HEAD} out[in[i] - 5] = 1; }}",
    ("own", "print"): f'{HEAD} printf("%d\\n", in[i]); out[i] = 3 * in[i]; }}',
    ("own", "assertion"): f"{HEAD} assert(in[i] < 3); }}",
    ("own", "bounds"): f"{HEAD} }}".replace("void", "__launch_bounds__(16) void"),
    ("own", "sums"): f"{HEAD} for (int k = 0; k < in[0] + 9; k++) atomicAdd(out + i, in[i]); }}",
    ("search", "print"): SAME.replace(BODY, f'{BODY} printf("%d ", level[0]); level[0] = 77;'),
    ("drive", "print"): f"{DRIVE}print(graph.edges, source)\n    raise KeyError(graph.edges)",
    ("drive", "slice"): f"{DRIVE}return host.levels(graph.vertices, source)[1:]",
    ("drive", "edges"): f"{DRIVE}return host.empty('a', graph.edges)",
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


def lost(folder: Path, kind: str, text: str, secret: str = "a secret") -> Grade:
    made = exercise(folder, kind)
    return grade(made, submission(folder, text, f"mine{made.suffix}"), secret)


def everything(made: Grade) -> str:
    """All that anybody can read of a grade: a terminal, JSON, Gradescope, a class's CSV."""
    csv = marks_table([Marked("ada", made)])
    return "\n".join(
        [
            feedback_text(made),
            json.dumps(made.as_dict()),
            json.dumps(gradescope_results([made])),
            csv,
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), SUBMISSIONS)
def test_no_seed_is_told(kind: str, name: str, tmp_path: Path) -> None:
    made = lost(tmp_path, kind, SUBMISSIONS[kind, name])
    (outcome,) = made.outcomes
    failure = outcome.failure
    assert failure is not None
    told = json.dumps(made.as_dict()) + json.dumps(gradescope_results([made]))
    assert "seed=" not in told
    assert "kron" not in told
    assert not failure.called
    assert not failure.expected
    assert not failure.got
    if failure.reason != "read" and failure.detail:
        assert "mine" in failure.detail.splitlines()[0]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), SUBMISSIONS)
def test_two_secrets_are_told_in_the_same_words(kind: str, name: str, tmp_path: Path) -> None:
    told = [
        everything(lost(tmp_path / secret, kind, SUBMISSIONS[kind, name], secret)).replace(
            str(tmp_path / secret), ""
        )
        for secret in ("one", "another")
    ]
    assert told[0] == told[1]


PLACES = {
    ("own", "fault"): "mine.cu:1:",
    ("own", "sanitizer"): "out[0] = i;",
    ("own", "limit"): "atomicAdd",
    ("own", "endless"): "while (size)",
    ("search", "fault"): "level[1 << 20] = 3;",
    ("search", "header"): "mark_neighbours(offsets, neighbours, level, 999, 0, 1, 3);",
    ("drive", "raise"): "mine.py, line 2:",
    ("drive", "refused"): "host.launch('none'",
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), PLACES)
def test_the_line_is_told(kind: str, name: str, tmp_path: Path) -> None:
    (outcome,) = lost(tmp_path, kind, SUBMISSIONS[kind, name]).outcomes
    assert outcome.failure is not None
    assert PLACES[kind, name] in outcome.failure.detail


@pytest.mark.slow
def test_a_header_is_named_without_the_folder_of_grading(tmp_path: Path) -> None:
    made = exercise(tmp_path, "search")
    toml = SEARCH.replace("KIND", "mend").replace("hidden = true", "")
    (made.folder / "exercise.toml").write_text(toml.replace("kron:5,seed={seed}", "toy"))
    file = submission(tmp_path, SUBMISSIONS["search", "header"], "mine.cu")
    (outcome,) = grade(load(made.folder), file, "").outcomes
    assert outcome.failure is not None
    lines = outcome.failure.detail.splitlines()
    assert lines[0].startswith("visit.cuh:")
    assert any(line.startswith("mine.cu:") and "called here" in line for line in lines)


@pytest.mark.slow
def test_what_a_counter_is_above_is_told_by_name(tmp_path: Path) -> None:
    (outcome,) = lost(tmp_path, "own", SUBMISSIONS["own", "limit"]).outcomes
    assert outcome.failure is not None
    assert outcome.failure.message == "the result is right, but atomic_lanes is above its limit"


#: A block of as many threads, and as many bytes of shared memory, as the secret wants.
SIZED = """
import numpy as np
from gpubfs.grading import Launch, Problem

def make(rng, graph, source):
    size = int(rng.integers(100, 999))
    zeros = np.zeros(size, np.int32)
    return Problem({"in": zeros, "out": zeros}, (Launch("twice", 1, size, ("in", "out", size),
                   shared=40 * size),), {"out": zeros + 1})
"""
REFUSED = {
    "threads": HEAD.replace("void", "__launch_bounds__(64) void"),
    "shared memory": HEAD + " __shared__ int own[12000]; own[i] = i;",
}


@pytest.mark.parametrize("name", sampled(REFUSED, 2))
def test_a_refused_launch_does_not_tell_its_size(name: str, tmp_path: Path) -> None:
    made = exercise(tmp_path, "own")
    (made.folder / "problem.py").write_text(SIZED)
    file = submission(tmp_path, f"{REFUSED[name]} }}", "mine.cu")
    told = {everything(grade(made, file, secret)) for secret in ("one", "another")}
    assert len(told) == 1
    assert "cannot be launched" in told.pop()


@pytest.mark.slow
def test_what_hidden_cases_print_is_not_shown(tmp_path: Path) -> None:
    right = f'{HEAD} printf("%d\\n", in[i]); if (i < size) out[i] = 2 * in[i]; }}'
    for number, body in enumerate((right, right.replace("2 * in", "3 * in"))):
        (outcome,) = lost(tmp_path / str(number), "own", body).outcomes
        assert outcome.printed == ""


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
    shown = redacted(Outcome("any", 3, True, Failure(reason, "words", data, data, data, data)))
    assert shown.failure is not None
    assert shown.failure.reason == reason
    assert shown.failure.message
    kept = shown.failure.detail if reason == "read" else json.dumps(shown.as_dict())
    assert ("seed=" in kept) == (reason == "read")  # of the student's own text


def test_a_reason_that_only_another_kind_knows_tells_nothing() -> None:
    lost = redacted(Outcome("any", 3, True, Failure("depth", "seed=7 is wrong", got="seed=7")))
    assert lost.failure == Failure("depth", "the case is lost")
    named = Failure("depth", "seed=7 is wrong", general="it is too flat")
    assert redacted(Outcome("any", 3, True, named)).failure == Failure("depth", "it is too flat")


def test_what_is_shown_is_told_whole() -> None:
    outcome = Outcome("any", 3, False, Failure("result", "words", "f", "1", "2", "here"))
    assert redacted(outcome) == outcome
    assert redacted(Outcome("any", 3, True)) == Outcome("any", 3, True)
