"""A leaderboard: a class's right submissions by what their searches cost, in counters alone.

Nothing is timed, so that a faster machine changes nothing. Who is wrong in any case, under any
order of warps, has no place.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.submissions import Marked
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.outcome import LOST, WORDS, Failure, Grade
from gpubfs.grading.writing import shown
from gpubfs.render.sheets import Column, Sheet

#: What the technique itself has; its places after the point, in which scores are compared.
PAR, DIGITS = 100.0, 2
#: Hexadecimal digits of a name's stead.
CODE = 6
#: How a score is made, in words.
FORMULA = (
    "The score is 100 times the geometric mean, over the graphs of all cases, of what a search "
    "costs: the weighted mean, over the counters of the score, of the submission's count divided "
    "by that of the technique's own kernel on the same graph, in the case's first order of warps. "
    "So the technique itself has 100, and less is better. Where it counts nothing, 1 is added to "
    "both counts. Equal scores, to two places after the point, share their place."
)


@dataclass(frozen=True)
class Entry:
    """One student's row.

    Attributes
    ----------
    student : str
        The name.
    code : str
        What stands in its place where names are left out.
    score : float or None
        None where the submission is wrong, or there is none.
    place : int or None
        From 1; equal scores share it.
    cases : mapping of str to float
        What each case costs, as a share of what it costs the technique itself.
    lost : tuple of str and Failure, or None
        The first case that is wrong, and why.
    """

    student: str
    code: str
    score: float | None = None
    place: int | None = None
    cases: Mapping[str, float] = field(default_factory=dict)
    lost: tuple[str, Failure] | None = None

    def why(self, anonymous: bool = False) -> str:
        """Return why there is no score; where names are left out, nothing of the submission."""
        if self.lost is None:
            return ""
        case, failure = self.lost
        if failure.reason == "missing":
            return failure.message
        words = WORDS.get(failure.reason, LOST) if anonymous else failure.message
        return f"{case}: {words}"

    def as_dict(self, anonymous: bool = False) -> dict[str, Any]:
        """Return the row, ready for JSON."""
        named = {} if anonymous else {"student": self.student}
        known = {"code": self.code, "place": self.place, "score": self.score}
        return named | known | {"cases": dict(self.cases), "why": self.why(anonymous)}


def check_score(exercise: Exercise) -> None:
    """Raise UsageError for an exercise that has no score."""
    if not exercise.score:
        raise UsageError(
            f"{exercise.name} has no score, so that nothing can be ranked",
            "write counters and weights under [score] in its exercise.toml",
        )


def relative_cost(costs: Mapping[str, tuple[float, float]], weights: Mapping[str, float]) -> float:
    """Return the weighted mean of counters divided by those of the technique itself.

    Parameters
    ----------
    costs : mapping
        Of each counter what was counted, and what the technique counts.
    weights : mapping
        Of each counter its weight.

    Examples
    --------
    >>> relative_cost({"launches": (1, 4), "barriers": (6, 0)}, {"launches": 3, "barriers": 1})
    1.9375
    """
    parts = (weights[name] * _ratio(*costs[name]) for name in weights)
    return sum(parts) / sum(weights.values())


def _ratio(own: float, other: float) -> float:
    return own / other if other else own + 1.0


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean; 0 if one of the numbers is.

    >>> geometric_mean([0.5, 2]), geometric_mean([0, 2])
    (1.0, 0.0)
    """
    kept = list(values)
    if min(kept) <= 0:
        return 0.0
    return math.exp(math.fsum(map(math.log, kept)) / len(kept))


def ranked(marked: Iterable[Marked], exercise: Exercise, secret: str) -> list[Entry]:
    """Return the rows of a class by place, and behind them those without one, by name.

    Parameters
    ----------
    marked : iterable of Marked
        Grades that tell costs.
    exercise : Exercise
        What was handed in for; its score has the weights.
    secret : str
        On which codes depend, so that nobody can make them of names.
    """
    rows = [_entry(one, exercise, secret) for one in marked]
    right = sorted((e for e in rows if e.score is not None), key=_by_score)
    places: dict[float | None, int] = {}
    for number, one in enumerate(right, 1):
        places.setdefault(one.score, number)
    placed = [Entry(e.student, e.code, e.score, places[e.score], e.cases) for e in right]
    return placed + sorted((e for e in rows if e.score is None), key=lambda e: e.student)


def _by_score(entry: Entry) -> tuple[float, str]:
    assert entry.score is not None
    return entry.score, entry.student


def _entry(one: Marked, exercise: Exercise, secret: str) -> Entry:
    code = code_of(one.student, secret)
    lost = first_lost(one.grade)
    if lost is not None:
        return Entry(one.student, code, lost=lost)
    graded = [outcome for outcome in one.grade.outcomes if not outcome.skipped]
    cases = {outcome.case: relative_cost(outcome.costs, exercise.score) for outcome in graded}
    if not cases:
        raise UsageError("all cases are hidden, and there is no secret", "set GPUBFS_SECRET")
    score = round(PAR * geometric_mean(cases.values()), DIGITS)
    return Entry(one.student, code, score, cases=cases)


def first_lost(grade: Grade) -> tuple[str, Failure] | None:
    """Return the first case that a submission loses, and why."""
    lost = ((o.case, o.failure) for o in grade.outcomes if o.failure is not None)
    return next(lost, None)


def code_of(student: str, secret: str) -> str:
    """Return what stands for a name; only who knows the secret can make it of one.

    >>> code_of("ada", "x") == code_of("ada", "x"), code_of("ada", "x") == code_of("ada", "y")
    (True, False)
    """
    text = f"leaderboard\0{secret}\0{student}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=CODE // 2).hexdigest()


def board(
    entries: Sequence[Entry], exercise: Exercise, anonymous: bool, notes: Sequence[str] = ()
) -> tuple[Sheet, ...]:
    """Return the leaderboard as tables: who has a place, and who has none and why.

    Parameters
    ----------
    entries : sequence of Entry
        The rows.
    exercise : Exercise
        What was handed in for.
    anonymous : bool
        Whether codes stand in the place of names.
    notes : sequence of str
        What stands below besides the formula.
    """
    technique = str(exercise.search["technique"])
    weights = ", ".join(f"{name} {weight:g}" for name, weight in exercise.score.items())
    right = [
        (f"{e.place}", name_of(e, anonymous), f"{e.score:.{DIGITS}f}")
        if e is not None
        else ("", f"({technique} itself)", f"{PAR:.{DIGITS}f}")
        for e in in_order(entries)
    ]
    columns = Column("place", figures=True), Column("who", text=True), Column("score", figures=True)
    below = (FORMULA, f"Weights: {weights}.", *notes)
    made = [Sheet(f"{exercise.name}: leaderboard", columns, tuple(right), below)]
    wrong = [(name_of(e, anonymous), e.why(anonymous)) for e in entries if e.place is None]
    if wrong:
        heads = Column("who", text=True), Column("why", text=True)
        made.append(Sheet("without a place", heads, tuple(wrong)))
    return tuple(made)


def in_order(entries: Iterable[Entry]) -> list[Entry | None]:
    """Return the entries that have a place, and None where the technique itself would stand.

    >>> one, two = Entry("ada", "a", 50, 1), Entry("bob", "b", 700, 2)
    >>> [entry and entry.student for entry in in_order([one, two, Entry("cyd", "c")])]
    ['ada', None, 'bob']
    """
    placed = [(entry.score, entry) for entry in entries if entry.score is not None]
    before = [entry for score, entry in placed if score <= PAR]
    behind = [entry for score, entry in placed if score > PAR]
    return [*before, None, *behind]


def name_of(entry: Entry, anonymous: bool) -> str:
    """Return what stands for a student on the leaderboard."""
    return entry.code if anonymous else shown(entry.student)


def board_dict(
    entries: Sequence[Entry], exercise: Exercise, anonymous: bool, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the leaderboard, ready for JSON."""
    return {
        "exercise": exercise.name,
        "technique": exercise.search["technique"],
        "weights": dict(exercise.score),
        "formula": FORMULA,
        "notes": list(notes),
        "entries": [entry.as_dict(anonymous) for entry in entries],
    }
