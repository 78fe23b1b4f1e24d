"""A file that was handed in, copied to where it is run, and called by its own name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gpubfs.grading.exercise import MAX_BYTES, Exercise, UnreadableError
from gpubfs.grading.outcome import Failure
from gpubfs.kernels import KERNELS

#: The name of the copy, unless another is wanted.
FILE = "submission"


def copied(exercise: Exercise, file: Path, folder: Path, stem: str = FILE) -> Path:
    """Return a copy of a submission, in a folder with nothing but the headers that it may include.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path
        The submission.
    folder : Path
        Where the copy and the headers are put.
    stem : str
        The name of the copy, without its ending.

    Raises
    ------
    UnreadableError
        If the file cannot be read, is too large, empty, or no UTF-8.
    """
    text = _text(file)
    for name in exercise.includes:
        shutil.copyfile(KERNELS / name, folder / name)
    target = folder / (stem + exercise.suffix)
    target.write_bytes(text.encode())
    return target


def _text(file: Path) -> str:
    """Return what is in a file."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"the file cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"the file has more than {MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        words = f"the file is no UTF-8 text: byte {error.start} is not; save it as UTF-8"
        raise UnreadableError(words) from None
    if not text.strip():
        raise UnreadableError("the file is empty")
    return text


def named(failure: Failure, copy: Path, name: str) -> Failure:
    """Return a failure with the name that a file was submitted by, and others by their own.

    Parameters
    ----------
    failure : Failure
        What was found in the copy.
    copy : Path
        The copy.
    name : str
        The name of the submission.
    """
    parts = {
        key: text.replace(str(copy), name)
        .replace(f"{copy.parent}{os.sep}", "")
        .replace(f"{KERNELS}{os.sep}", "")
        for key, text in vars(failure).items()
    }
    return Failure(**parts)
