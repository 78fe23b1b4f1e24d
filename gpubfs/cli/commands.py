"""The commands by name, each imported when it is called: help lists them without."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping

import click

from gpubfs.cli.help import Context

#: What each command does, as the first lines of their help texts say.
SUMMARIES = {
    "list": "List techniques, papers and options; what they are compared with; structures that "
    "change.",
    "graph": "Print statistics of a graph.",
    "run": "Run a technique, verify it, print its counters.",
    "lines": "Print a kernel with counters beside each line.",
    "trace": "Step through a run: source, lanes, sectors, queues.",
    "dynamic": "Insert and delete batches of edges in a graph that changes.",
    "compare": "Compare techniques, machines, or the simulator with a recorded GPU.",
    "profile": "Compare the simulator's counters with Nsight Compute's.",
    "agreement": "Hold the simulator against all that was recorded on a GPU.",
    "record": "Record what this GPU counts, by itself and under Nsight Compute.",
    "experiment": "Measure a paper's table or figure anew, and compare.",
    "check": "Check CUDA files with both compilers; - stands for standard input.",
    "learn": "Work through a course: see what is next, edit it, and read what is wrong at every "
    "save.",
    "grade": "Grade an exercise and say what to mend.",
    "grade-all": "Grade a class, several at a time.",
    "marks": "Make a gradebook of what grade-all found, for Canvas, for Moodle, or for yourself.",
    "similar": "Find submissions of a class that share passages, for you to look at.",
    "leaderboard": "Rank a class's submissions for an exercise by what their searches cost.",
    "gradescope": "Write an autograder for Gradescope.",
    "new-technique": "Write a driver, a kernel and a test to begin with.",
    "starters": "Make the starters of exercises from their solutions.",
    "release": "Write the lessons for instructors and for students, as nbgrader lays them out.",
    "slides": "Write a lesson's notebook for slides, without the answers.",
    "bench": "Time techniques: all, or those named.",
    "pictures": "Draw the README's and the lessons' pictures anew.",
}
#: Modules that are not called as their commands are.
_MODULES = {"list": "listing"}


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, and those that are added."""

    def __init__(self) -> None:
        self._commands: dict[str, click.Command | None] = dict.fromkeys(SUMMARIES)

    def __getitem__(self, name: str) -> click.Command:
        found = self._commands[name]
        if found is None:
            found = self._commands[name] = _imported(name)
        return found

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)

    def summary(self, name: str, width: int) -> str:
        """Return what a command does, in one line of at most so many characters if it was added."""
        return SUMMARIES.get(name) or self[name].get_short_help_str(width)


def _imported(name: str) -> click.Command:
    module = importlib.import_module(f"gpubfs.cli.{_MODULES.get(name, name.replace('-', '_'))}")
    commands = (one for one in vars(module).values() if isinstance(one, click.Command))
    command = next(one for one in commands if one.name == name)
    command.context_class = Context
    return command
