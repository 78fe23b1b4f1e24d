"""Grading one submission from outside: a process, a clock, and a new process where one was lost."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from gpubfs.arguments import defined_at, is_outside
from gpubfs.errors import UsageError
from gpubfs.grading.errors import EXERCISE_KEY, MACHINE_KEY, NotGradedError, describe_os_error
from gpubfs.grading.exercise import KINDS, Exercise
from gpubfs.grading.outcome import KNOWN, Failure, Grade, Outcome, redacted
from gpubfs.grading.processes.clock import time_up
from gpubfs.grading.processes.starting import Process, start
from gpubfs.search.plugins import VARIABLE

#: The environment variable with the secret on which hidden cases depend.
SECRET = "GPUBFS_SECRET"
#: Seconds that starting a process may take, until it says that it is ready.
STARTING = 60.0
#: Seconds between two calls of what is asked whether to go on.
TICK = 0.1
#: Where this package is.
PACKAGES = str(Path(__file__).parents[3])
#: Variables of the environment that a grading process gets.
KEPT = tuple("PATH HOME LANG LC_ALL PYTHONPATH SYSTEMROOT VIRTUAL_ENV".split())
#: Have glibc's allocator keep memory that arrays leave: getting pages again takes long.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "MALLOC_TOP_PAD_": str(16 << 20),
}


def grade(
    exercise: Exercise,
    file: Path | None = None,
    secret: str | None = None,
    notify: Callable[[Outcome], None] = lambda outcome: None,
    plugins: Sequence[str] | None = None,
    tick: Callable[[], None] | None = None,
    measure: bool = False,
    known: dict[str, float] | None = None,
) -> Grade:
    """Grade a submission for an exercise.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path, optional
        The submission; by default the exercise's starter, which students edit.
    secret : str, optional
        On which hidden cases depend; by default that of the environment. Without one they are
        skipped.
    notify : callable, optional
        Called with each outcome as soon as it is there.
    plugins : sequence of str, optional
        Files and modules that grading processes import; by default those of GPUBFS_PLUGINS.
    tick : callable, optional
        Called several times a second, in this thread. What it raises ends grading at once, and the
        process with it.
    measure : bool
        Whether outcomes of cases that are right tell what these have cost; limits are left out.
    known : dict, optional
        What grading other submissions for the same exercise, with the same secret, has shown of
        it. What this one shows is added.

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
    file = exercise.starter if file is None else file
    secret = os.environ.get(SECRET, "") if secret is None else secret
    found: dict[str, Outcome] = {}
    wanted = [case for case in exercise.cases if secret or not case.hidden]
    for case in exercise.cases:
        if case not in wanted:
            found[case.name] = Outcome(case.name, case.points, case.hidden, skipped=True)
    left = [case.name for case in wanted]
    killed_in, known = "", {} if known is None else known
    with _temporary_folder() as folder:
        variables = _variables(folder, plugins)
        while left:
            job = {
                "exercise": str(exercise.folder),
                "file": str(Path(file).resolve()),
                "cases": left,
                "secret": secret,
                "measure": measure,
                KNOWN: known,
            }
            attempt = _Attempt(exercise, job, variables, killed_in, tick)
            with closing(attempt.outcomes()) as outcomes:
                for outcome in outcomes:
                    found[outcome.case] = outcome
                    notify(outcome)
            left = [case.name for case in wanted if case.name not in found]
            killed_in = left[0] if left and attempt.killed else ""
    ordered = tuple(found[case.name] for case in exercise.cases)
    return Grade(exercise.name, exercise.title, str(file), ordered)


def _environment() -> dict[str, str]:
    """Return the variables of all grading processes."""
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"} | ALLOCATOR
    paths = [PACKAGES, environment.get("PYTHONPATH", "")]  # this same package, installed or not
    return environment | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _variables(temporary: str, plugins: Sequence[str] | None) -> dict[str, str]:
    """Return those of one process, whose temporary files go into a folder."""
    named = os.environ.get(VARIABLE, "") if plugins is None else os.pathsep.join(plugins)
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary) | {VARIABLE: named}


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """Make a folder for the temporary files of the processes: what is killed removes none."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="gpubfs-", ignore_cleanup_errors=True)
    except OSError as error:
        words = f"there is no place for temporary files: {describe_os_error(error)}"
        raise NotGradedError(words) from None
    with folder as path:
        yield path


class _Attempt:
    """One process that grades the cases of a job until it is done or lost.

    `killed_in` is the case in which the process before it was killed. `killed` says at the end that
    this one was, too. `tick` is called while it waits.
    """

    def __init__(
        self,
        exercise: Exercise,
        job: dict[str, Any],
        variables: dict[str, str],
        killed_in: str = "",
        tick: Callable[[], None] | None = None,
    ) -> None:
        self.tick = tick
        self.exercise = exercise
        self.cases: list[str] = job["cases"]
        self.known: dict[str, float] = job[KNOWN]
        self.killed_in = killed_in
        self.killed = False
        self.process = _started(variables)
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
        """Yield what it finds, the last of which may be that the process was lost.

        Raises
        ------
        UsageError
            If it says that the exercise is at fault, or does not even start.
        """
        seconds, index = self.exercise.seconds, 0
        try:
            self._start()
            for index in range(len(self.cases)):
                line = self._line(seconds)
                if line is None:
                    failure = self._death(index)
                    if failure is not None:
                        yield self._lost(index, failure)
                    return
                message = json.loads(line)
                if MACHINE_KEY in message:
                    words = f"grading failed in the case {self.cases[index]!r}: "
                    raise NotGradedError(words + message[MACHINE_KEY])
                if EXERCISE_KEY in message:
                    raise self._mistake(index, message)
                self.known.update(message[KNOWN])
                yield Outcome.of(message)
        except queue.Empty:
            yield self._lost(index, time_up(seconds))
        finally:
            self._end()

    def _start(self) -> None:
        """Wait until it is ready. Until then it has not looked at what was handed in."""
        hint = f"see why: {sys.executable} -c 'import gpubfs.grading.processes.worker'"
        try:
            ready = self._line(STARTING)
        except queue.Empty:
            words = f"the grading process did not start within {STARTING:g} seconds"
            raise UsageError(words, "grade fewer at a time") from None
        if ready is None:
            code = self.process.wait()
            raise UsageError(f"the grading process did not start (exit code {code})", hint)
        if EXERCISE_KEY in ready:
            message = json.loads(ready)
            raise UsageError(message[EXERCISE_KEY], message["hint"])

    def _line(self, seconds: float) -> str | None:
        """Return the next line of the process, None at its end; raise queue.Empty after seconds."""
        if self.tick is None:
            return self.lines.get(timeout=seconds)
        end = time.monotonic() + seconds
        while True:
            self.tick()
            left = end - time.monotonic()
            try:
                return self.lines.get(timeout=max(0.0, min(left, TICK)))
            except queue.Empty:
                if left <= TICK:
                    raise

    def _mistake(self, index: int, message: dict[str, str]) -> UsageError:
        """Return what is wrong with the exercise, with the case and its folder."""
        where = "/".join(self.exercise.folder.parts[-3:])
        case, words = self.cases[index], message[EXERCISE_KEY]
        words = f"the exercise {where} has a mistake, case {case!r}: {words}"
        return UsageError(words, message["hint"])

    def _lost(self, index: int, failure: Failure) -> Outcome:
        case = next(c for c in self.exercise.cases if c.name == self.cases[index])
        return redacted(Outcome(case.name, case.points, case.hidden, failure))

    def _death(self, index: int) -> Failure | None:
        """Return why the process ended; None where the case is to be tried again.

        No submission can kill it, and its memory is limited: somebody else did, or the
        system, which has less memory than an exercise may take.
        """
        code = self.process.wait()
        if code == -signal.SIGKILL and self.killed_in == self.cases[index]:
            raise NotGradedError(
                f"the grading process was killed in the case {self.cases[index]!r}, twice",
                "most likely the machine has too little memory: grade fewer at a time (--jobs), "
                f"or let the exercise take less than {self.exercise.memory:,.0f} MiB",
            )
        if code == -signal.SIGKILL:
            self.killed = True
            return None
        kind = KINDS[self.exercise.kind]
        if code >= 0 and is_outside(kind):  # whose code is Python, as no submission here is
            message = f"{defined_at(kind)}: its code ends the grading process (exit code {code})"
            raise self._mistake(index, {EXERCISE_KEY: message, "hint": "raise an ExerciseError"})
        return Failure("crash", f"the grading process died (exit code {code})")

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()


def _started(variables: dict[str, str]) -> Process:
    try:
        return start(_environment(), variables)
    except OSError as error:
        words = f"no grading process can be started: {describe_os_error(error)}"
        raise NotGradedError(words) from None


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)
