"""What an experiment's own functions do and give: checked, with one error that names its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from gpubfs.arguments import defined_at, is_kind, running, several, shown, texts
from gpubfs.errors import UsageError, unknown

Part = TypeVar("Part")

#: More things than this come of a loop that does not end.
MOST = 10_000


@dataclass(frozen=True)
class Checked:
    """The code of an experiment, by the experiment's name and the function that measures."""

    name: str
    code: Callable[..., object]

    def running(self) -> AbstractContextManager[None]:
        """Return the context in which it runs."""
        return running(f"the experiment {self.name}", self.code)

    def several(self, part: str, make: Callable[[], Any], kind: type[Part]) -> tuple[Part, ...]:
        """Return what one of its functions gives, if that is several things of a kind.

        Parameters
        ----------
        part : str
            What these are, in the plural.
        make : callable
            The function.
        kind : type
            Of which they must be.

        Raises
        ------
        UsageError
            If it fails, or gives something else, or more than `MOST`.
        """
        hint = f"give a tuple of {kind.__name__}, or yield them"
        what = f"{defined_at(self.code)}: the experiment {self.name}: {part}"
        with self.running():
            members = several(make(), what, hint, most=MOST + 1)
        if len(members) > MOST:
            hint = "end its loop, or give fewer"
            raise self.wrong(f"gives more than {MOST:,} {part}", hint)
        for one in members:
            if not is_kind(one, kind):
                raise self.wrong(f"gives {shown(one)} as one of its {part}", hint)
        return members

    def fields(self, of: Any, kinds: Mapping[str, tuple[Callable[[Any], bool], str]]) -> None:
        """Refuse something whose fields are not of their kinds, each beside its remedy."""
        for name, (fits, hint) in kinds.items():
            value = getattr(of, name)
            if not fits(value):
                what = f"has a {type(of).__name__} with {name}={shown(value)}"
                raise self.wrong(what, hint)

    def wrong(self, what: str, hint: str) -> UsageError:
        """Return the error that it does or gives what it must not."""
        return UsageError(f"{defined_at(self.code)}: the experiment {self.name} {what}", hint)


def specifications(given: Any, machines: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the graphs' specifications for each machine, where one may stand alone."""
    hint = "give specifications for each machine, such as {'sim': ('kron:8',)}"
    if not is_kind(given, Mapping):
        raise UsageError(f"graphs={shown(given)} is no mapping", hint)
    for machine in given:
        if machine not in machines:
            raise unknown("machine", machine, machines)
    return {one: texts(specs, f"graphs[{one!r}]", hint) for one, specs in given.items()}
