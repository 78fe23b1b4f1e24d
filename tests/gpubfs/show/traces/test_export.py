"""Files made of traces: what they say, and that no text breaks them."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from gpubfs.errors import UsageError
from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.page import notebook, page
from gpubfs.show.traces.files.picture import svg
from gpubfs.show.traces.files.styled import plain
from tests.gpubfs.show.traces.pages import COLOURS, Told, counting, styled

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "{{title}} {{data}} $title {title} &lt; &amp; \\u003c",
    "' onload='alert(1)' \" ]]>",
    "\x00\x1b[31m\u202e\ud800\ufeff",
]

words = st.text() | st.sampled_from(HOSTILE)
lines = st.lists(st.tuples(words, st.sampled_from(COLOURS)), max_size=4).map(
    lambda parts: Text.assemble(*parts)
)
shows = st.lists(st.lists(lines, max_size=4), min_size=1, max_size=4).map(Told)


class Elements(HTMLParser):
    """The elements of a page, with their attributes and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        both = zip(self.found, self.texts, strict=True)
        return [(attributes, text) for (name, attributes), text in both if name == tag]


def steps(text: str) -> Any:
    """The data of a page."""
    (data,) = (t for attributes, t in Elements(text).all("script") if attributes.get("id"))
    return json.loads(data)


def shown(data: Any) -> list[list[str]]:
    """What a page shows: the text of each line of each frame."""
    return [["".join(data["lines"][n][1::2]) for n in frame] for frame in data["frames"]]


def picture_lines(text: str, count: int) -> list[str]:
    """The lines of a picture, by the places of its pieces."""
    rows = [[" "] * 200 for _ in range(count)]
    for piece in ElementTree.fromstring(text).iterfind(f".//{SVG}g/{SVG}g/{SVG}text"):
        assert piece.text
        row = round((float(piece.attrib["y"]) - 20) / 24.4)
        start = round(float(piece.attrib["x"]) / (0.602 * 21))
        rows[row][start : start + len(piece.text)] = piece.text.replace("\xa0", " ")
    return ["".join(row).rstrip() for row in rows]


@given(shows)
@example(Told([[styled(text) for text in HOSTILE]]))
def test_a_page_has_exactly_the_text_of_every_frame(show: Told) -> None:
    text = page(show)
    assert shown(steps(text)) == [[plain(line) for line in frame] for frame in show.frames]
    assert [tag for tag, _ in Elements(text).found].count("script") == 2
    text.encode()


@given(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])))
def test_text_that_can_be_shown_is_not_changed(text: str) -> None:
    assert plain(Text(text)) == text


def test_what_cannot_be_shown_is_seen_not_to_be() -> None:
    assert plain(Text("a\x00b\x1bc\u202ed\ud800\n")) == "a�b�c�d��"


def test_lines_and_styles_are_kept_once() -> None:
    data = steps(page(counting(50)))
    assert len(data["lines"]) == 50 + 3
    assert len(data["classes"]) == len(set(data["classes"])) <= len(COLOURS) + 2


def test_a_page_knows_where_every_button_leads() -> None:
    moves = steps(page(counting(10, (0, 4, 7))))["moves"]
    assert moves["next"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
    assert moves["back"] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert moves["nextLevel"] == [4, 4, 4, 4, 7, 7, 7, 9, 9, 9]
    assert moves["previousLevel"] == [0, 0, 0, 0, 0, 4, 4, 4, 7, 7]


def test_the_class_of_a_run_has_its_style() -> None:
    text = page(Told([[Text.assemble(("bright", "bold red"), " plain")]]))
    data = steps(text)
    kinds = [data["classes"][kind] for kind in data["lines"][0][::2]]
    assert kinds == ["style-0", ""]
    assert ".style-0 { color: #800000; font-weight: bold }" in text


def test_the_style_of_a_whole_line_counts_and_has_names_of_rich() -> None:
    line = Text.assemble("both ", ("more", "underline"), style="repr.number")
    data = steps(text := page(Told([[line, Text("alone", style="red")]])))
    assert data["classes"] == ["style-0", "style-1", "style-2"]
    assert shown(data) == [["both more", "alone"]]
    assert ".style-2 { color: #800000 }" in text
    assert "#800000" in svg(Told([[Text("alone", style="red")]]), 0)


def test_characters_that_fonts_lack_have_cells_of_their_own() -> None:
    data = steps(page(Told([[Text("a↳漢é─")]])))
    kinds = [data["classes"][kind] for kind in data["lines"][0][::2]]
    assert data["lines"][0][1::2] == ["a", "↳", "漢", "é─"]
    assert kinds == ["", "cells-1", "cells-2", ""]


def test_titles_are_text() -> None:
    show = counting()
    elements = Elements(page(show))
    assert [text.strip() for _, text in elements.all("h1")] == [show.title]
    assert [text.strip() for _, text in elements.all("title")] == [show.title]


@given(shows)
def test_a_notebook_shows_the_same_page(show: Told) -> None:
    ((frame, _),) = Elements(notebook(show, 80, 24)).all("iframe")
    assert frame["srcdoc"] == page(show, 80, 24)
    assert frame["title"] == show.title
    assert frame["sandbox"] == "allow-scripts"


@pytest.mark.parametrize("text", [page(counting()), svg(counting(), 3)], ids=["page", "picture"])
def test_nothing_comes_from_outside(text: str) -> None:
    assert re.findall(r"[a-z]+://[^\s\"]+", text.replace(SVG[1:-1], "")) == []
    assert re.findall(r"url\(|@import|@font-face", text) == []
    for _, attributes in Elements(text).found:
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,"


@given(shows)
@example(Told([[styled(text) for text in HOSTILE]]))
def test_a_picture_is_well_formed_whatever_the_text_is(show: Told) -> None:
    drawn = ElementTree.fromstring(svg(show, 0, width=400))
    assert drawn.findtext(f"{SVG}title") == show.title


def test_a_picture_has_every_character_in_its_place() -> None:
    show = counting()
    expected = [line.plain for line in show.frames[3]]
    assert picture_lines(svg(show, 3), len(expected)) == expected


def test_a_picture_is_the_same_wherever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    first = svg(counting(), 3)
    settings = {"NO_COLOR": "1", "COLUMNS": "20", "TERM": "dumb", "FORCE_COLOR": "1"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
        assert svg(counting(), 3) == first


def test_pictures_on_one_page_do_not_share_names() -> None:
    names = [set(re.findall(r"step-\w{8}", svg(counting(), at))) for at in (3, 4)]
    assert len(names[0]) == len(names[1]) == 1
    assert names[0] != names[1]


def test_text_has_every_frame_below_its_number(tmp_path: Path) -> None:
    show = Told([[Text("one  "), Text("")], [Text("  two\N{NO-BREAK SPACE}")]])
    export(show, tmp_path / "steps.txt")
    expected = "──── step 1 of 2 ────\none\n\n\n──── step 2 of 2 ────\n  two\n\n"
    assert (tmp_path / "steps.txt").read_bytes().decode() == expected


def test_files_hold_what_their_names_end_in(tmp_path: Path) -> None:
    show = counting()
    export(show, tmp_path / "steps.html", width=60, height=2)
    export(show, tmp_path / "STEP.SVG", at=4)
    assert (tmp_path / "steps.html").read_text("utf-8") == page(show, 60, 2)
    assert (tmp_path / "STEP.SVG").read_text("utf-8") == svg(show, 4)


def test_a_file_is_replaced_and_has_the_usual_rights(tmp_path: Path) -> None:
    usual, file = tmp_path / "usual", tmp_path / "steps.txt"
    usual.touch()
    file.write_text("old")
    export(counting(), file)
    assert "step 10 of 10" in file.read_text("utf-8")
    assert file.stat().st_mode == usual.stat().st_mode


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "steps.txt")
    export(counting(), tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "steps.txt").exists()


@pytest.mark.parametrize("name", ["steps.pdf", "steps", ".html", "steps.html.gz"])
def test_other_ends_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        export(counting(), tmp_path / name)
    assert all(suffix in refused.value.hint for suffix in (".html", ".svg", ".txt"))
    assert os.listdir(tmp_path) == []


def test_files_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path) -> None:
    class Endless(Told):
        def frame(self, at: int, width: int, height: int) -> list[Text]:
            raise AssertionError("work was done for nothing")

    (tmp_path / "file").touch()
    (tmp_path / "folder.html").mkdir()
    for name in ("missing/steps.html", "file/steps.html", "folder.html"):
        with pytest.raises(UsageError, match="cannot be written"):
            export(Endless([[]]), tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.html"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    class Broken(Told):
        def frame(self, at: int, width: int, height: int) -> list[Text]:
            raise ZeroDivisionError

    (tmp_path / "steps.html").write_text("old")
    with pytest.raises(ZeroDivisionError):
        export(Broken([[]]), tmp_path / "steps.html")
    assert (tmp_path / "steps.html").read_text() == "old"
    assert os.listdir(tmp_path) == ["steps.html"]


@pytest.mark.parametrize("at", [-1, 10])
def test_a_step_that_is_not_there_has_no_picture(tmp_path: Path, at: int) -> None:
    with pytest.raises(UsageError, match=f"no step {at + 1}"):
        export(counting(10), tmp_path / "step.svg", at)
    assert os.listdir(tmp_path) == []
