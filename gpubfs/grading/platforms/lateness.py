"""Points lost by handing in late."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from gpubfs.errors import UsageError

#: How long the units last that rules are written with.
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_NAMES = {"minute": "m", "min": "m", "hour": "h", "day": "d", "week": "w"}
_UNIT = r"(?P<unit>minute|min|hour|day|week|m|h|d|w)s?"
_RULE = re.compile(rf"(?P<percent>\d{{1,3}}(?:\.\d{{1,3}})?)\s*%\s*/\s*{_UNIT}")
_SPAN = re.compile(rf"(?P<count>\d{{1,5}})\s*{_UNIT}")
#: Times as people and platforms write them, besides ISO 8601.
_FORMS = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%d %B %Y, %I:%M %p",
    "%d %B %Y, %H:%M",
    "%b %d, %Y %I:%M %p",
    "%d.%m.%Y %H:%M",
)


@dataclass(frozen=True)
class LateRule:
    """What is lost by handing in late.

    Attributes
    ----------
    due : datetime
        Until when nothing is.
    share : float
        Of an exercise's points, lost for each unit that has begun since then.
    unit : timedelta
        The unit.
    grace : timedelta
        How much later nothing is lost, either.
    """

    due: datetime
    share: float
    unit: timedelta
    grace: timedelta = timedelta(0)

    def units(self, at: datetime) -> int:
        """Return how many units late a time is.

        >>> rule = LateRule(time_of("2026-11-02 12:00"), 0.1, timedelta(days=1))
        >>> rule.units(time_of("2026-11-02 12:00")), rule.units(time_of("2026-11-02 12:01"))
        (0, 1)
        """
        if at <= self.due + self.grace:
            return 0
        return math.ceil((at - self.due) / self.unit)

    def mark(self, got: float, points: float, at: datetime) -> float:
        """Return what is left of a mark, which is not less than 0."""
        return max(0.0, got - self.share * self.units(at) * points)


def late_rule(due: str, late: str, grace: str = "") -> LateRule:
    """Return the rule that is written so.

    Parameters
    ----------
    due : str
        A time, such as ``2026-11-02 12:00``; without a zone it is this machine's.
    late : str
        Such as ``10%/day`` or ``1%/hour``.
    grace : str
        Such as ``15m``, ``2h`` or ``1d``.

    Raises
    ------
    UsageError
        For a rule that cannot be read.
    """
    found = _RULE.fullmatch(late.strip())
    if found is None or float(found["percent"]) > 100:
        raise UsageError(f"--late {late} is no rule", "write such as 10%/day or 1%/hour")
    span = timedelta(0)
    if grace:
        part = _SPAN.fullmatch(grace.strip())
        if part is None:
            raise UsageError(f"--grace {grace} is no time", "write such as 15m, 2h or 1d")
        span = int(part["count"]) * _unit(part["unit"])
    return LateRule(time_of(due), float(found["percent"]) / 100, _unit(found["unit"]), span)


def _unit(name: str) -> timedelta:
    return _UNITS[_NAMES.get(name, name)]


def time_of(text: str) -> datetime:
    """Read a time; one without a zone is this machine's.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = _time(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no time", "write such as 2026-11-02 12:00")
    return found.astimezone()


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.removesuffix(" UTC") + "Z" * text.endswith(" UTC"))
    except ValueError:
        pass
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None
