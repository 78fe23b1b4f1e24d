"""What students handed in is found without links and pipes, and what fits nothing is told."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.grading import Cohort
from gpubfs.grading.cohort.packing import pack
from gpubfs.grading.cohort.submissions import (
    LINK,
    MAX_SHOWN,
    UnmatchedFinder,
    find_submission,
    make_jobs,
    read_beginning,
    unmatched_files,
)
from gpubfs.grading.exercise import MAX_BYTES, Exercise
from gpubfs.grading.loading import load

LESSONS = Path(__file__).parents[3] / "lessons"
REVERSE = load(LESSONS / "00-warp" / "exercises" / "reverse")
SUM = load(LESSONS / "00-warp" / "exercises" / "sum")
LOOP = load(LESSONS / "01-levels" / "exercises" / "level-loop")


def put(path: Path, text: str = "// mine\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """A student's folder, in a class with one other."""
    put(tmp_path / "class" / "bob" / "00-warp" / "reverse.cu")
    folder = tmp_path / "class" / "ada"
    folder.mkdir()
    return folder


def whys(ada: Path, *exercises: Exercise) -> dict[str, str]:
    there = make_jobs(ada.parent, exercises)
    return {row.file: row.why for row in unmatched_files(ada.parent, there) if row.student == "ada"}


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("reverse.cu", "../bob/00-warp/reverse.cu"),
        ("reverse.cu", "/etc/passwd"),
        ("reverse.cu", "nowhere"),
        ("00-warp", "../bob/00-warp"),
        ("reverse.cu", "own.cu"),
    ],
)
def test_links_do_not_count(ada: Path, link: str, to: str) -> None:
    put(ada / "own.cu")
    (ada / link).symlink_to(to)
    job = next(job for job in make_jobs(ada.parent, [REVERSE]) if job.student == "ada")
    assert job.refused == LINK
    assert job.file is not None


def test_links_to_students_folders_are_not_followed(ada: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "bob").symlink_to(tmp_path / "class" / "bob")
    with pytest.raises(UsageError, match="has no folders") as caught:
        make_jobs(linked, [REVERSE])
    assert "links are not followed" in caught.value.hint
    (linked / "cyd").mkdir()
    assert [job.student for job in make_jobs(linked, [REVERSE])] == ["cyd"]


def test_a_file_goes_before_a_link(ada: Path) -> None:
    (ada / "00-warp").symlink_to("../bob/00-warp")
    own = put(ada / "reverse.cu")
    assert find_submission(ada, REVERSE).file == own
    assert find_submission(ada, REVERSE).refused == ""


def test_a_file_that_became_a_link_is_not_followed(ada: Path) -> None:
    (ada / "reverse.cu").symlink_to("../bob/00-warp/reverse.cu")
    with pytest.raises(OSError, match="symbolic links"):
        read_beginning(ada / "reverse.cu")


def test_pipes_and_folders_are_no_files(ada: Path) -> None:
    os.mkfifo(ada / "reverse.cu")
    put(ada / "sum.cu" / "a.txt")
    assert find_submission(ada, REVERSE).file is None
    assert find_submission(ada, SUM).file is None
    assert "reverse.cu" in whys(ada, REVERSE)
    assert read_beginning(ada / "reverse.cu") == (b"", 0)  # and nobody waits for a writer


def test_of_a_huge_file_little_is_read(ada: Path, tmp_path: Path) -> None:
    with (ada / "reverse.cu").open("wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    try:
        one = Cohort(make_jobs(ada.parent, [REVERSE]), tmp_path / "to", "s")
        packed = pack(REVERSE, ada / "reverse.cu", "s")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert len(packed.content) == MAX_BYTES + 1
    with (ada / "reverse.cu").open("ab") as file:
        file.write(b"x")
    again = Cohort(one.jobs, tmp_path / "to", "s")
    assert one._marks[one.jobs[0].result] != again._marks[one.jobs[0].result]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Reverse.CU", "did you mean 00-warp/reverse?"),
        ("sum (1).cu", "did you mean 00-warp/sum?"),
        ("level_loop.py", "did you mean 01-levels/level-loop?"),
        ("handed/00-warp/sum.cu", "did you mean 00-warp/sum?"),
        ("exercises/sum/starter.cu", "did you mean 00-warp/sum?"),
        ("ada_revers.cu", "did you mean 00-warp/reverse?"),
        ("sum.cu.txt", "did you mean 00-warp/sum? it ends in .cu"),
        ("sum.py", "did you mean 00-warp/sum? it ends in .cu"),
        ("zzz.cu", ""),
    ],
)
def test_what_fits_no_exercise_is_told(ada: Path, name: str, why: str) -> None:
    put(ada / name)
    assert whys(ada, REVERSE, SUM, LOOP) == {name: why}


def test_what_has_its_place_in_the_course_is_not_told(ada: Path) -> None:
    put(ada / "reverse.cu")
    put(ada / "01-levels" / "level-loop.py")  # not graded now
    put(ada / "level-loop.py")
    put(ada / "lessons/00-warp/exercises/reverse/exercise.toml")
    put(ada / "lessons/00-warp/exercises/reverse/problem.py")
    put(ada / "lessons/00-warp/exercises/reverse/starter.cu")  # reverse.cu goes before it
    put(ada / "00-warp/exercises/sum/starter.cu")
    put(ada / "00-warp/conftest.py")  # released lessons have one each
    put(ada / "lessons/01-levels/conftest.py")
    put(ada / "notes.txt")
    put(ada / ".git/a.cu")
    assert whys(ada, REVERSE) == {}


def test_a_solution_beside_a_starter_is_told(ada: Path) -> None:
    put(ada / "00-warp/exercises/reverse/starter.cu")
    put(ada / "00-warp/exercises/reverse/solution.cu")
    assert list(whys(ada, REVERSE)) == ["00-warp/exercises/reverse/solution.cu"]


def test_a_second_file_for_an_exercise_is_told(ada: Path) -> None:
    put(ada / "reverse.cu")
    put(ada / "00-warp" / "reverse.cu")
    assert "00-warp/reverse" in whys(ada, REVERSE)["reverse.cu"]


def test_very_many_files_end_in_a_row_that_says_so(ada: Path) -> None:
    for number in range(MAX_SHOWN + 1):
        put(ada / f"x{number}.cu")
    rows = UnmatchedFinder([REVERSE]).of(ada, [])
    assert len(rows) == MAX_SHOWN + 1
    assert rows[-1].why == "there are more files"


def test_one_exercise_counts_once(ada: Path, tmp_path: Path) -> None:
    assert len(make_jobs(ada.parent, [REVERSE, SUM, load(REVERSE.folder)])) == 4
    other = tmp_path / "00-warp" / "exercises" / "reverse"
    for name in ("exercise.toml", "problem.py"):
        put(other / name, (REVERSE.folder / name).read_text("utf-8"))
    with pytest.raises(UsageError, match="two exercises are called 00-warp/reverse"):
        make_jobs(ada.parent, [REVERSE, load(other)])
