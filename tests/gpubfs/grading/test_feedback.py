"""What is left out of feedback because it was said before, and what is not."""

from __future__ import annotations

import io

from rich.console import Console

from gpubfs.grading.feedback import Feedback
from gpubfs.grading.outcome import Failure, Grade, Outcome


def shown(*failures: Failure) -> str:
    """The feedback for cases with these failures."""
    cases = tuple(Outcome(f"case {at}", 1, False, lost) for at, lost in enumerate(failures))
    file = io.StringIO()
    Console(file=file, width=200).print(Feedback(Grade("07/two", "", "", cases)))
    return file.getvalue()


def test_one_place_of_the_source_is_shown_once() -> None:
    lost = [Failure("read", "`;` is missing", f"a<<<{n}>>>", detail="a = b") for n in (1, 2)]
    assert shown(*lost).count("for the same reason") == 1


def test_two_questions_with_the_same_wrong_number_are_both_named() -> None:
    words = shown(
        Failure("answer", "7 is too much", "launches of a", got="7"),
        Failure("answer", "7 is too much", "barriers of b", got="7"),
    )
    assert "launches of a" in words
    assert "barriers of b" in words
    assert "for the same reason" not in words
