"""Where a command searches, and how: options that commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import progress

if TYPE_CHECKING:
    from gpubfs.search.result import Run
    from gpubfs.search.technique import Technique

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _option(*flags: str, **words: Any) -> Any:
    """Return a field that is set by an option of the command line."""
    return field(default=words.get("default"), metadata={"flags": flags, "words": words})


@dataclass(frozen=True)
class Settings:
    """The graph, the source, the machine and options of techniques, as far as a command asks."""

    spec: str = _option(
        "--graph",
        metavar="SPEC",
        required=True,
        help="The graph, such as kron:10, grid:64x64, toy or file:PATH; see `gpubfs graph --help`.",
    )
    source: int | None = _option(
        "--source",
        type=int,
        metavar="VERTEX",
        help="Where to begin; by default the vertex of highest degree.",
    )
    machine: str = _option("--machine", default="sim", show_default=True, help="sim or gpu.")
    device: str | None = _option(
        "--device",
        metavar="PROFILE",
        help="The GPU that sim pretends to be: h200 (the default), toy2, toy4, v100 and others.",
    )
    schedule: str | None = _option(
        "--schedule",
        metavar="NAME",
        help="In which order sim runs warps: lockstep (the default), warp, shuffled:SEED, "
        "round-robin:SEED or random:SEED.",
    )
    pairs: tuple[str, ...] = _option(
        "--option",
        metavar="NAME=VALUE",
        default=(),
        multiple=True,
        help="An option of the technique, such as block=128; may be repeated.",
    )
    counters: bool | None = _option(
        "--counters/--no-counters",
        default=None,
        help="Count: on sim by default; on gpu a build runs that counts, and takes its time.",
    )

    def among(self, *names: str) -> dict[str, Any]:
        """Return some of these as keyword arguments."""
        return {name: getattr(self, name) for name in names}

    def named(self, *names: str) -> dict[str, object]:
        """Return some of these by their flags."""
        flags = {one.name: one.metadata["flags"][0] for one in fields(self)}
        return {flags[name]: getattr(self, name) for name in names}

    def parse(self, technique: str) -> tuple[str, dict[str, Any]]:
        """Return a technique's name, and the options given with it and by ``--option``."""
        from gpubfs.search.catalogue import parse_call

        return parse_call(technique, self.pairs)

    def run(self, technique: str, found: Technique | None = None, **more: Any) -> Run:
        """Run a technique, which may have been found before, and show how far it is."""
        from gpubfs.search import runs

        name, options = self.parse(technique)
        own = self.among("source", "machine", "device", "schedule", "counters") | more
        with progress(f"{technique} on {self.spec}") as at_level:
            return runs.run(found or name, self.spec, progress=at_level, **own, **options)


sanitize_option = click.option(
    "--sanitize",
    default="",
    metavar="NAMES",
    help="Watch for bugs on sim: all, or race, init, sync with commas between them.",
)

observe_option = click.option(
    "--observe",
    metavar="NAME",
    multiple=True,
    help="Let an observer of a plugin watch the run on sim; may be repeated.",
)


def option(name: str, **changes: Any) -> Decorator:
    """Add the option of one of the `Settings` to a command, as a parameter of its own."""
    (known,) = (one.metadata for one in fields(Settings) if one.name == name)
    return click.option(*known["flags"], name, **known["words"] | changes)


def settings(*names: str, optional: bool = False) -> Decorator:
    """Add the options of some `Settings` to a command, which gets them as its first argument.

    With `optional` none is required: the command itself looks for those that it needs.
    """
    changes = {"required": False} if optional else {}

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(given: Settings = Settings(), /, **others: Any) -> Any:
            own = {name: others.pop(name) for name in names}
            return command(replace(given, **own), **others)

        made: Callable[..., Any] = called
        for name in reversed(names):
            made = option(name, **changes)(made)
        return made

    return decorated
