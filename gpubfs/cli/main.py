"""The entry point: the group of commands, and what becomes of errors."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

import click

import gpubfs
from gpubfs.cli.commands import Commands
from gpubfs.cli.exits import STOPPED, USAGE, exit_code, message
from gpubfs.cli.help import Context
from gpubfs.cli.streams import ReaderGone, broken_modules_told, drop, finish, open_streams, tell

#: The most and the fewest columns of help texts.
WIDEST, NARROWEST = 100, 24


class Group(click.Group):
    """A group whose help wraps the commands' summaries, and whose Ctrl-C prints nothing."""

    context_class = Context
    commands: Commands

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None  # click would print an empty line
        except BrokenPipeError:
            raise ReaderGone from None  # click would exit with 1

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their whole summaries."""
        known = self.commands
        with formatter.section("Commands"):
            formatter.write_dl([(name, known.summary(name, WIDEST)) for name in sorted(known)])


@click.group(
    cls=Group, commands=Commands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(gpubfs.__version__, prog_name="gpubfs")
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    help="A Python file, or a module, that adds graph formats, experiments and other things; may "
    "be repeated.",
)
def group(plugins: tuple[str, ...]) -> None:
    """Breadth-first search on graphics processors: run, count and compare its techniques.

    The variable GPUBFS_PLUGINS names plugins, too, with the separator of PATH between them.

    \b
    Example: gpubfs compare status-array scan-free --graph kron:10
    """
    from gpubfs.search.plugins import load_plugins

    with redirect_stdout(sys.stderr):  # what they print is no part of tables and JSON
        load_plugins(*plugins)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 if it worked, 1 for a wrong result, 2 for a mistake to mend."""
    open_streams()
    try:
        with broken_modules_told():
            code = _invoke(arguments)
    except (KeyboardInterrupt, click.Abort):
        # On a terminal, over the ^C that it shows.
        tell("\rstopped" if sys.stderr.isatty() else "stopped")
        code = STOPPED
        _forget_interrupt()
    except (ReaderGone, BrokenPipeError):
        drop(sys.stdout)
        code = 0
    except Exception as error:
        from gpubfs.search.plugins import fault

        known = exit_code(error)
        in_plugin = fault(error) if known is None else None
        if known is None and in_plugin is None:
            raise
        tell(message(in_plugin or error))
        if isinstance(error, OSError):
            drop(sys.stdout)
        code = USAGE if known is None else known
    finish()
    sys.exit(code)


def _forget_interrupt() -> None:
    """Leave the exit code to us.

    CPython keeps in mind that an interrupt ended an `exec` of a text, as of dataclasses when they
    are imported, and ends the process by the signal; the next `exec` of a text makes it forget.
    """
    exec("")


def _invoke(arguments: Sequence[str] | None) -> int:
    width = max(min(shutil.get_terminal_size().columns, WIDEST) - 2, NARROWEST)
    code = group.main(arguments, prog_name="gpubfs", standalone_mode=False, terminal_width=width)
    sys.stdout.flush()
    return code or 0
