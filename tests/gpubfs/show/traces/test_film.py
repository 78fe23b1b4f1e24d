"""Films of traces: their frames are those of the trace, whole files or none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyte
import pytest
from PIL import Image
from rich.text import Text

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.show.traces.files import film as films
from gpubfs.show.traces.files.cast import CLEAR, screen
from gpubfs.show.traces.files.export import export
from gpubfs.show.traces.files.film import COLUMNS, MOST, ROWS, Film, screen_of
from gpubfs.show.traces.files.picture import LIGHT
from gpubfs.show.traces.files.raster import SIZE, grid, raster
from gpubfs.show.traces.files.styled import plain
from gpubfs.show.traces.trace import Trace
from tests.gpubfs.show.traces.toy import STEPS, Toy

TRACE = ("trace", "scan-free", "--graph", "toy", "--source", "0", "--device", "toy2")


@pytest.fixture(scope="module")
def show() -> Trace:
    return gpubfs.trace("scan-free", "toy", source=0, device="toy2", block=2)


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as caught:
        main([*map(str, arguments)])
    return int(caught.value.code or 0), capsys.readouterr().err


def played(path: Path) -> tuple[dict[str, Any], list[list[Any]]]:
    head, *events = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return head, events


def texts(show: Any, at: int) -> list[str]:
    """The lines of a step's frame, and the one that says which step it is."""
    lines = [plain(line).rstrip() for line in show.frame(at, COLUMNS, ROWS - 1)]
    return [*lines, *[""] * (ROWS - 1 - len(lines)), f"step {at + 1} of {len(show)}"]


def test_a_recording_shows_the_text_of_every_frame(show: Trace, tmp_path: Path) -> None:
    path = tmp_path / "search.cast"
    show.write(path, steps=range(4, 30), fps=4)
    head, events = played(path)
    assert (head["version"], head["width"], head["height"]) == (2, COLUMNS, ROWS)
    assert head["title"] == show.title
    assert [when for when, _, _ in events] == [0, *(at / 4 for at in range(27))]
    assert {kind for _, kind, _ in events} == {"o"}
    terminal = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(terminal)
    stream.feed(events[0][2])
    for at, (_, _, printed) in zip(range(4, 30), events[1:], strict=False):
        stream.feed(printed)
        assert [line.rstrip() for line in terminal.display] == texts(show, at)
    stream.feed(events[-1][2])
    assert [line.rstrip() for line in terminal.display] == texts(show, 29)


def test_lines_that_fill_the_screen_stay_where_they_are() -> None:
    frame = [Text("a" * COLUMNS) for _ in range(ROWS)]
    terminal = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(terminal).feed(screen(frame))
    assert terminal.display == ["a" * COLUMNS] * ROWS
    assert screen(frame).startswith(CLEAR)


@pytest.mark.slow
def test_a_gif_has_a_frame_for_every_step(tmp_path: Path) -> None:
    path = tmp_path / "toy.gif"
    told: list[tuple[int, int]] = []
    film = Film(fps=4, tell=lambda done, of: told.append((done, of)))
    export(Toy(), path, film=film)
    with Image.open(path) as made:
        assert (made.format, made.size, made.n_frames) == ("GIF", SIZE, STEPS)
        for at in range(STEPS):
            made.seek(at)
            assert made.info["duration"] == 250
            whole = np.asarray(raster(screen_of(Toy(), at, COLUMNS, ROWS), COLUMNS, ROWS))
            seen = np.asarray(made.convert("RGB"))
            assert np.abs(seen.astype(int) - whole.astype(int)).max() < 12
    assert told == [(done, STEPS) for done in range(1, STEPS + 1)]


def test_pixels_are_where_the_text_is(show: Trace) -> None:
    """A cell has ink exactly where the frame has a character or a colour behind it."""
    frame = screen_of(show, 21, COLUMNS, ROWS)
    pixels = np.asarray(raster(frame, COLUMNS, ROWS)) != np.asarray(LIGHT.paper)
    place = grid(COLUMNS, ROWS)
    (wide, high), (left, top) = place.cell, place.origin
    inked = pixels.any(axis=2)
    for row, text in enumerate(texts(show, 21)):
        for column, character in enumerate(text.ljust(COLUMNS)):
            y, x = top + row * high, left + column * wide
            cell = inked[y + 2 : y + high - 2, x + 2 : x + wide - 2]
            assert cell.any() == (character != " "), (row, column, character)
    assert not inked[:top].any()
    assert not inked[top + ROWS * high :].any()


def test_letters_are_as_large_as_so_many_fit() -> None:
    assert grid(COLUMNS, ROWS).cell[1] >= SIZE[1] / 36
    assert grid(COLUMNS * 2, ROWS).cell[1] < grid(COLUMNS, ROWS).cell[1]


@pytest.mark.parametrize(("suffix", "head"), [(".mp4", b"ftyp"), (".webm", b"webm")])
def test_films_for_players_are_as_long_as_their_steps(
    tmp_path: Path, suffix: str, head: bytes
) -> None:
    encoder = pytest.importorskip("imageio_ffmpeg", reason="the extra film is not installed")
    path = tmp_path / f"toy{suffix}"
    export(Toy(), path, film=Film(range(2, 8), fps=3))
    assert head in path.read_bytes()[:80]
    frames = encoder.read_frames(str(path))
    about = next(frames)
    assert about["size"] == SIZE
    assert about["duration"] == pytest.approx(2, abs=0.11)
    first = np.frombuffer(next(frames), np.uint8).reshape(SIZE[1], SIZE[0], 3)
    expected = np.asarray(raster(screen_of(Toy(), 2, COLUMNS, ROWS), COLUMNS, ROWS))
    assert np.abs(first.astype(int) - expected).mean() < 3


@pytest.mark.parametrize("suffix", [".mp4", ".webm"])
def test_without_the_extra_a_message_says_what_to_install(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any, suffix: str
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    code, err = called(capsys, *TRACE, "--export", tmp_path / f"a{suffix}")
    assert code == 2
    assert "imageio-ffmpeg, which is not installed" in err
    assert 'pip install "gpubfs[film]"' in err
    assert not [*tmp_path.iterdir()]


def test_too_many_steps_are_refused_with_a_remedy(tmp_path: Path) -> None:
    class Long(Toy):
        def __len__(self) -> int:
            return MOST + 1

    with pytest.raises(UsageError, match="601 steps would be too long") as caught:
        export(Long(), tmp_path / "a.cast")
    assert "--steps 1-600, or trace a single level" in str(caught.value)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("film", "words"),
    [
        (Film(range(5, 13)), "the last one is 12"),
        (Film(range(-1, 3)), "no such steps"),
        (Film(range(3, 3)), "no such steps"),
        (Film(fps=0), "0 frames a second are too few"),
        (Film(fps=float("nan")), "nan frames a second"),
    ],
)
def test_what_no_film_can_be_made_of_is_said(film: Film, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        export(Toy(), tmp_path / "a.gif", film=film)


@pytest.mark.parametrize("suffix", films.SUFFIXES)
def test_an_interrupted_film_leaves_the_old_file_and_no_other(suffix: str, tmp_path: Path) -> None:
    if suffix in films.CODECS:
        pytest.importorskip("imageio_ffmpeg", reason="the extra film is not installed")
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"old")

    def interrupt(done: int, steps: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(Toy(), path, film=Film(tell=interrupt))
    assert [(one, one.read_bytes()) for one in tmp_path.iterdir()] == [(path, b"old")]


@pytest.mark.parametrize("given", ["3-7", "3:7"])
def test_the_command_takes_steps_and_their_speed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, given: str
) -> None:
    path = tmp_path / "a.cast"
    code, err = called(capsys, *TRACE, "--export", path, "--steps", given, "--fps", "5")
    assert (code, err) == (0, "")
    _, events = played(path)
    assert [when for when, _, _ in events[1:]] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert "step 3 of" in events[1][2]
    assert "step 7 of" in events[5][2]


@pytest.mark.slow
def test_updates_of_a_graph_are_filmed_as_well(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "updates.cast"
    given = ("dynamic", "aimgraph", "--graph", "toy", "--batch", "4", "--device", "toy4")
    code, err = called(capsys, *given, "--export", path, "--steps", "2-4")
    assert (code, err) == (0, "")
    assert len(played(path)[1]) == 1 + 3 + 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--steps", "7-3", "--export", "a.gif"), "no range of steps, as 10-60 is"),
        (("--steps", "0-3", "--export", "a.gif"), "no range of steps"),
        (("--steps", "1-2"), "--steps is for films"),
        (("--fps", "2", "--export", "a.html"), "--fps is for films"),
        (("--fps", "99", "--export", "a.gif"), "99.0 is not in the range"),
        (("--steps", "1-9999", "--export", "a.cast"), "the last one is"),
    ],
)
def test_options_of_films_are_checked(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, err = called(capsys, *TRACE, *more)
    assert code == 2
    assert words in err
    assert not [*tmp_path.iterdir()]
