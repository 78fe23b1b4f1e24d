"""Help texts whose lines break between words, and never inside of a name such as er-fact1.5."""

from __future__ import annotations

from collections.abc import Iterable

import click

#: What stands for a hyphen while lines are broken, which are not broken at it.
KEPT = "\N{NON-BREAKING HYPHEN}"


class Formatter(click.HelpFormatter):
    """Breaks lines at blanks alone: what follows a hyphen on a terminal can be copied with it."""

    def write(self, string: str) -> None:
        """Write a part that has its line breaks."""
        super().write(string.replace(KEPT, "-"))

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text(_kept(text))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write names with what they mean."""
        super().write_dl([(_kept(name), _kept(text)) for name, text in rows], col_max, col_spacing)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called."""
        super().write_usage(_kept(prog), _kept(args), prefix)


def _kept(text: str) -> str:
    return text.replace("-", KEPT)


class Context(click.Context):
    """The context of a command, with this help."""

    formatter_class = Formatter
