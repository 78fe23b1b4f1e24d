"""Steps of a trace as a film: pictures one after another, or the recording of a terminal."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from gpubfs.errors import UsageError
from gpubfs.show.traces.files.cast import cast
from gpubfs.show.traces.files.raster import SIZE, raster
from gpubfs.show.traces.files.styled import step_of
from gpubfs.show.traces.steppable import Steppable

if TYPE_CHECKING:
    from PIL.Image import Image

#: What films are called.
SUFFIXES = (".gif", ".mp4", ".webm", ".cast")

#: Frames a second, as long as nobody asks for others: time to read what has changed.
FPS = 2.0

#: The least and the most frames a second: files of .gif count hundredths of seconds.
SLOWEST, FASTEST = 0.1, 50.0

#: Columns and lines, of which the last says which step it is: large letters in a lecture hall.
COLUMNS, ROWS = 116, 32

#: The most steps of a film, five minutes by default.
MOST = 600

#: Colours of a picture in a .gif: those of styles, and between them and the paper.
COLOURS = 128

#: What encodes films, and how: still pictures with sharp letters.
CODECS: dict[str, tuple[str, list[str]]] = {
    ".mp4": ("libx264", ["-f", "mp4", "-crf", "20", "-tune", "stillimage"]),
    ".webm": ("libvpx-vp9", ["-f", "webm", "-crf", "30", "-b:v", "0", "-deadline", "realtime"]),
}

#: Frames a second of such a file, in which a frame is repeated: players falter at fewer.
PLAYED = 10


def untold(done: int, steps: int) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True)
class Film:
    """Which steps a film shows, and how fast.

    Attributes
    ----------
    steps : range, optional
        Which, from 0; all unless given.
    fps : float
        Frames a second.
    tell : callable
        Called with how many steps are drawn, and how many there will be.
    """

    steps: range | None = None
    fps: float = FPS
    tell: Callable[[int, int], None] = untold

    def of(self, show: Steppable) -> range:
        """Return the steps of a trace.

        Raises
        ------
        UsageError
            If there is one that the trace has not, there are none or too many, or they are too
            fast or too slow.
        """
        steps = range(len(show)) if self.steps is None else self.steps
        if not steps or min(steps) < 0 or max(steps) >= len(show):
            raise UsageError(
                f"there are no such steps: the last one is {len(show):,}", "choose others"
            )
        if len(steps) > MOST:
            first = steps[0] + 1
            raise UsageError(
                f"a film of {len(steps):,} steps would be too long: it can have {MOST:,}",
                f"choose some, as by --steps {first}-{first + MOST - 1}, or trace a single level",
            )
        if not SLOWEST <= self.fps <= FASTEST:
            hint = f"give a number from {SLOWEST:g} to {FASTEST:g}"
            raise UsageError(f"{self.fps:g} frames a second are too few or too many", hint)
        return steps


#: All steps, at the usual speed.
WHOLE = Film()


def check_film(suffix: str) -> None:
    """Refuse a kind of film for which something is not installed.

    Raises
    ------
    UsageError
        With how to install it.
    """
    if suffix in CODECS:
        _encoder(suffix)


def write_film(
    show: Steppable, path: Path, suffix: str, film: Film, width: int | None, height: int | None
) -> None:
    """Write steps of a trace as a film.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    path : Path
        The file, whatever its name is.
    suffix : str
        The kind of film, one of `SUFFIXES`.
    film : Film
        Which steps, and how fast.
    width, height : int, optional
        Columns and lines, the last of which says which step it is; by default those of a lecture
        hall.

    Raises
    ------
    UsageError
        If the steps cannot be shown, or what encodes the film is not installed.
    """
    steps = film.of(show)
    columns, rows = width or COLUMNS, height or ROWS
    frames = _told((screen_of(show, at, columns, rows) for at in steps), film, len(steps))
    if suffix == ".cast":
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(cast(show.title, frames, film.fps, columns, rows))
        return
    pictures = (raster(frame, columns, rows) for frame in frames)
    if suffix == ".gif":
        _write_gif(pictures, path, film.fps)
    else:
        _encode(pictures, path, suffix, film.fps)


def screen_of(show: Steppable, at: int, columns: int, rows: int) -> list[Text]:
    """Return the frame of a step, and in the last line which one it is."""
    frame = list(show.frame(at, columns, rows - 1))
    blank = [Text()] * (rows - 1 - len(frame))
    return [*frame, *blank, Text(step_of(at, len(show)), style="dim")]


def _told(frames: Iterator[list[Text]], film: Film, count: int) -> Iterator[list[Text]]:
    for done, frame in enumerate(frames, 1):
        yield frame
        film.tell(done, count)


def _write_gif(pictures: Iterator[Image], path: Path, fps: float) -> None:
    from PIL.Image import Dither, Quantize

    few = (
        picture.quantize(COLOURS, Quantize.MAXCOVERAGE, dither=Dither.NONE) for picture in pictures
    )
    first = next(few)
    duration = round(1000 / fps)
    first.save(path, "GIF", save_all=True, append_images=few, duration=duration, loop=0)


def _encode(pictures: Iterator[Image], path: Path, suffix: str, fps: float) -> None:
    codec, options = CODECS[suffix]
    played = ["-r", f"{max(fps, PLAYED):g}"]
    film = _encoder(suffix).write_frames(
        str(path),
        SIZE,
        fps=fps,
        codec=codec,
        quality=None,
        macro_block_size=2,
        ffmpeg_log_level="error",
        output_params=[*options, *played],
    )
    film.send(None)
    try:
        for picture in pictures:
            film.send(picture.tobytes())
    finally:
        film.close()


def _encoder(suffix: str) -> Any:
    try:
        return importlib.import_module("imageio_ffmpeg")
    except ImportError:
        raise UsageError(
            f"films in {suffix} are encoded by imageio-ffmpeg, which is not installed",
            'install it by pip install "gpubfs[film]", or export a .gif or a .cast',
        ) from None
