"""The report on a class: what it says, for whom it is safe, and where its minutes come from."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from gpubfs.grading.cohort.minutes import minutes_taken
from gpubfs.grading.cohort.report import MEANINGS, MISSING, report_sheets, write_report
from gpubfs.grading.cohort.submissions import Marked, Unmatched, make_jobs
from gpubfs.grading.learning.progress import FILE
from gpubfs.grading.learning.record import Record, with_record, written
from gpubfs.grading.outcome import REASONS, Failure, Grade, Outcome
from tests.lessons.submitted import EXERCISES

(SUM,) = (exercise for exercise in EXERCISES if exercise.name == "00-warp/sum")


def grade(got: int, name: str = "00-warp/sum", file: str = "sum.cu") -> Grade:
    """A grade of so many of 10 points."""
    lost = Failure("result", "out[0] is wrong")
    outcomes = (Outcome("a", got), Outcome("b", 10 - got, failure=lost)) if got < 10 else ()
    return Grade(name, "Sum", file, outcomes or (Outcome("a", 10),))


class Page(HTMLParser):
    """The cells of the tables of a page, by their captions, and its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.links: list[str] = []
        self.tags: set[str] = set()
        self._rows: list[list[str]] = []
        self._into: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            self._rows[-1].append("")
            self._into = self._rows[-1]
        if tag == "caption":
            self._into = [""]
        self.links += [value or "" for name, value in attributes if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption" and self._into:
            self.tables[self._into[0]] = self._rows
        if tag in ("td", "th", "caption"):
            self._into = None

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data


def page_of(marked: list[Marked], to: Path, minutes: dict[str, list[float]] | None = None) -> Page:
    write_report(marked, [], [], minutes or {}, to)
    return Page((to / "report.html").read_text("utf-8"))


CLASS = [
    Marked("ada", grade(10)),
    Marked("bob", grade(4)),
    Marked("carl", grade(0)),
    Marked("dora", grade(0, file="")),
]


def test_it_says_what_became_of_everybody(tmp_path: Path) -> None:
    page = page_of(CLASS, tmp_path)
    rows = {row[0]: row[1:] for row in page.tables["marks"][1:]}
    assert rows == {
        "ada": ["10", "10"],
        "bob": ["4", "4"],
        "carl": ["0", "0"],
        "dora": ["·", "0"],
    }
    assert page.tables["exercises"][1] == ["00-warp/sum", "1111", "3.5", "10"]
    assert sum(int(row[2]) for row in page.tables["points"][1:]) == 4
    assert page.tables["points"][-1][2] == "1"
    assert "lost cases" in page.tables


def with_hidden(shown: Failure | None, hidden: Failure | None) -> Grade:
    outcomes = (Outcome("a", 8, failure=shown), Outcome("any", 2, hidden=True, failure=hidden))
    return Grade("00-warp/sum", "Sum", "sum.cu", outcomes)


def test_who_is_right_only_where_the_numbers_are_known_is_named(tmp_path: Path) -> None:
    wrong, limit = Failure("result", "a result is wrong"), Failure("limit", "above its limit")
    marked = [
        Marked("tables", with_hidden(None, wrong)),
        Marked("wasteful", with_hidden(None, limit)),
        Marked("honest", with_hidden(wrong, wrong)),
        Marked("right", with_hidden(None, None)),
    ]
    title = "right in all cases but hidden ones"
    rows = page_of(marked, tmp_path).tables[title][1:]
    assert rows == [["tables", "00-warp/sum", "8 of 10", "any"]]
    assert title not in page_of(marked[1:], tmp_path).tables


def test_who_handed_nothing_in_does_not_lead_the_lost_cases(tmp_path: Path) -> None:
    other = grade(4, "01-levels/expand", "expand.cu")
    missing = Failure("missing", "nothing was handed in")
    lost = Grade("00-warp/sum", "Sum", "", (Outcome("b", 6, failure=missing),))
    marked = [Marked("ada", grade(4)), Marked("bob", lost), Marked("carl", lost)]
    marked += [Marked(name, other) for name in ("ada", "bob", "carl")]
    rows = page_of(marked, tmp_path).tables["lost cases"][1:]
    assert rows == [
        ["01-levels/expand", "b", "3", "3 result"],
        ["00-warp/sum", "b", "1", "1 result; 2 missing"],
    ]


def test_reasons_are_explained_and_a_terminal_shows_some_of_the_cases() -> None:
    marked = [Marked("ada", grade(4, f"00-warp/{n}")) for n in range(5)]
    _, cases = report_sheets(marked, 2)
    assert len(cases.rows) == 2
    assert cases.notes == ("and 3 more", "result: a result is wrong")


def test_every_reason_has_words() -> None:
    assert set(MEANINGS) | {MISSING} == set(REASONS)


def test_no_heading_of_a_table_is_empty(tmp_path: Path) -> None:
    write_report(CLASS, [Unmatched("ada", "a.cu", "")], [], {}, tmp_path)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "a.cu" in text
    assert re.search(r"<th[^>]*></th>", text) is None


def test_there_is_one_student_or_none_who_handed_anything_in(tmp_path: Path) -> None:
    page = page_of([Marked("dora", grade(0, file=""))], tmp_path)
    assert "points" not in page.tables
    assert page.tables["marks"][1] == ["dora", "·", "0"]


@pytest.mark.parametrize("name", ["<script>x</script>", 'a"b', "ü ö", "a#b?c%20d", "=1+1"])
def test_names_are_text_and_links_lead_to_the_feedback(tmp_path: Path, name: str) -> None:
    page = page_of([Marked(name.replace("/", "|"), grade(4))], tmp_path)
    assert "script" not in page.tags
    (link,) = page.links
    assert (tmp_path / os.fsdecode(unquote_to_bytes(link))).is_file()


def test_a_name_that_is_not_utf8_has_its_link(tmp_path: Path) -> None:
    page = page_of([Marked("bad\udcff", grade(4))], tmp_path)
    (link,) = page.links
    assert (tmp_path / os.fsdecode(unquote_to_bytes(link))).is_file()


def keep(folder: Path, record: Record) -> None:
    folder.mkdir(parents=True)
    (folder / FILE).write_text(written({"sum": with_record({}, record)}))


def test_minutes_are_of_those_who_have_done_it(tmp_path: Path) -> None:
    done = Record().worked(1200).graded(10, 10, True, "a")
    keep(tmp_path / "ada" / "00-warp" / "exercises", done)
    keep(tmp_path / "bob" / "lessons" / "00-warp" / "exercises", done.worked(1200))
    keep(tmp_path / "carl" / "00-warp" / "exercises", Record().worked(60).graded(1, 10, False, "a"))
    for name, text in (("dora", "{"), ("emil", "[" * 100_000), ("fred", "")):
        (tmp_path / name / "00-warp" / "exercises").mkdir(parents=True)
        (tmp_path / name / "00-warp" / "exercises" / FILE).write_text(text)
    (tmp_path / "gina" / "00-warp").mkdir(parents=True)
    (tmp_path / "gina" / "00-warp" / "exercises").symlink_to(tmp_path / "ada/00-warp/exercises")
    minutes = minutes_taken(tmp_path, make_jobs(tmp_path, [SUM]))
    assert minutes == {"00-warp/sum": [20, 40]}
    page = page_of(CLASS, tmp_path / "to", minutes)
    assert page.tables["exercises"][1][-1] == "30 (2)"


def test_minutes_that_nobody_has_are_not_shown(tmp_path: Path) -> None:
    assert "minutes" not in " ".join(page_of(CLASS, tmp_path).tables["exercises"][0])
