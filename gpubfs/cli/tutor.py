"""The dialogue of `gpubfs learn`: keys and saves come in, feedback is printed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import show, stopped_by_term
from gpubfs.cli.grade import graded
from gpubfs.cli.keys import GONE, Keys
from gpubfs.cli.submitted import from_here, submission, trace_commands
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.grading.learning.desk import Desk
    from gpubfs.grading.outcome import Grade

#: What happens besides keys.
SAVED = "saved"
#: Seconds between two looks at the file.
LOOK = 0.1
#: Keys that end grading; others wait for its end.
URGENT = ("n", "p", "r", "q", GONE, SAVED)
#: What keys do, in the order in which they are listed.
HELP = "h hint, t trace, o open, r grade again, n next, p previous, l list, q quit"


class Urgent(Exception):  # noqa: N818, for it is no error
    """Something happened while an exercise was graded that makes the marks worthless."""


class Tutor:
    """Somebody at a terminal who works on exercises, one after the other.

    Parameters
    ----------
    desk : Desk
        The exercise to begin with.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._waiting: list[str] = []
        self._acts: dict[str, Callable[[], None]] = {
            SAVED: self._again,
            "r": self._again,
            "h": self._hint,
            "t": self._trace,
            "o": self._edit,
            "n": self._next,
            "p": self._previous,
            "l": self._list,
            "?": self._keys_told,
        }

    def run(self) -> None:
        """Work until somebody quits."""
        with stopped_by_term(), Keys() as self._keys:
            try:
                self._list()
                self._begin()
                while (event := self._event()) not in ("q", GONE):
                    if event in self._acts:
                        self._acts[event]()
            finally:
                self.desk.keep_time()

    def _event(self) -> str:
        """Wait for a key or a save."""
        while not self._waiting:
            self._look(LOOK)
        return self._waiting.pop(0)

    def _look(self, seconds: float = 0.0) -> None:
        """Take what happens within so many seconds."""
        if key := self._keys.read(seconds):
            self._waiting.append(key.lower())
        if self.desk.saves.look():
            self._waiting.append(SAVED)

    def _again(self) -> None:
        _clear()
        self._grade()

    def _begin(self) -> None:
        """Say what the exercise wants, and grade it as it is."""
        from gpubfs.grading.learning.standing import DONE

        self._waiting = [one for one in self._waiting if one != SAVED]  # of another file
        click.echo()
        if self.desk.course.solved:
            _say("Solutions stand beside these exercises; without them: gpubfs release course")
        self._show_task()
        if self.desk.standing.state == DONE:
            _say("It is done already.")
        self._grade()

    def _show_task(self) -> None:
        from gpubfs.grading.learning.view import Task

        exercise = self.desk.exercise
        show(Task(exercise, from_here(exercise.starter)), crop=False)

    def _grade(self) -> None:
        """Grade the exercise and say what came of it, unless something urgent happens."""
        from gpubfs.grading.feedback import Feedback

        exercise = self.desk.exercise
        try:
            _, file = submission(exercise)
            made = self.desk.graded(lambda: graded(exercise, file, self._while_grading))
        except Urgent:
            return
        except UsageError as error:
            click.echo(error)
            self._keys_told()
            return
        commands = trace_commands(exercise, file, made)
        click.echo()
        show(Feedback(made, commands, printed=False), crop=False)
        self._tell_hints()
        self._tell_next(made)

    def _while_grading(self) -> None:
        self._look()
        urgent = next((one for one in self._waiting if one in URGENT), "")
        if urgent:
            self._waiting.remove(urgent)
            self._waiting.insert(0, urgent)
            raise Urgent

    def _tell_hints(self) -> None:
        for number, hint in enumerate(self.desk.hints, 1):
            _say(f"hint {number} of {len(self.desk.exercise.hints)}: {hint}")

    def _tell_next(self, made: Grade) -> None:
        """Say how it goes on, below the marks."""
        coming = self.desk.coming
        if made.full and coming is None:
            _say("Done, and so are all the others.", "bold green")
        elif made.full and coming is not None:
            _say(f"Done. Press n for the next: {coming.title} ({coming.name})", "bold green")
        self._keys_told()

    def _keys_told(self) -> None:
        """Say which file is watched, in one line that can be copied, and what keys do."""
        from rich.text import Text

        line = Text("watching  ", "dim", no_wrap=True, overflow="ignore")
        show(line.append(from_here(self.desk.exercise.starter), "not dim"), crop=False)
        _say(HELP, "dim")

    def _hint(self) -> None:
        of = len(self.desk.exercise.hints)
        hint = self.desk.next_hint()
        if hint:
            _say(f"hint {len(self.desk.hints)} of {of}: {hint}")
        else:
            _say(f"there are no more hints than these {of}")

    def _trace(self) -> None:
        """Step through the first case that is lost, as the command below it does."""
        from gpubfs.grading.exercise import KINDS

        exercise, made = self.desk.exercise, self.desk.grade
        if made is None:
            _say("it is not graded; r grades it")
            return
        command = next(iter(trace_commands(exercise, exercise.starter, made).values()), "")
        if made.full:
            _say("no case is lost")
        elif not command:
            _say(f"there are no steps to show: {KINDS[exercise.kind].instead}")
        else:
            click.echo(command)
            self._lend([sys.executable, "-m", *shlex.split(command)])
            self._keys_told()

    def _edit(self) -> None:
        """Print the path of the file, and open it in the editor that the environment names."""
        path = self.desk.exercise.starter
        click.echo(path)
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if editor:
            self._lend([*shlex.split(editor), str(path)])
        else:
            _say("set EDITOR, and o opens it")

    def _lend(self, command: list[str]) -> None:
        """Let another program have the terminal until it ends."""
        try:
            with self._keys.lent():
                subprocess.run(command, check=False)
        except OSError as error:
            _say(f"{command[0]}: {error.strerror}")

    def _next(self) -> None:
        """Go to the next exercise; from one that is done, to the next that is not."""
        made = self.desk.grade
        coming = self.desk.coming if made is not None and made.full else None
        if coming is not None:
            self.desk.go(coming)
        elif not self.desk.step(1):
            _say("this is the last exercise; l lists all")
            return
        _clear()
        self._begin()

    def _previous(self) -> None:
        if not self.desk.step(-1):
            _say("this is the first exercise; l lists all")
            return
        _clear()
        self._begin()

    def _list(self) -> None:
        from gpubfs.grading.learning.view import Overview

        show(Overview(self.desk.standings, self.desk.exercise.name))


def _say(words: str, style: str = "") -> None:
    """Print words, in lines that break between them."""
    from rich.text import Text

    show(Text(words, style))


def _clear() -> None:
    """Begin at the top of the terminal, where it can be done: only what is new is to be seen."""
    if os.environ.get("TERM", "dumb") not in ("dumb", "unknown"):
        click.echo("\x1b[2J\x1b[H", nl=False)
