"""What a student reads where several cases are lost."""

from __future__ import annotations

from rich.console import Console

from gpubfs.grading.feedback import Feedback
from gpubfs.grading.outcome import Failure, Grade, Outcome


def shown(*failures: Failure) -> str:
    outcomes = tuple(Outcome(f"case {n}", 1, failure=one) for n, one in enumerate(failures))
    console = Console(width=80, no_color=True)
    with console.capture() as capture:
        console.print(Feedback(Grade("07-lesson/two", "Two", "two.cu", outcomes)))
    return capture.get()


def test_a_reason_is_told_once() -> None:
    one, other = (Failure("read", "no such name", called) for called in ("on a", "on b"))
    text = shown(one, other)
    assert text.count("no such name") == 1
    assert text.count("for the same reason") == 1


def test_each_wrong_answer_says_which_question_it_is_to() -> None:
    one, other = (Failure("answer", "0 is too little", called) for called in ("on a", "on b"))
    text = shown(one, other)
    assert "on a" in text
    assert "on b" in text
    assert "for the same reason" not in text
