"""Names of files as platforms and browsers give them, and what is made of a class's download."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.grading.cohort.submissions import LINK, Job
from gpubfs.grading.loading import exercises, load
from gpubfs.grading.platforms.assigning import assign, files_of_folder
from gpubfs.grading.platforms.downloads import class_jobs
from gpubfs.grading.platforms.names import Meanings, downloaded

LESSONS = Path(__file__).parents[4] / "lessons"
REVERSE = load(LESSONS / "00-warp" / "exercises" / "reverse")
SUM = load(LESSONS / "00-warp" / "exercises" / "sum")
LOOP = load(LESSONS / "01-levels" / "exercises" / "level-loop")


def put(path: Path, text: str = "// mine\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def by_student(jobs: list[Job]) -> dict[str, dict[str, Job]]:
    found: dict[str, dict[str, Job]] = {}
    for job in jobs:
        found.setdefault(job.student, {})[job.exercise.folder.name] = job
    return found


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("reverse.cu", "reverse"),
        ("reverse (1).cu", "reverse"),
        ("reverse-1.cu", "reverse"),
        ("reverse-2 (3).cu", "reverse"),
        ("Reverse.CU", "reverse"),
        ("reverse/starter.cu", "reverse"),
        ("reverse/starter (1).cu", "reverse"),
        ("00-warp/exercises/sum/starter.cu", "sum"),
        ("level_loop.py", "level-loop"),
        ("Level Loop (2).py", "level-loop"),
        ("starter.cu", None),
        ("reverse.py", None),
        ("reverse.cu.txt", None),
        ("my reverse.cu", None),
        ("reverse (x).cu", None),
        (" (1).cu", None),
        ("(1).cu", None),
    ],
)
def test_which_exercise_is_meant(name: str, slug: str | None) -> None:
    found = Meanings([REVERSE, SUM, LOOP]).of(PurePosixPath(name))
    assert (found and found[0].folder.name) == slug


def test_every_exercise_of_the_course_is_found_by_each_form_of_its_name() -> None:
    course = exercises(LESSONS)
    meanings = Meanings(course)
    for one in course:
        lesson, slug = one.name.split("/")
        for name in (f"{slug}{one.suffix}", f"{slug} (1){one.suffix}", f"{slug}-1{one.suffix}"):
            found = meanings.of(PurePosixPath(lesson, name))
            assert found is not None
            assert found[0].name == one.name


@pytest.mark.parametrize(
    ("name", "student", "user", "file"),
    [
        ("lovelaceada_12345_67890_reverse.cu", "lovelaceada", "12345", "reverse.cu"),
        ("lovelace_ada_12345_67890_reverse (1).cu", "lovelace_ada", "12345", "reverse (1).cu"),
        ("lovelaceada_LATE_12345_67890_reverse-1.cu", "lovelaceada", "12345", "reverse-1.cu"),
        ("müllerzoë_1_2_a_3_4_b.cu", "müllerzoë", "1", "a_3_4_b.cu"),
        ("Ada Lovelace_7_assignsubmission_file_reverse.cu", "Ada Lovelace", "7", "reverse.cu"),
        ('O\'Neil, "Z"_7_assignsubmission_file_', 'O\'Neil, "Z"', "7", ""),
        ("Ada_7_assignsubmission_file", "Ada", "7", ""),
    ],
)
def test_names_of_downloads(name: str, student: str, user: str, file: str) -> None:
    found = downloaded(name)
    assert found is not None
    assert (found.student, found.user, found.file) == (student, user, file)


@pytest.mark.parametrize("name", ["ada", "ada_1", "reverse.cu", "_1_2_", "ada_x_2_reverse.cu", ""])
def test_other_names_are_of_no_download(name: str) -> None:
    assert downloaded(name) is None


@given(st.text(min_size=1, max_size=30))
def test_any_text_is_a_name(name: str) -> None:
    downloaded(name)
    if "/" not in name and "\0" not in name:
        assert Meanings([REVERSE]).of(PurePosixPath(name)) is None or "reverse" in name.casefold()


def test_of_two_files_the_better_name_is_graded_and_the_other_is_told(tmp_path: Path) -> None:
    own = put(tmp_path / "reverse.cu")
    put(tmp_path / "reverse (1).cu")
    put(tmp_path / "00-warp/exercises/reverse/starter.cu")
    put(tmp_path / "other.cu")
    made = assign("ada", files_of_folder(tmp_path), [REVERSE])
    assert made.jobs[0].file == own
    assert not made.jobs[0].refused
    assert {str(name): why for name, why in made.left} == {
        "reverse (1).cu": "reverse.cu goes before it",
        "00-warp/exercises/reverse/starter.cu": "reverse.cu goes before it",
        "other.cu": "its name is no exercise's",
    }


def test_two_files_of_equal_right_are_both_refused(tmp_path: Path) -> None:
    put(tmp_path / "a/reverse.cu")
    put(tmp_path / "b/reverse.cu")
    job = assign("ada", files_of_folder(tmp_path), [REVERSE]).jobs[0]
    assert job.refused == "more than one file is meant: a/reverse.cu, b/reverse.cu; hand in one"


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "reverse.cu").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "sum.cu")
    jobs = assign("ada", files_of_folder(tmp_path), [REVERSE, SUM]).jobs
    assert jobs[0].refused == LINK
    assert jobs[1].file is None


def test_the_download_of_canvas(tmp_path: Path) -> None:
    put(tmp_path / "lovelaceada_LATE_12345_67890_reverse (1).cu")
    put(tmp_path / "lovelaceada_12345_67891_sum-2.cu")
    put(tmp_path / "lovelaceada_12345_67892_what.cu")
    put(tmp_path / "hopper_grace_5_6_Essay.pdf")
    put(tmp_path / "notes.txt")
    jobs, left = class_jobs(tmp_path, [REVERSE, SUM])
    found = by_student(jobs)
    assert set(found) == {"lovelaceada_12345", "hopper_grace_5"}
    assert all(job.file for job in found["lovelaceada_12345"].values())
    assert not any(job.file for job in found["hopper_grace_5"].values())
    assert [(row.student, row.file) for row in left] == [("lovelaceada_12345", "what.cu")]


def test_two_uploads_of_one_name_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "ada_1_2_reverse.cu")
    put(tmp_path / "ada_1_3_reverse.cu")
    (job,) = class_jobs(tmp_path, [REVERSE])[0]
    assert job.refused.startswith("more than one file is meant")


def test_the_download_of_moodle(tmp_path: Path) -> None:
    ada = "Ada Lovelace_77_assignsubmission_file_"
    put(tmp_path / ada / "reverse (1).cu")
    put(tmp_path / "Ada Lovelace_77_assignsubmission_onlinetext_" / "onlinetext.html")
    put(tmp_path / "bob" / "reverse.cu")
    put(tmp_path / "bob" / "sum (1).cu")
    jobs, left = class_jobs(tmp_path, [REVERSE, SUM])
    found = by_student(jobs)
    assert set(found) == {ada, "bob"}
    assert found[ada]["reverse"].file == tmp_path / ada / "reverse (1).cu"
    assert found["bob"]["sum"].file is None  # a folder of one's own has exact names
    assert [(row.student, row.file) for row in left] == [("bob", "sum (1).cu")]


def test_the_download_of_moodle_without_folders(tmp_path: Path) -> None:
    put(tmp_path / "Ada Lovelace_77_assignsubmission_file_reverse.cu")
    (job,) = class_jobs(tmp_path, [REVERSE])[0]
    assert job.student == "Ada Lovelace_77"
    assert job.file is not None


def test_what_a_mac_puts_into_an_archive_is_nobody(tmp_path: Path) -> None:
    put(tmp_path / "ada_1_2_reverse.cu")
    put(tmp_path / "._ada_1_2_reverse.cu")
    put(tmp_path / "__MACOSX" / "._ada_1_2_reverse.cu")
    assert [job.student for job in class_jobs(tmp_path, [REVERSE])[0]] == ["ada_1"]
    put(tmp_path / "bob" / "reverse.cu")
    assert [job.student for job in class_jobs(tmp_path, [REVERSE])[0]] == ["bob"]


def test_of_very_many_files_for_one_exercise_few_are_named(tmp_path: Path) -> None:
    for number in range(50):
        put(tmp_path / str(number) / "reverse.cu")
    (job,) = assign("ada", files_of_folder(tmp_path), [REVERSE]).jobs
    assert job.refused.endswith(" and 45 more; hand in one")
