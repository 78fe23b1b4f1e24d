"""An exercise: its cases, the files in its folder, and what a kind of exercise is."""

from __future__ import annotations

import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from gpubfs.arguments import Register, refuse_bare, shown
from gpubfs.errors import UsageError, nearest
from gpubfs.grading.outcome import Failure

#: What makes a folder an exercise, and what makes its problems.
FILE, PROBLEM = "exercise.toml", "problem.py"

#: The schedules under which a result must be right, unless a case names others.
SCHEDULES = ("lockstep", "warp", "round-robin:1", "shuffled:2", "random:3")

#: Seconds and MiB that a case may take, unless the exercise says otherwise.
SECONDS, MEMORY = 10.0, 1024
#: Lane steps that a launch may take, unless the exercise says otherwise.
STEPS = 1 << 25

#: The most bytes that are read of a submission.
MAX_BYTES = 1 << 20
#: What no number of an exercise comes near.
_LARGE = 1 << 63


@dataclass(frozen=True)
class Case:
    """One thing that is looked at, and the points that it is worth.

    Attributes
    ----------
    name : str
        What feedback calls it.
    points : float
        All of them or none.
    given : mapping
        Parameters of the problem, or for searches the graph and the source.
    hidden : bool
        Whether it depends on a secret, and its data are not shown.
    schedules : tuple of str
        The schedules under which it is run.
    sanitize : str
        The sanitizers that watch it, as in `gpubfs run --sanitize`.
    limits : mapping of str to float
        Counters and the most that they may be, under the first schedule.
    shares : mapping of str to float
        Counters and the most that they may be there, as shares of what the technique's own kernel
        counts in the same search.
    device : str
        The simulated GPU, where it is not the exercise's.
    steps : int
        Lane steps that a launch may take, where they are not the exercise's; else 0.
    """

    name: str
    points: float
    given: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    schedules: tuple[str, ...] = SCHEDULES
    sanitize: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    device: str = ""
    steps: int = 0


@dataclass(frozen=True)
class Exercise:
    """A folder with an exercise.

    Attributes
    ----------
    folder : Path
        Where it is.
    title : str
        What it is called.
    kind : str
        One of KINDS.
    cases : tuple of Case
        What is looked at.
    hints : tuple of str
        From a nudge to nearly the answer.
    search : mapping
        For exercises on a technique: its name as `technique`, and options.
    includes : tuple of str
        The package's headers that a kernel file may include.
    device : str
        The simulated GPU of cases that name none.
    seconds, memory : float
        What a case may take, in seconds and MiB.
    steps : int
        Lane steps that a launch may take in cases that do not say: more is an endless loop.
    suffix : str
        The ending of a submission.
    fields : mapping
        The values of the keys that only its kind has.
    score : mapping of str to float
        For a leaderboard: counters and their weights.
    """

    folder: Path
    title: str
    kind: str
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    search: Mapping[str, Any] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    device: str = "h200"
    seconds: float = SECONDS
    memory: float = MEMORY
    steps: int = STEPS
    suffix: str = ".cu"
    fields: Mapping[str, Any] = field(default_factory=dict)
    score: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The lesson's folder and its own, as ``02-memory/coalesce``."""
        return f"{self.folder.parent.parent.name}/{self.folder.name}"

    @property
    def starter(self) -> Path:
        """What students begin with, and edit."""
        return self.folder / f"starter{self.suffix}"

    @property
    def solution(self) -> Path:
        """What it is made from; students do not get it."""
        return self.folder / f"solution{self.suffix}"

    def device_of(self, case: Case) -> str:
        """Return the simulated GPU of a case."""
        return case.device or self.device

    def steps_of(self, case: Case) -> int:
        """Return the lane steps that a launch of a case may take."""
        return case.steps or self.steps

    @property
    def points(self) -> float:
        """The points of all cases."""
        return sum(case.points for case in self.cases)


@dataclass(frozen=True)
class Field:
    """What the value of a key of an `exercise.toml` must be.

    Parameters
    ----------
    accepts : callable
        Tells of a value whether it may be this key's.
    remedy : str
        What to write instead of another.
    required : bool
        Whether the key must be there.

    Examples
    --------
    >>> even = Field(lambda value: value in (2, 4, 6), "give 2, 4 or 6")
    >>> even.accepts(3), even.optional().required
    (False, False)
    """

    accepts: Callable[[Any], bool]
    remedy: str
    required: bool = True

    def optional(self) -> Field:
        """Return the same for a key that may be left out."""
        return dataclasses.replace(self, required=False)


def is_number(value: object) -> bool:
    """Tell whether a value is a finite number; true and false are none.

    >>> is_number(0.5), is_number(True), is_number(float("nan")), is_number("3")
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _LARGE  # false of nan, too


def is_text(value: object) -> bool:
    """Tell whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value.strip())


#: Fields that many kinds need.
TEXT = Field(is_text, "give a text in quotation marks that is not empty")
POSITIVE = Field(lambda value: is_number(value) and value > 0, "give a number above 0")
WHOLE = Field(
    lambda value: is_number(value) and isinstance(value, int) and value > 0,
    "give a whole number above 0",
)
TABLE = Field(lambda value: isinstance(value, dict), "give a table: { name = value }")


class UnreadableError(Exception):
    """A submission cannot be read, and so loses every case.

    Parameters
    ----------
    message : str
        Why, in a sentence.
    detail : str
        Further lines, such as the offending one with a caret.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.failure = Failure("read", message, detail=detail)


class ExerciseKind(ABC):
    """How exercises of one kind are described, and submissions for them graded.

    A subclass says in its attributes what an `exercise.toml` of this kind has, and grades one
    submission: it is made once for it, in a process of its own with limits on memory, and then
    asked for one case after another. Register it with `exercise_kind`.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    file : Path
        A copy of the submission, UTF-8 and not empty, in a folder with the headers of `includes`.

    Attributes
    ----------
    suffix : str
        The ending of submissions, starters and solutions, such as ".cu".
    fields : mapping of str to Field
        Further keys of `exercise.toml`; their values are `exercise.fields`.
    given : mapping of str to Field or None
        What a case may have under `given`; None where that is not looked at.
    files : tuple of str
        Files of the exercise that students get besides its starter, where they are there.
    instead : str
        What to do instead, where no kernel of a submission runs that could be stepped through.
    compares : bool
        Whether a submission's counters can be compared with those of a technique: then cases may
        have `shares`, and exercises a `score`.
    printed : str
        What the submission printed in the case that was graded last.
    known : dict of str to float
        What earlier processes have found out about the exercise's cases that no submission changes,
        by names of the kind's own. What is added is told to later processes.

    Raises
    ------
    UnreadableError
        If the submission cannot be read; then it loses every case.

    Notes
    -----
    A submission that is Python must not be run in this process, which knows the secret.
    """

    suffix: ClassVar[str] = ""
    fields: ClassVar[Mapping[str, Field]] = {}
    given: ClassVar[Mapping[str, Field] | None] = None
    files: ClassVar[tuple[str, ...]] = ()
    instead: ClassVar[str] = "gpubfs grade says what is wrong with it"
    compares: ClassVar[bool] = False
    printed = ""

    def __init__(self, exercise: Exercise, file: Path) -> None:
        self.exercise = exercise
        self.file = file
        self.known: dict[str, float] = {}

    @classmethod  # noqa: B027 - most kinds need nothing
    def validate(cls, exercise: Exercise, path: Path) -> None:
        """Refuse an exercise that cannot be graded, as far as that shows before it is run.

        Parameters
        ----------
        exercise : Exercise
            What its `exercise.toml` says; keys and values fit `fields` and `given`.
        path : Path
            That file, for messages.

        Raises
        ------
        UsageError
            For the first mistake.
        """

    @abstractmethod
    def grade_case(self, case: Case, seed: int) -> Failure | None:
        """Grade a case.

        Parameters
        ----------
        case : Case
            The case.
        seed : int
            What its random numbers depend on: the secret, if it is hidden.

        Returns
        -------
        Failure or None
            Why the case is lost; None if it has all its points. Of a hidden case students see no
            more than `Failure.general` and `Failure.location`.

        Raises
        ------
        ExerciseError
            If the exercise has a mistake: then nobody loses points.
        """

    def compared(self, case: Case, seed: int) -> dict[str, tuple[float, float]]:
        """Return of each counter of the score how much the case that was graded last has counted.

        Beside it stands what the technique itself counts. Nothing is returned of a case whose
        result is wrong.
        """
        return {}

    def rehearse(self, case: Case, seed: int, failure: Failure | None) -> None:  # noqa: B027
        """Do a lost case over without the submission.

        What goes wrong then, too, is a mistake of the exercise.

        Parameters
        ----------
        case, seed
            As `grade_case` had them.
        failure : Failure or None
            Why the case was lost, unless by an exception.

        Raises
        ------
        ExerciseError
            If the case cannot be done without the submission, either.
        """


#: The kinds of exercises by the names that an `exercise.toml` uses.
KINDS: Register[type[ExerciseKind]] = Register("kind of exercise")

AnyKind = TypeVar("AnyKind", bound=type[ExerciseKind])


def exercise_kind(*names: str) -> Callable[[AnyKind], AnyKind]:
    """Register a class as a kind of exercise.

    Parameters
    ----------
    *names : str
        What `kind` is in the `exercise.toml` of such exercises.

    Returns
    -------
    callable
        A decorator for a subclass of ExerciseKind.

    Raises
    ------
    UsageError
        If the class is not complete, or a name is taken.

    Examples
    --------
    >>> @exercise_kind("nothing")
    ... class Nothing:
    ...     pass
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: the kind of exercise 'nothing' is no subclass of ExerciseKind
      write class Nothing(ExerciseKind)
    """
    for name in names:
        refuse_bare(name, "exercise_kind", 'exercise_kind("name")')

    def register(kind: AnyKind) -> AnyKind:
        for name in names:
            _check_kind(name, kind)
            KINDS.add(name, kind, kind)
        return kind

    if not names:
        raise UsageError("a kind of exercise has no name", 'write @exercise_kind("name")')
    return register


#: Keys of `exercise.toml` that exercises of all kinds have.
OF_ALL = {one.name for one in dataclasses.fields(Exercise)} - {"folder", "suffix", "fields"}


def _check_kind(name: str, kind: Any) -> None:
    """Raise UsageError unless a class may be registered under a name."""
    what = f"the kind of exercise {name!r}"
    called = getattr(kind, "__name__", str(kind))
    if not isinstance(kind, type) or not issubclass(kind, ExerciseKind):
        raise UsageError(
            f"{what} is no subclass of ExerciseKind", f"write class {called}(ExerciseKind)"
        )
    if inspect.isabstract(kind):
        raise UsageError(
            f"{what} does not say how a case is graded",
            f"write {called}.grade_case(self, case, seed)",
        )
    if not kind.suffix.startswith(".") or len(kind.suffix) < 2:
        raise UsageError(f"{what} does not say how files end", f'write in {called}: suffix = ".cu"')
    _check_fields(what, kind)


def _check_fields(what: str, kind: type[ExerciseKind]) -> None:
    """Raise UsageError unless a class says which fields its exercises have, as it must."""
    for key in ("fields", "given"):
        if not isinstance(getattr(kind, key) or {}, Mapping):
            hint = "give a mapping of names to Field(accepts, remedy)"
            raise UsageError(f"{what}: {key} is {shown(getattr(kind, key))}", hint)
    for key in _attributes(kind):
        if question := nearest(key, ("fields", "given", "files", "suffix")):
            raise UsageError(f"{what}: there is no attribute {key}", question.strip())
    for key in kind.fields:
        if key in OF_ALL:
            raise UsageError(f"{what}: {key} is a field of all exercises", "rename it")
    wrong = [
        key for key, one in {**kind.fields, **(kind.given or {})}.items() if not _is_field(one)
    ]
    if wrong:
        raise UsageError(f"{what}: {wrong[0]} is no Field", "write Field(accepts, remedy)")


def _attributes(kind: type[ExerciseKind]) -> Iterator[str]:
    """Yield names of what a class has of its own that looks like fields."""
    for key, value in vars(kind).items():
        new = not hasattr(ExerciseKind, key) and isinstance(value, Mapping) and value
        if new and all(map(_is_field, value.values())):
            yield key


def _is_field(value: object) -> bool:
    return isinstance(value, Field)
