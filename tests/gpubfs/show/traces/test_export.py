"""Files made of traces: what they say, and that no text breaks them."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.show.pictures import texts
from gpubfs.show.traces.files.animation import animation
from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.page import notebook, page
from gpubfs.show.traces.files.picture import svg
from gpubfs.show.traces.files.styled import plain, seen
from gpubfs.show.traces.files.viewer import document
from gpubfs.show.traces.files.viewer.columns import packed, unpacked
from tests.gpubfs.show.traces.pages import COLOURS, Told, counting, styled, told
from tests.gpubfs.show.traces.pages import HOSTILE as TEXT

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


def steps(text: str) -> tuple[Any, Any]:
    """The tables and columns of a page."""
    (data,) = (t for attributes, t in Elements(text).all("script") if attributes.get("id"))
    return unpacked(data)


def picture_lines(text: str, count: int) -> list[str]:
    """The lines of a picture, by the places of its pieces."""
    rows = [[" "] * 200 for _ in range(count)]
    for piece in ElementTree.fromstring(text).iterfind(f".//{SVG}g/{SVG}g/{SVG}text"):
        assert piece.text
        row = round((float(piece.attrib["y"]) - 20) / 24.4)
        start = round(float(piece.attrib["x"]) / (0.602 * 21))
        rows[row][start : start + len(piece.text)] = piece.text.replace("\xa0", " ")
    return ["".join(row).rstrip() for row in rows]


@pytest.mark.parametrize("text", [TEXT, *(text for text in HOSTILE if text.isprintable())])
def test_a_page_has_exactly_the_text_of_titles_and_sources(text: str) -> None:
    show = counting(title=text, comment=text)
    whole = page(show)
    (track,) = steps(whole)[0]["tracks"]
    assert track["title"] == seen(text)
    (source,) = track["sources"]
    assert source["lines"] == [seen(line) for line in show.step(0).span.source.lines]
    assert [tag for tag, _ in Elements(whole).found].count("script") == 2
    whole.encode()


@pytest.mark.parametrize("text", HOSTILE)
def test_no_title_breaks_a_page(text: str) -> None:
    whole = page(counting(title=text))
    assert steps(whole)[0]["title"] == seen(text)
    assert [tag for tag, _ in Elements(whole).found].count("script") == 2
    whole.encode()


@given(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])))
def test_text_that_can_be_shown_is_not_changed(text: str) -> None:
    assert plain(Text(text)) == text


def test_what_cannot_be_shown_is_seen_not_to_be() -> None:
    assert plain(Text("a\x00b\x1bc\u202ed\ud800\n")) == "a�b�c�d��"


def test_texts_and_lists_are_kept_once() -> None:
    tables, columns = steps(page(counting(20)))
    texts = tables["tracks"][0]["texts"]
    assert len(texts) == len(set(texts))
    ends = np.cumsum(columns["0.list.sizes"])
    lists = [tuple(found) for found in np.split(columns["0.list.values"], ends[:-1])]
    assert len(lists) == len(set(lists))


def test_a_page_knows_the_level_of_every_step() -> None:
    assert steps(page(counting()))[1]["levels"].tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(("name", "most"), [("MOST_WARPS", 1), ("MOST_VIEWS", 20)])
def test_of_too_many_warps_the_first_ones_are_kept(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = gpubfs.trace("status-array", "toy", 0, device="toy2", block=2, levels=range(1))
    assert steps(page(trace))[0]["tracks"][0]["kept"] is None
    monkeypatch.setattr(document, name, most)
    tables, columns = steps(page(trace))
    assert tables["tracks"][0]["kept"] == 1
    assert set(columns["0.step.views"]) == {1}
    assert columns["0.view.warp"].tolist() == [trace.scene(at).warp for at in range(len(trace))]


numbers = st.integers(-(2**53) + 1, 2**53 - 1)


@pytest.mark.slow
@given(st.dictionaries(st.text(), st.lists(numbers | st.integers(-3, 3), max_size=40)))
def test_columns_are_unpacked_as_they_were(columns: dict[str, list[int]]) -> None:
    tables, found = unpacked(packed({"any": ["table"]}, columns))
    assert tables == {"any": ["table"]}
    assert {name: values.tolist() for name, values in found.items()} == columns


def test_titles_are_text() -> None:
    show = counting()
    elements = Elements(page(show))
    assert [text.strip() for _, text in elements.all("h1")] == [show.title]
    assert [text.strip() for _, text in elements.all("title")] == [show.title]


def test_a_notebook_shows_the_same_page() -> None:
    show = counting()
    ((frame, _),) = Elements(notebook(show)).all("iframe")
    assert frame["srcdoc"] == page(show)
    assert frame["title"] == show.title
    assert frame["sandbox"] == "allow-scripts"


@pytest.mark.parametrize("text", [page(counting()), svg(told(), 3)], ids=["page", "picture"])
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
    show = told()
    expected = [line.plain for line in show.frames[3]]
    assert picture_lines(svg(show, 3), len(expected)) == expected


def test_a_picture_is_the_same_wherever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    first = svg(told(), 3)
    settings = {"NO_COLOR": "1", "COLUMNS": "20", "TERM": "dumb", "FORCE_COLOR": "1"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
        assert svg(told(), 3) == first


def test_pictures_on_one_page_do_not_share_names() -> None:
    names = [set(re.findall(r"step-\w{8}", svg(told(), at))) for at in (3, 4)]
    assert len(names[0]) == len(names[1]) == 1
    assert names[0] != names[1]


def test_text_has_every_frame_below_its_number(tmp_path: Path) -> None:
    show = Told([[Text("one  "), Text("")], [Text("  two\N{NO-BREAK SPACE}")]])
    export(show, tmp_path / "steps.txt")
    expected = "──── step 1 of 2 ────\none\n\n\n──── step 2 of 2 ────\n  two\n\n"
    assert (tmp_path / "steps.txt").read_bytes().decode() == expected


def test_files_hold_what_their_names_end_in(tmp_path: Path) -> None:
    show = counting()
    export(show, tmp_path / "steps.html")
    export(show, tmp_path / "STEP.SVG", at=4)
    assert (tmp_path / "steps.html").read_text("utf-8") == page(show)
    assert (tmp_path / "STEP.SVG").read_text("utf-8") == svg(show, 4)


def test_a_file_is_replaced_and_has_the_usual_rights(tmp_path: Path) -> None:
    usual, file = tmp_path / "usual", tmp_path / "steps.txt"
    usual.touch()
    file.write_text("old")
    export(told(), file)
    assert "step 10 of 10" in file.read_text("utf-8")
    assert file.stat().st_mode == usual.stat().st_mode


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "steps.txt")
    export(told(), tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "steps.txt").exists()


@pytest.mark.parametrize("name", ["steps.pdf", "steps", ".html", "steps.html.gz"])
def test_other_ends_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        export(told(), tmp_path / name)
    assert all(suffix in refused.value.hint for suffix in (".html", ".svg", ".txt"))
    assert os.listdir(tmp_path) == []


def test_files_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path) -> None:
    class Endless(Told):
        def __len__(self) -> int:
            raise AssertionError("work was done for nothing")

    (tmp_path / "file").touch()
    (tmp_path / "folder.html").mkdir()
    for name in ("missing/steps.html", "file/steps.html", "folder.html"):
        with pytest.raises(UsageError, match="cannot be written"):
            export(Endless([[]]), tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.html"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    class Broken(Told):
        def __len__(self) -> int:
            raise ZeroDivisionError

    (tmp_path / "steps.html").write_text("old")
    with pytest.raises(ZeroDivisionError):
        export(Broken([[]]), tmp_path / "steps.html")
    assert (tmp_path / "steps.html").read_text() == "old"
    assert os.listdir(tmp_path) == ["steps.html"]


def test_a_page_begins_where_it_is_said_to() -> None:
    assert [steps(page(counting(), at))[0]["begin"] for at in (0, 6)] == [0, 6]


@pytest.mark.parametrize("at", [-1, 10])
def test_a_step_that_is_not_there_has_no_picture(tmp_path: Path, at: int) -> None:
    with pytest.raises(UsageError, match=f"no step {at + 1}"):
        export(told(10), tmp_path / "step.svg", at)
    assert os.listdir(tmp_path) == []


def test_a_moving_picture_has_the_text_of_its_steps_one_after_another() -> None:
    trace = counting()
    steps = [1, 3, 4]
    drawn = animation(trace, steps, 2, 80, 30)
    ElementTree.fromstring(drawn)
    assert texts(drawn) == [text for at in steps for text in texts(svg(trace, at, 80, 30))]
    assert re.findall(r"animation-delay:([\d.]+)s", drawn) == ["2.00", "4.00"]
    assert "step 6.00s" in drawn
    assert "prefers-reduced-motion" in drawn
