"""Grading one submission from outside: a process, a clock, and a new process where one was lost."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO

from gpubfs.errors import UsageError
from gpubfs.grading import infrastructure
from gpubfs.grading.exercises.exercise import Exercise
from gpubfs.grading.exercises.mistakes import KEY
from gpubfs.grading.hidden import private
from gpubfs.grading.infrastructure import NotGradedError
from gpubfs.grading.outcome import Failure, Grade, Outcome

#: The environment variable with the secret on which hidden cases depend.
SECRET = "GPUBFS_SECRET"
#: Seconds that starting a process may take, until it says that it is ready.
STARTING = 60.0
#: Where this package is.
HOME = str(Path(__file__).parents[2])
#: Variables of the environment that a grading process gets.
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
    "VIRTUAL_ENV",
)


def grade(
    exercise: Exercise,
    file: Path | None = None,
    secret: str | None = None,
    told: Callable[[Outcome], None] | None = None,
) -> Grade:
    """Grade what was handed in for an exercise.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path, optional
        What was handed in; by default the exercise's starter, which students edit.
    secret : str, optional
        On which hidden cases depend; by default that of the environment. Without one they are
        skipped.
    told : callable, optional
        Told each outcome as soon as it is there.

    Returns
    -------
    Grade
        An outcome for each case. A case in which the process is lost, or its time is up, is lost;
        the others are graded by a new process.

    Raises
    ------
    UsageError
        If the exercise itself cannot be graded, or no process starts: that is nobody's loss.
    NotGradedError
        If the machine fails, such as a disk that is full, or somebody ends the process twice.
    """
    handed_in = exercise.starter if file is None else file
    known = os.environ.get(SECRET, "") if secret is None else secret
    found: dict[str, Outcome] = {}
    wanted = [case for case in exercise.cases if known or not case.hidden]
    for case in exercise.cases:
        if case not in wanted:
            found[case.name] = Outcome(case.name, case.points, case.hidden, skipped=True)
    left = [case.name for case in wanted]
    again = ""
    with _temporary() as folder:
        while left:
            attempt = _Attempt(exercise, handed_in, left, known, folder, again)
            with closing(attempt.outcomes()) as outcomes:
                for outcome in outcomes:
                    found[outcome.case] = outcome
                    if told is not None:
                        told(outcome)
            left = [case.name for case in wanted if case.name not in found]
            again = left[0] if left and attempt.killed else ""
    ordered = tuple(found[case.name] for case in exercise.cases)
    return Grade(exercise.name, exercise.title, str(handed_in), ordered)


@contextmanager
def _temporary() -> Iterator[str]:
    """A folder for the temporary files of the processes: what is killed takes away none."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="gpubfs-", ignore_cleanup_errors=True)
    except OSError as error:
        words = f"there is no place for temporary files: {infrastructure.described(error)}"
        raise NotGradedError(words) from None
    with folder as place:
        yield place


class _Attempt:
    """One process that grades cases until it is done or lost.

    `temporary` is the folder for its temporary files, and `again` the case in which the process
    before it was killed. `killed` says at the end that this one was, too.
    """

    def __init__(
        self,
        exercise: Exercise,
        file: Path,
        cases: list[str],
        secret: str,
        temporary: str,
        again: str = "",
    ) -> None:
        self.exercise = exercise
        self.cases = cases
        self.again = again
        self.killed = False
        job = {
            "exercise": str(exercise.folder),
            "file": str(Path(file).resolve()),
            "cases": cases,
            "secret": secret,
        }
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)
        paths = [HOME, environment.get("PYTHONPATH", "")]  # this same package, installed or not
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self.process = _started(environment)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            json.dump(job, self.process.stdin)
            self.process.stdin.close()
        self.lines: queue.Queue[str | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(self.process.stdout, self.lines), daemon=True)
        try:
            reader.start()
        except RuntimeError as error:  # the system has no more threads
            self._end()
            raise NotGradedError(f"the grading process cannot be read: {error}") from None

    def outcomes(self) -> Generator[Outcome, None, None]:
        """What it finds, the last of which may be that the process was lost.

        Raises
        ------
        UsageError
            If it says that the exercise is at fault, or does not even start.
        """
        seconds, place = self.exercise.seconds, 0
        try:
            self._start()
            for place in range(len(self.cases)):
                line = self.lines.get(timeout=seconds)
                if line is None:
                    failure = self._death(place)
                    if failure is not None:
                        yield self._lost(place, failure)
                    return
                told = json.loads(line)
                if infrastructure.KEY in told:
                    words = f"grading failed in the case {self.cases[place]!r}: "
                    raise NotGradedError(words + told[infrastructure.KEY])
                if KEY in told:
                    raise self._mistake(place, told)
                yield Outcome.of(told)
        except queue.Empty:
            words = f"it took more than {seconds:g} seconds"
            yield self._lost(place, Failure("time", words))
        finally:
            self._end()

    def _start(self) -> None:
        """Wait until it is ready. Until then it has not looked at what was handed in."""
        hint = f"see why: {sys.executable} -c 'import gpubfs.grading.checks.searches'"
        try:
            ready = self.lines.get(timeout=STARTING)
        except queue.Empty:
            words = f"the grading process did not start within {STARTING:g} seconds"
            raise UsageError(words, "grade fewer at a time") from None
        if ready is None:
            code = self.process.wait()
            raise UsageError(f"the grading process did not start (exit code {code})", hint)

    def _mistake(self, place: int, told: dict[str, str]) -> UsageError:
        """What is wrong with the exercise, with its folder below the lessons and the case."""
        where = "/".join(self.exercise.folder.parts[-3:])
        words = f"the exercise {where} has a mistake, case {self.cases[place]!r}: {told[KEY]}"
        return UsageError(words, told["hint"])

    def _lost(self, place: int, failure: Failure) -> Outcome:
        case = next(c for c in self.exercise.cases if c.name == self.cases[place])
        return private(Outcome(case.name, case.points, case.hidden, failure))

    def _death(self, place: int) -> Failure | None:
        """Why the process ended; None where the case is to be tried again.

        What is handed in cannot kill it, and its memory is limited: somebody else did, or the
        system, which has less memory than an exercise may take.
        """
        code = self.process.wait()
        if code == -signal.SIGKILL and self.again == self.cases[place]:
            raise NotGradedError(
                f"the grading process was killed in the case {self.cases[place]!r}, twice",
                "most likely the machine has too little memory: grade fewer at a time (--jobs), "
                f"or let the exercise take less than {self.exercise.memory:,.0f} MiB",
            )
        if code == -signal.SIGKILL:
            self.killed = True
            return None
        return Failure("crash", f"the grading process died (exit code {code})")

    def _end(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _started(environment: dict[str, str]) -> subprocess.Popen[str]:
    """The process, in a session of its own."""
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "gpubfs.grading.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
    except OSError as error:
        words = f"no grading process can be started: {infrastructure.described(error)}"
        raise NotGradedError(words) from None


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)
