"""Grading one submission: cases that lose their process lose their points, and no others do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpubfs.grading.cohort.report import feedback_text
from gpubfs.grading.errors import NotGradedError
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.feedback import gradescope_results, write_gradescope
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Grade
from gpubfs.grading.processes.sandbox import SECRET, grade

pytestmark = pytest.mark.slow  # each test starts processes

TOML = """
title = "Double"
kind = "write"
seconds = 3
memory = 256
hints = ["Twice."]

[[cases]]
name = "small"
points = 2
given = { size = 32 }
schedules = ["lockstep"]

[[cases]]
name = "odd"
points = 3
given = { size = 33, act = "ACT" }
schedules = ["lockstep"]

[[cases]]
name = "large"
points = 1
given = { size = 100 }
schedules = ["lockstep"]

[[cases]]
name = "any"
points = 4
given = { size = 50 }
schedules = ["lockstep"]
hidden = true
"""

PROBLEM = """
import os, signal, time
import numpy as np
from gpubfs.grading import Launch, Problem


def make(rng, size, act=""):
    acts = {
        "exit": lambda: os._exit(7),
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "sleep": lambda: time.sleep(60),
        "hoard": lambda: np.ones(1 << 32, np.uint8),
    }
    acts.get(act, int)()
    values = rng.integers(1, 1000, size, dtype=np.int32)
    launch = Launch("twice", -(-size // 32), 32, ("in", "out", size))
    return Problem({"in": values, "out": np.zeros_like(values)}, (launch,), {"out": 2 * values})
"""

RIGHT = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = 2 * in[i];
}
"""


def exercise(folder: Path, act: str = "") -> Exercise:
    home = folder / "00-lesson" / "double"
    home.mkdir(parents=True)
    (home / "exercise.toml").write_text(TOML.replace("ACT", act))
    (home / "problem.py").write_text(PROBLEM)
    return load(home)


def submission(folder: Path, text: str | bytes, name: str = "double.cu") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def reasons(made: Grade) -> list[str]:
    return [outcome.failure.reason if outcome.failure else "" for outcome in made.outcomes]


def test_a_right_kernel_gets_all(tmp_path) -> None:
    told = []
    made = grade(exercise(tmp_path), submission(tmp_path, RIGHT), "s", told.append)
    assert made.full
    assert (made.got, made.points) == (10, 10)
    assert [outcome.case for outcome in told] == ["small", "odd", "large", "any"]
    assert Grade.of(json.loads(json.dumps(made.as_dict()))) == made


def test_hidden_cases_are_skipped_without_a_secret(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(SECRET, raising=False)
    made = grade(exercise(tmp_path), submission(tmp_path, RIGHT))
    assert [outcome.skipped for outcome in made.outcomes] == [False, False, False, True]
    assert (made.got, made.points, made.full) == (6, 6, True)


def test_the_secret_may_be_in_the_environment(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(SECRET, "there")
    assert grade(exercise(tmp_path), submission(tmp_path, RIGHT)).got == 10


LOST = {
    "exit": ("crash", "exit code 7"),
    "sleep": ("time", "more than 3 seconds"),
    "hoard": ("memory", "more than 256 MiB"),
}


@pytest.mark.parametrize("act", LOST)
def test_a_lost_process_loses_one_case(act: str, tmp_path) -> None:
    reason, words = LOST[act]
    made = grade(exercise(tmp_path, act), submission(tmp_path, RIGHT), "s")
    assert reasons(made) == ["", reason, "", ""]
    assert words in made.outcomes[1].failure.message
    assert made.got == 7


def test_a_process_that_is_killed_loses_nothing(tmp_path) -> None:
    with pytest.raises(NotGradedError, match="killed in the case 'odd', twice") as caught:
        grade(exercise(tmp_path, "kill"), submission(tmp_path, RIGHT), "s")
    assert "too little memory" in caught.value.hint


def test_a_case_in_which_the_process_is_killed_once_is_tried_again(tmp_path) -> None:
    flag = tmp_path / "killed"
    once = f"(open({str(flag)!r}, 'x').close(), os.kill(os.getpid(), signal.SIGKILL))"
    made = exercise(tmp_path, "kill")
    text = PROBLEM.replace(
        "lambda: os.kill(os.getpid(), signal.SIGKILL)",
        f"lambda: os.path.exists({str(flag)!r}) or {once}",
    )
    (made.folder / "problem.py").write_text(text)
    assert grade(made, submission(tmp_path, RIGHT), "s").got == 10
    assert flag.exists()


KERNELS = {
    "endless": ("while (in[0] + size == in[0] + 33) { out[0]++; }", ("fault", "time")),
    "waits": ("if (size == 33 && threadIdx.x == 0) while (atomicAdd(&out[0], 0) < 5000) {}",
              ("fault", "time")),
    "beyond": ("if (size == 33) out[size + i] = 1;", ("fault",)),
    "wrong": ("if (size == 33) size = 32;", ("result",)),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_goes_wrong_on_one_case_loses_that(name: str, tmp_path) -> None:
    statement, expected = KERNELS[name]
    text = RIGHT.replace("  if (i < size)", f"  {statement}\n  if (i < size)")
    made = grade(exercise(tmp_path), submission(tmp_path, text), "s")
    found = reasons(made)
    assert found[1] in expected, made.outcomes[1].failure
    assert [found[0], found[2], found[3]] == ["", "", ""]


def test_hidden_cases_do_not_show_their_data(tmp_path) -> None:
    text = RIGHT.replace("2 * in[i]", "size == 50 ? 3 * in[i] : 2 * in[i]")
    hidden = grade(exercise(tmp_path), submission(tmp_path, text), "s").outcomes[3]
    assert hidden.failure.message == "a result is wrong"
    assert not any(vars(hidden.failure)[name] for name in ("called", "expected", "got", "detail"))


FILES = {
    "no text": (b"\xff\xfe", "byte 0 is not; save it as UTF-8"),
    "empty": (b" \n", "the file is empty"),
    "too large": (b"/" * ((1 << 20) + 1), "1,048,576 bytes"),
    "no CUDA": (b"hello world", "hello"),
    "nested": (b"int a = " + b"(" * 5000 + b"1" + b")" * 5000 + b";", ""),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_read_get_nothing(name: str, tmp_path) -> None:
    content, words = FILES[name]
    made = grade(exercise(tmp_path), submission(tmp_path, content), "s")
    assert set(reasons(made)) == {"read"}
    assert words in str(made.outcomes[0].failure)
    assert made.got == 0


def test_a_file_that_is_not_there_gets_nothing(tmp_path) -> None:
    made = grade(exercise(tmp_path), tmp_path / "none.cu", "s")
    assert set(reasons(made)) == {"read"}
    assert "No such file" in made.outcomes[0].failure.message


def test_results_are_gradescopes(tmp_path) -> None:
    text = RIGHT.replace("i < size", "i < size - size % 2")
    made = grade(exercise(tmp_path), submission(tmp_path, text), "s")
    write_gradescope([made], tmp_path / "results.json")
    found = json.loads((tmp_path / "results.json").read_text())
    assert found == gradescope_results([made])
    assert found["score"] == 7
    assert [test["status"] for test in found["tests"]] == ["passed", "failed", "passed", "passed"]
    assert [test["max_score"] for test in found["tests"]] == [2, 3, 1, 4]
    assert "out[32] is wrong" in found["tests"][1]["output"]
    assert [test.get("visibility") for test in found["tests"]] == [None] * 3 + ["after_due_date"]


DRIVE = """
title = "Drive"
kind = "drive"
seconds = 5
hints = ["Go."]
[search]
technique = "status-array"
[[cases]]
name = "shown"
points = 4
given = { graph = "path:4", source = 0 }
schedules = ["lockstep"]
[[cases]]
name = "hidden"
points = 6
given = { graph = "kron:5,seed={seed}" }
schedules = ["lockstep"]
hidden = true
"""

DRIVERS = {
    "raise RuntimeError(f'{graph.vertices} {source} {graph.edges}')": "driver",
    "raise SyntaxError(f'{graph.vertices} {source} {graph.edges}')": "driver",
    "host.launch(f'{graph.vertices} {source} {graph.edges}', 1, 1, ())": "driver",
    "import os\n    os._exit(source)": "crash",
}


@pytest.mark.parametrize("body", DRIVERS)
def test_drivers_do_not_tell_of_hidden_graphs(body: str, tmp_path) -> None:
    home = tmp_path / "00-lesson" / "drive"
    home.mkdir(parents=True)
    (home / "exercise.toml").write_text(DRIVE)
    file = tmp_path / "drive.py"
    file.write_text(f"def search(host, graph, source, **options):\n    {body}\n")
    made = grade(load(home), file, "s")
    shown, hidden = (outcome.failure for outcome in made.outcomes)
    assert shown.reason == hidden.reason == DRIVERS[body]
    assert shown.message != hidden.message
    line = f"{file.name}, line 2:"  # of what was handed in, which its author knows
    told = str({**vars(hidden), "detail": hidden.detail.replace(line, "").replace(body, "")})
    assert not any(character.isdigit() for character in told), hidden


BEYOND = """
def search(host, graph, source, **options):
    level = host.levels(graph.vertices, source)
    args = (graph.offsets, graph.neighbours, level, graph.vertices + 9, 0, level)
    host.launch("status_array", 1, 32, args)
"""


def test_a_driver_is_told_where_its_launch_went_wrong_without_folders(tmp_path) -> None:
    home = tmp_path / "00-lesson" / "drive"
    home.mkdir(parents=True)
    (home / "exercise.toml").write_text(DRIVE)
    made = grade(load(home), submission(tmp_path, BEYOND, "mine.py"), "s")
    detail = made.outcomes[0].failure.detail
    assert detail.startswith("mine.py, line 5:")
    assert "\nstatus_array.cu:" in detail
    assert "This line of status_array.cu is not yours" in detail
    assert "missing bounds check" not in detail


UNSET = """
extern "C" __global__ void twice(const int *in, int *out, int size) {
  __shared__ int place[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = blockIdx.x * blockDim.x + place[threadIdx.x];
  if (i < size) out[i] = 2 * in[i] + 0 * in[own];
}
"""


def test_an_index_from_nothing_is_told_as_that(tmp_path) -> None:
    found = grade(exercise(tmp_path), submission(tmp_path, UNSET), "s").outcomes[0].failure
    assert found.reason == "fault"
    assert "which nothing has written" in found.message
    assert "bounds check" not in found.detail
    assert "What comes of it: kernel twice" in found.detail


PRINTS = RIGHT.replace(
    "  if (i < size)", '  if (i % 32 == 0) printf("%d\\x1b of %d\\n", i, size);\n  if (i < size)'
)


def test_what_a_kernel_prints_is_told(tmp_path) -> None:
    made = grade(exercise(tmp_path), submission(tmp_path, PRINTS), "s")
    assert made.full
    printed = [outcome.printed for outcome in made.outcomes]
    assert printed[:2] == ["0\x1b of 32\n", "0\x1b of 33\n32\x1b of 33\n"]
    assert printed[3] == ""
    assert Grade.of(json.loads(json.dumps(made.as_dict()))) == made
    shown = feedback_text(made)
    assert "printed\n      0\\x1b of 32\n" in shown
    assert "\x1b" not in shown
    assert "0\\x1b of 33" in gradescope_results([made])["tests"][1]["output"]


def test_what_is_printed_is_capped(tmp_path) -> None:
    loop = PRINTS.replace("  if (i % 32 == 0) printf", "  for (int k = 0; k < 999; k++) printf")
    made = grade(exercise(tmp_path), submission(tmp_path, loop), "s")
    assert made.full
    assert all(len(outcome.printed) < 2200 for outcome in made.outcomes)
    assert "more characters were printed" in made.outcomes[0].printed


def test_limits_say_what_was_run(tmp_path) -> None:
    home = exercise(tmp_path).folder
    toml = TOML.replace("size = 100 }", "size = 100 }\nlimits = { load_sectors = 3 }")
    (home / "exercise.toml").write_text(toml)
    found = grade(load(home), submission(tmp_path, RIGHT), "s").outcomes[2].failure
    assert (found.reason, found.called) == ("limit", "twice<<<4, 32>>>(in, out, 100)")
