"""`gpubfs marks`: gradebooks for Canvas, for Moodle and with nbgrader's; late rules."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.platforms.roster import Person, match

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 0 (4711),Current Score\n"
    ",,,,,Manual Posting,(read only)\n"
    "    Points Possible,,,,,20,(read only)\n"
    '"Lovelace, Ada",12345,s1,ada,One,3,77\n'
    '"Müller, Zoë",12346,s2,zoe,One,,\n'
    '"=cmd|\' /C calc\'!A0",12347,s3,eve,"Two, ""B""",1,\n'
)
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum grade,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    "Participant 77,Ada Lovelace,ada@x.org,Submitted,,20.00,"
    '"Monday, 2 November 2026, 12:20 PM",-,\n'
    "Participant 78,Zoë Müller,zoe@x.org,Submitted,2.00,20.00,"
    '"Tuesday, 3 November 2026, 12:01 PM",-,\n'
    "Participant 79,Bob,bob@x.org,No submission,-,20.00,-,-,\n"
)
MOODLE = (
    "First name,Last name,ID number,Email address,Assignment: One (Real)\n"
    "Ada,Lovelace,s1,ada@x.org,-\n"
    "Zoë,Müller,s2,zoe@x.org,4\n"
)
NBGRADER = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
    "late_submission_penalty,score,max_score\n"
    "00-warp,,,ada,Lovelace,Ada,ada@x.org,3.0,0.0,3.0,4.0\n"
    "01-levels,,,ada,Lovelace,Ada,ada@x.org,0.0,0.0,,5.0\n"
    "00-warp,,,gus,,,,1.0,0.0,1.0,4.0\n"
    "00-warp,,,zoe,,,,0.0,0.0,0.0,4.0\n"
    "00-warp,,2026-11-02 12:00:00,eve,,,,0.0,0.0,0.0,4.0\n"
)


def grades(to: Path, marks: dict[str, tuple[float | None, float | None]]) -> Path:
    """A folder as grade-all leaves it: two exercises of ten points, handed in at noon."""
    to.mkdir(exist_ok=True)
    noon = "2026-11-02T12:00:00+00:00"
    names = "00-warp/reverse", "00-warp/sum"
    students = {
        student: {
            name: {"got": got, "time": None if got is None else noon}
            for name, got in zip(names, own, strict=True)
        }
        for student, own in marks.items()
    }
    text = json.dumps({"points": dict.fromkeys(names, 10.0), "students": students})
    (to / "marks.json").write_text(text, "utf-8")
    return to


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return grades(
        tmp_path / "grades",
        {"ada": (10.0, 5.5), "zoe": (None, 7.0), "eve": (0.0, 1.0)},
    )


def run(there: Path, *more: str, **files: str) -> Result:
    """Run the command with options that are files of these texts."""
    words = ["marks", str(there), "--to", str(there.parent / "out.csv"), *more]
    for name, text in files.items():
        (there.parent / f"{name}.csv").write_text(text, "utf-8")
        words += [f"--{name}", str(there.parent / f"{name}.csv")]
    return CliRunner().invoke(group, words)


def out(there: Path) -> list[list[str]]:
    return list(csv.reader((there.parent / "out.csv").read_text("utf-8").splitlines()))


def test_the_gradebook_has_maxima_and_totals(there: Path) -> None:
    assert run(there).exit_code == 0
    assert out(there) == [
        ["student", "00-warp/reverse", "00-warp/sum", "total"],
        ["points possible", "10", "10", "20"],
        ["ada", "10", "5.5", "15.5"],
        ["zoe", "", "7", "7"],
        ["eve", "0", "1", "1"],
    ]


def test_nbgraders_marks_stand_beside(there: Path) -> None:
    assert run(there, nbgrader=NBGRADER).exit_code == 0
    rows = out(there)
    assert rows[0][3:] == ["notebook 00-warp", "notebook 01-levels", "total"]
    assert rows[1][3:] == ["4", "5", "29"]
    assert rows[2] == ["ada", "10", "5.5", "3", "", "18.5"]
    assert rows[3] == ["zoe", "", "7", "", "", "7"]  # nbgrader writes 0 of what is missing
    assert rows[4] == ["eve", "0", "1", "0", "", "1"]
    assert rows[-1] == ["gus", "", "", "1", "", "1"]


@pytest.mark.parametrize("score", ["ten", "nan", "=1+1", "inf"])
def test_a_score_that_is_none_is_refused(there: Path, score: str) -> None:
    result = run(there, nbgrader=NBGRADER.replace("0.0,3.0,4.0", f"0.0,{score},4.0"))
    assert isinstance(result.exception, UsageError)
    assert "is no score" in str(result.exception)


def test_canvas_gets_its_own_column_filled(there: Path) -> None:
    result = run(there, "--column", "Lesson 0", canvas=CANVAS)
    assert result.exit_code == 0
    assert out(there) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 0 (4711)"],
        ["    Points Possible", "", "", "", "", "20"],
        ["Lovelace, Ada", "12345", "s1", "ada", "One", "15.5"],
        ["Müller, Zoë", "12346", "s2", "zoe", "One", "7"],
        ["'=cmd|' /C calc'!A0", "12347", "s3", "eve", 'Two, "B"', "1"],
    ]


def test_canvas_gets_new_columns(there: Path) -> None:
    assert run(there, canvas=CANVAS).exit_code == 0
    rows = out(there)
    assert rows[0][5:] == ["00-warp/reverse", "00-warp/sum"]
    assert rows[1][5:] == ["10", "10"]
    assert rows[3][5:] == ["", "7"]


def test_other_points_on_canvas_are_told(there: Path) -> None:
    result = run(there, "--column", "Lesson 0", canvas=CANVAS.replace(",20,", ",15,"))
    assert "Lesson 0 is of 15 points on Canvas, and here of 20" in result.output


def test_students_of_canvas_download_are_found_by_their_number(tmp_path: Path) -> None:
    there = grades(tmp_path / "grades", {"nobody_12345": (1.0, 2.0), "mullerzoe_9": (3.0, None)})
    assert run(there, "--column", "Lesson 0", canvas=CANVAS).exit_code == 0
    assert [row[5] for row in out(there)[2:]] == ["3", "3", "1"]


def test_who_is_not_found_is_named(tmp_path: Path) -> None:
    there = grades(tmp_path / "grades", {"who\x1b": (1.0, 2.0), "ada": (3.0, None)})
    result = run(there, "--column", "Lesson 0", canvas=CANVAS)
    assert result.exit_code == 1
    assert r"not found in the platform's table: who\x1b" in result.output
    assert [row[5] for row in out(there)[2:]] == ["3", "", "1"]


def test_moodles_worksheet_is_filled(tmp_path: Path) -> None:
    ada, zoe = "Ada L._77_assignsubmission_file_", "Zoe Muller_78_assignsubmission_file_"
    there = grades(tmp_path / "grades", {ada: (10.0, 5.5), zoe: (None, None)})
    assert run(there, moodle=WORKSHEET).exit_code == 0
    rows = out(there)
    assert rows[0][0] == "Identifier"
    assert rows[0][-1] == "Last modified (grade)"  # and no comments, which it would replace
    assert [row[4] for row in rows[1:]] == ["15.5", "2.00", "-"]


@pytest.mark.parametrize(
    ("most", "mark"), [("100.00", "77.5"), ("100,00", "77.5"), ("3.00", "2.325"), ("7", "5.425")]
)
def test_sums_become_parts_of_the_worksheets_maximum(tmp_path: Path, most: str, mark: str) -> None:
    there = grades(tmp_path / "grades", {"ada@x.org": (10.0, 5.5), "bob@x.org": (0.0, None)})
    worksheet = WORKSHEET.replace("20.00", f'"{most}"')
    result = run(there, moodle=worksheet)
    assert result.exit_code == 0
    words = f"marks of 20 points are written as parts of {float(most.replace(',', '.')):g}"
    assert words in result.output
    assert [row[4] for row in out(there)[1:]] == [mark, "2.00", "0"]


@pytest.mark.parametrize("most", ["-", "", "A scale", "0.00", "nan"])
def test_a_maximum_that_is_none_changes_nothing(tmp_path: Path, most: str) -> None:
    there = grades(tmp_path / "grades", {"ada@x.org": (10.0, 5.5)})
    result = run(there, moodle=WORKSHEET.replace("20.00", most))
    assert "parts of" not in result.output
    assert out(there)[1][4] == "15.5"
    result = run(there, "--out-of", "40", moodle=WORKSHEET.replace("20.00", most))
    assert out(there)[1][4] == "31"


def test_the_worksheet_knows_its_maximum_better(tmp_path: Path) -> None:
    there = grades(tmp_path / "grades", {"ada@x.org": (10.0, 5.5)})
    result = run(there, "--out-of", "50", moodle=WORKSHEET)
    assert isinstance(result.exception, UsageError)
    assert "the maximum grade is 20, and --out-of says 50" in str(result.exception)


def test_sums_in_a_gradebook_are_out_of_what_is_asked_for(tmp_path: Path) -> None:
    there = grades(tmp_path / "grades", {"ada-lovelace": (10.0, 5.5), "zoe@x.org": (1.0, None)})
    assert run(there, "--column", "Lesson 0", "--out-of", "100", moodle=MOODLE).exit_code == 0
    assert [row[4] for row in out(there)[1:]] == ["77.5", "5"]


def test_other_points_are_for_sums_only(there: Path) -> None:
    for name, text in {"moodle": MOODLE, "canvas": CANVAS}.items():
        result = run(there, "--out-of", "100", **{name: text})
        assert "--out-of is for one column with the sums" in str(result.exception)


def test_sums_on_canvas_are_out_of_what_is_asked_for(there: Path) -> None:
    export = CANVAS.replace(",20,", ",15,")
    result = run(there, "--column", "Lesson 0", "--out-of", "15", canvas=export)
    assert "Lesson 0 is of" not in result.output
    assert [row[5] for row in out(there)[1:]] == ["15", "11.625", "5.25", "0.75"]


def test_moodles_gradebook_gets_columns(tmp_path: Path) -> None:
    there = grades(tmp_path / "grades", {"ada-lovelace": (10.0, 5.5), "zoe@x.org": (1.0, None)})
    assert run(there, "--column", "Lesson 0", moodle=MOODLE).exit_code == 0
    assert out(there) == [
        ["First name", "Last name", "ID number", "Email address", "Lesson 0"],
        ["Ada", "Lovelace", "s1", "ada@x.org", "15.5"],
        ["Zoë", "Müller", "s2", "zoe@x.org", "1"],
    ]


LATE = ("--due", "2026-11-02 12:00", "--late", "10%/day", "--grace", "15m")


def test_times_of_a_table_make_marks_late(tmp_path: Path) -> None:
    ada, zoe = "Ada L._77_assignsubmission_file_", "Zoe Muller_78_assignsubmission_file_"
    there = grades(tmp_path / "grades", {ada: (10.0, 0.5), zoe: (10.0, None), "x": (10.0, None)})
    result = run(there, *LATE, times=WORKSHEET)
    assert [row[1:] for row in out(there)[2:]] == [
        ["9", "0", "9", "1.5"],
        ["8", "", "8", "2"],
        ["10", "", "10", "0"],
    ]
    assert "nothing taken for being late: x" in result.output


def test_without_a_table_it_is_the_files_times(there: Path) -> None:
    result = run(there, "--due", "2026-11-01 12:00+00:00", "--late", "5%/hour")
    assert "late by when files were last changed" in result.output
    assert out(there)[0][-2:] == ["total", "lost by being late"]
    assert [row[-2:] for row in out(there)[2:]] == [["0", "15.5"], ["0", "7"], ["0", "1"]]


@pytest.mark.parametrize(
    "options",
    [
        ("--due", "tomorrow", "--late", "10%/day"),
        ("--due", "2026-11-02", "--late", "a lot"),
        ("--due", "2026-11-02", "--late", "900%/day"),
        ("--due", "2026-11-02", "--late", "10%/day", "--grace", "soon"),
        ("--due", "2026-11-02"),
        ("--grace", "15m"),
        ("--column", "x"),
        ("--out-of", "100"),
    ],
)
def test_what_cannot_be_meant_is_refused(there: Path, options: tuple[str, ...]) -> None:
    result = run(there, *options)
    assert isinstance(result.exception, UsageError)
    assert result.exception.hint
    assert not (there.parent / "out.csv").exists()


def test_a_folder_without_marks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "grades").mkdir()
    assert "there is no marks.json" in str(run(tmp_path / "grades").exception)
    (tmp_path / "grades" / "marks.json").write_text("[1]", "utf-8")
    assert "is not as it must be" in str(run(tmp_path / "grades").exception)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n , \n", "is empty"),
        (b"Student\xff,ID\n", "is no UTF-8"),
        (b"\xff\xfeS", "is no UTF-16"),
        (b'Student,ID\n"Ada', "is no table in CSV"),
        (b"Student;ID\nAda;1\n", "has no column 'Section'"),
        (b"Student,ID\nLovelace, Ada,1\n", "more cells than titles"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(there: Path, data: bytes, words: str) -> None:
    path = there.parent / "x.csv"
    path.write_bytes(data)
    result = run(there, "--canvas", str(path))
    assert isinstance(result.exception, UsageError)
    assert words in str(result.exception)


def test_two_of_one_name_are_not_guessed() -> None:
    people = [Person(("1",), ("Kim, Lee",)), Person(("2",), ("Lee Kim",))]
    assert match(["Lee Kim"], people) == ({}, ["Lee Kim"])
    assert match(["Lee Kim_2"], people) == ({1: "Lee Kim_2"}, [])
    assert match(["1", "Lee Kim_1"], people) == ({}, ["1", "Lee Kim_1"])
