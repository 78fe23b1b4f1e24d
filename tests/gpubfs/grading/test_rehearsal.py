"""Searches and questions that nobody can do are mistakes of the exercise; others never are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import load
from gpubfs.grading.processes.sandbox import grade
from gpubfs.kernels import KERNELS
from tests.gpubfs.grading.doubling import PROBLEM, RIGHT, error_of, exercise, submission

pytestmark = pytest.mark.slow  # each test starts processes

SEARCH = """
title = "Search"
kind = "KIND"
hints = ["Go."]
search = { technique = "TECHNIQUE" }
[[cases]]
name = "first"
points = 4
given = { GIVEN }
schedules = ["lockstep", "warp"]
hidden = true
"""
EMPTY = 'extern "C" __global__ void some() {}'
DRIVER = "def search(host, graph, source, **options):\n    return host.levels(6, 0)\n"

SEARCHES = {
    ("scan-free", 'graph = "path:6", source = 6'): "source 6 is not in path:6",
    ("scan-free", 'graph = "file:none.txt"'): "GraphError",
    ("dfq-global", 'graph = "path:6", capacity = 10'): "has no room for the 32 vertices",
    ("scan-free", 'graph = "kron:5,seed={seed}", source = 99'):
        "source 99 is not in kron:5,seed={seed}",
}  # fmt: skip


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", ["write", "drive"])
def test_searches_that_cannot_be_made_are_mistakes(
    kind: str, search: tuple[str, str], tmp_path: Path
) -> None:
    toml = SEARCH.replace("KIND", kind).replace("TECHNIQUE", search[0]).replace("GIVEN", search[1])
    made = exercise(tmp_path, None, toml)
    driver = submission(tmp_path, DRIVER, "mine.py")
    kernel = submission(tmp_path, EMPTY)
    if kind == "drive" and "capacity" in search[1]:
        return  # the driver that is handed in need not refuse it
    message = error_of(made, driver if kind == "drive" else kernel, "s")
    assert "case 'first'" in message
    assert SEARCHES[search] in message


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("write", EMPTY),
        ("write", "int broken("),
        ("write", 'extern "C" __global__ void scan_free(int *a) { a[1 << 20] = 3; }'),
        ("drive", DRIVER),
        ("drive", "def search(host, graph, source, **options):\n    raise ValueError(source)\n"),
        ("drive", "import nothing.at.all\n"),
        ("drive", "def search(host, graph, source, **options):\n    host.read_int(99)\n"),
        ("drive", "import os\nos._exit(1)\n"),
    ],
)
def test_what_is_handed_in_makes_no_mistake_of_the_exercise(
    kind: str, text: str, tmp_path: Path
) -> None:
    toml = SEARCH.replace("KIND", kind).replace("TECHNIQUE", "scan-free")
    made = exercise(tmp_path, None, toml.replace("GIVEN", 'graph = "path:6", source = 0'))
    (lost,) = grade(made, submission(tmp_path, text, f"mine{made.suffix}"), "s").outcomes
    assert lost.failure is not None


LIMITS = ["load_requests", "merged_load_requests", "idle_share"]


@pytest.mark.parametrize("counter", LIMITS)
def test_a_limit_on_what_is_derived_makes_no_mistake_of_the_exercise(
    counter: str, tmp_path: Path
) -> None:
    toml = SEARCH.replace("KIND", "write").replace("TECHNIQUE", "status-array")
    toml = toml.replace("GIVEN", 'graph = "path:6", source = 0').replace("hidden = true", "")
    toml = toml.replace("hints =", 'includes = ["csr.cuh"]\nhints =')
    made = exercise(tmp_path, None, f"{toml}limits = {{ {counter} = 400 }}\n")
    kernel = (KERNELS / "status_array.cu").read_text("utf-8")
    endless = kernel.replace("vertices) return;", "vertices) return;\n  *found = 1;")
    assert endless != kernel
    (lost,) = grade(made, submission(tmp_path, endless), "s").outcomes
    assert lost.failure is not None
    assert lost.failure.reason == "result"


ASK = """
title = "Count"
kind = "predict"
hints = ["Count."]
[[cases]]
name = "small"
points = 2
given = { size = 32, counter = "store_requests" }
[[cases]]
name = "search"
points = 2
given = { technique = "scan-free", graph = "path:6", counter = "launches", source = 0 }
"""


def asked(folder: Path, kernel: str = RIGHT, toml: str = ASK) -> Exercise:
    made = folder / "lessons/00-lesson/exercises/double/kernel.cu"
    made.parent.mkdir(parents=True)
    made.write_text(kernel)
    for name, text in (("exercise.toml", toml), ("problem.py", PROBLEM)):
        (made.parent / name).write_text(text)
    return load(made.parent)


@pytest.mark.parametrize(
    ("kernel", "toml", "words"),
    [
        ("int broken(", ASK, "case 'small': its own kernel fails"),
        (RIGHT.replace("2 *", "3 *"), ASK, "its own kernel fails: out[1] is wrong"),
        (RIGHT, ASK.replace("size =", "sise ="), "did you mean size?"),
        (RIGHT, ASK.replace("source = 0", "source = 6"), "case 'search': launches cannot be"),
    ],
)
def test_questions_without_an_answer_are_mistakes(
    kernel: str, toml: str, words: str, tmp_path: Path
) -> None:
    file = submission(tmp_path, "small = 1\nsearch = 6\n", "answers.toml")
    assert words in error_of(asked(tmp_path, kernel, toml), file)


@pytest.mark.parametrize("answer", ["2", "1e400", "nan", f"1{400 * '0'}", f"1{5000 * '0'}", "'x'"])
def test_answers_make_no_mistake_of_the_exercise(answer: str, tmp_path: Path) -> None:
    file = submission(tmp_path, f"small = {answer}\nsearch = 6\n", "answers.toml")
    first = grade(asked(tmp_path), file).outcomes[0]
    assert first.failure is not None
