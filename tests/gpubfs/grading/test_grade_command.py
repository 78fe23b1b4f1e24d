"""`gpubfs grade` as students type it, and as they mistype it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpubfs.cli.main import main

LESSONS = Path(__file__).parents[3] / "lessons"


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    made = tmp_path / "00-warp" / "exercises" / "reverse"
    shutil.copytree(LESSONS / "00-warp/exercises/reverse", made)
    return made


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command line in this process."""

    def call(*arguments: str | Path, command: str = "grade") -> Ran:
        with pytest.raises(SystemExit) as caught:
            main([command, *map(str, arguments)])
        return Ran(int(caught.value.code or 0), *capsys.readouterr())

    return call


def refused(result: Ran, *words: str) -> None:
    assert result.code == 2
    assert result.out == ""
    for part in words:
        assert part in " ".join(result.err.split())


def test_a_renamed_starter_is_no_zero(reverse: Path, ran: Any) -> None:
    (reverse / "starter.cu").rename(reverse / "mine.cu")
    refused(ran(reverse), "there is no starter.cu in", "gpubfs grade", "mine.cu --exercise")


@pytest.mark.parametrize("path", ["reverse", "exercises/revers"])
def test_a_path_that_is_not_there_names_the_exercise_that_is(
    path: str, reverse: Path, ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(reverse.parent.parent)
    said = f"there is no file or folder {path} did you mean exercises/reverse?"
    refused(ran(path), said)
    monkeypatch.chdir(reverse.parent.parent.parent.parent)
    refused(ran("mine.cu"), "there is no file or folder mine.cu", "--exercise FOLDER")


@pytest.mark.slow
def test_a_header_of_ones_own_is_not_handed_in(reverse: Path, ran: Any) -> None:
    (reverse / "own.cuh").write_text("#define N 4\n")
    starter = reverse / "starter.cu"
    starter.write_text('#include "own.cuh"\n' + starter.read_text("utf-8"), "utf-8")
    said = " ".join(ran(reverse).out.split())
    assert "the header `own.cuh` is not known" in said
    assert "what you hand in is this one file" in said
    assert "-I" not in said


def test_a_folder_is_no_submission(reverse: Path, ran: Any) -> None:
    refused(ran(reverse, "--exercise", reverse), "is a folder", "name the .cu file")


def test_a_file_of_another_kind_is_no_submission(reverse: Path, ran: Any) -> None:
    file = reverse / "exercise.toml"
    refused(ran(file, "--exercise", reverse), "is no .cu file", "starter.cu")


def test_results_into_no_folder_are_refused_at_once(reverse: Path, ran: Any) -> None:
    refused(ran(reverse, "--json", reverse / "none" / "results.json"), "cannot be written")


@pytest.mark.parametrize("name", ["starter.py", "answers.toml", "lesson.ipynb"])
def test_check_takes_cuda_only(name: str, tmp_path: Path, ran: Any) -> None:
    (tmp_path / name).write_text("x = 1\n")
    refused(ran(tmp_path / name, command="check"), name, "no CUDA")


@pytest.mark.slow
def test_a_limit_that_is_not_kept_names_the_dearest_line(tmp_path: Path, ran: Any) -> None:
    file = tmp_path / "mine.cu"
    file.write_text("""extern "C" __global__
void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  for (; w < (vertices + 31) / 32; w += gridDim.x * blockDim.x) {
    bits[w] = 0;
    for (int k = w * 32; k < min(vertices, w * 32 + 32); k++)
      if (level[k] < 0) bits[w] |= 1u << k % 32;
  }
}
""")
    result = ran(file, "--exercise", LESSONS / "02-memory/exercises/bitmap")
    assert result.code == 1
    rows = result.out.splitlines()
    first = next(n for n, row in enumerate(rows) if "mine.cu:7:11: cost:" in row)
    assert "load_sectors" in rows[first]
    assert rows[first + 1 : first + 3] == [
        "              if (level[k] < 0) bits[w] |= 1u << k % 32;",
        "                  ^~~~~~~~",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("name", ["00-warp/reverse", "00-warp/count", "01-levels/level-loop"])
def test_a_mark_at_the_beginning_of_a_file_costs_nothing(
    name: str, mark: bytes, tmp_path: Path, ran: Any
) -> None:
    lesson, _, slug = name.partition("/")
    folder = LESSONS / lesson / "exercises" / slug
    solution = next(folder.glob("solution.*"))
    file = tmp_path / f"mine{solution.suffix}"
    file.write_bytes(mark + solution.read_bytes())
    result = ran(file, "--exercise", folder, "--json", "-", "--hint", "1")
    assert result.code == 0
    assert json.loads(result.out)["score"] > 0
    assert "hint 1 of" in result.err


def test_half_a_character_ends_no_grading(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    file, to = tmp_path / "mine.py", tmp_path / "results.json"
    file.write_text(
        "def search(host, graph, source, **options):\n    raise ValueError('\\ud800')\n"
    )
    to.symlink_to(tmp_path / "elsewhere.json")  # as /dev/stdout is a link
    exercise = LESSONS / "01-levels/exercises/level-loop"
    found = ran(file, "--exercise", exercise, "--json", to)
    assert found.code == 1
    assert "ValueError: �" in found.out
    tests = json.loads((tmp_path / "elsewhere.json").read_text("utf-8"))["tests"]
    assert tests[0]["output"].startswith("ValueError: \ud800\n")
