"""What grading finds: for every case its points, and where they were lost, why.

Of a hidden case nothing is said but the kind of mistake and the lines of the submission at which it
shows: everything that a run computes depends on the secret, such as threads, elements, sums, what a
kernel prints or a driver raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

#: What a job, and each line of its process, says of an exercise whatever the submission.
KNOWN = "known"

#: Why points are lost: the file cannot be read or compiled; a result is wrong in every order, or in
#: some orders of warps only; the kernel does something undefined; a sanitizer finds something; a
#: counter is over its limit; an answer is wrong; a driver does what it must not; time is up; memory
#: is; the process died; nothing was submitted.
REASONS = tuple(
    "read result schedule fault sanitizer limit answer driver time memory crash missing".split()
)


#: What of a failure is for hidden cases only.
UNWRITTEN = ("location", "general")


@dataclass(frozen=True)
class Failure:
    """Why a case is lost.

    Attributes
    ----------
    reason : str
        One of REASONS.
    message : str
        One sentence.
    called, expected, got : str
        What was called, what should have come of it, and what came; empty where it does not apply.
    detail : str
        Further lines: the offending line of the source, with a caret.
    location : str
        That line of the submission, with nothing that a run computed.
    general : str
        The message without what a run computed; empty where the reason says enough.

    The last two are for hidden cases: they are not written down, and make no difference.
    """

    reason: str
    message: str
    called: str = ""
    expected: str = ""
    got: str = ""
    detail: str = ""
    location: str = field(default="", compare=False)
    general: str = field(default="", compare=False)

    def as_dict(self) -> dict[str, str]:
        """Return what is written down, ready for JSON."""
        return {name: text for name, text in vars(self).items() if name not in UNWRITTEN}


@dataclass(frozen=True)
class Outcome:
    """What became of a case; without a failure it has all its points.

    `printed` is what the submission has printed meanwhile. `costs` are there where they are asked
    for: of each counter of the exercise's score what the submission has counted, and what the
    technique itself does; of hidden cases, too, so that they are for instructors.
    """

    case: str
    points: float
    hidden: bool = False
    failure: Failure | None = None
    skipped: bool = False
    printed: str = ""
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def got(self) -> float:
        """The points that it brings."""
        return 0.0 if self.failure or self.skipped else self.points

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        lost = None if self.failure is None else self.failure.as_dict()
        made = asdict(self) | {"failure": lost, "got": self.got}
        for name in ("printed", "costs"):
            if not made[name]:
                del made[name]
        return made

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Outcome:
        """Return the outcome that `as_dict` wrote."""
        kept = {name: data[name] for name in ("case", "points", "hidden", "skipped")}
        failure = data["failure"]
        lost = None if failure is None else Failure(**failure)
        costs = {name: (own, other) for name, (own, other) in data.get("costs", {}).items()}
        return cls(**kept, failure=lost, printed=data.get("printed", ""), costs=costs)


@dataclass(frozen=True)
class Grade:
    """The marks of one submission.

    Attributes
    ----------
    exercise : str
        The exercise's name.
    title : str
        Its title.
    file : str
        The submission.
    outcomes : tuple of Outcome
        The cases in their order. Hidden ones are skipped where there is no secret.
    """

    exercise: str
    title: str
    file: str
    outcomes: tuple[Outcome, ...] = field(repr=False)

    @property
    def got(self) -> float:
        """The points reached."""
        return sum(outcome.got for outcome in self.outcomes)

    @property
    def points(self) -> float:
        """The points that could be reached: those of skipped cases do not count."""
        return sum(outcome.points for outcome in self.outcomes if not outcome.skipped)

    @property
    def full(self) -> bool:
        """Whether no point is lost."""
        return all(outcome.failure is None for outcome in self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        kept = {name: getattr(self, name) for name in ("exercise", "title", "file")}
        marks = {"got": self.got, "points": self.points}
        return kept | marks | {"outcomes": [outcome.as_dict() for outcome in self.outcomes]}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Grade:
        """Return the grade that `as_dict` wrote."""
        outcomes = tuple(map(Outcome.of, data["outcomes"]))
        return cls(data["exercise"], data["title"], data["file"], outcomes)


#: What is said of a lost hidden case, by the reason; of the safe ones, what is said of any case.
WORDS = {
    "result": "a result is wrong",
    "schedule": "right in the first order of warps, but not in some other one",
    "fault": "the kernel does what is undefined, such as to read beyond an array's end",
    "sanitizer": "a sanitizer finds a race, or a read of what nothing has written",
    "limit": "the result is right, but a counter is above its limit",
    "answer": "there is no answer, or a wrong one",
    "driver": "the driver raises an error, or asks for what it must not",
    "crash": "the process ended before its time",
}
SAFE, LOST = ("time", "memory", "missing"), "the case is lost"


def redacted(outcome: Outcome) -> Outcome:
    """Return the outcome without what would give a hidden case's data away.

    What cannot even be compiled is wrong for every case, and its author may read why; what cannot
    be launched depends on how many threads and bytes the case has.
    """
    failure = outcome.failure
    if not outcome.hidden:
        return outcome
    kept = None if failure is None else _redacted(failure)
    return Outcome(outcome.case, outcome.points, True, kept, outcome.skipped)


def _redacted(failure: Failure) -> Failure:
    if failure.reason == "read" and not failure.general:
        return Failure("read", failure.message, detail=failure.detail)
    own = failure.message if failure.reason in SAFE else WORDS.get(failure.reason, LOST)
    return Failure(failure.reason, failure.general or own, detail=failure.location)
