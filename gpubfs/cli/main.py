"""The entry point: the group of commands, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

import gpubfs
from gpubfs.cli import bench, check, compare, graph, lines, listing, profile, run

COMMANDS = (
    listing.list_,
    graph.graph,
    run.run,
    lines.lines,
    compare.compare,
    profile.profile,
    check.check,
    bench.bench,
)

#: Exit codes: what the user can mend, a wrong result, and Ctrl-C.
USAGE, WRONG, STOPPED = 2, 1, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(gpubfs.__version__, prog_name="gpubfs")
def group() -> None:
    """Breadth-first search on graphics processors: run, count and compare its techniques.

    \b
    Example: gpubfs compare status-array scan-free --graph kron:10
    """


for command in COMMANDS:
    group.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 if it worked, 1 for a wrong result, 2 for a mistake to mend."""
    try:
        sys.exit(group.main(arguments, prog_name="gpubfs", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        sys.exit(STOPPED)
    except BrokenPipeError:
        # The reader of the pipe has gone. Nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        code = exit_code(error)
        if code is None:
            raise
        click.echo(message(error), err=True)
        sys.exit(code)


def exit_code(error: Exception) -> int | None:
    """The exit code for an error that is not a defect of this program; None if it is one."""
    from gpubfs.graphs import GraphError
    from gpubfs.verify import VerificationError
    from simulator.source import SimulatorError

    if isinstance(error, VerificationError):
        return WRONG
    mendable = (gpubfs.UsageError, GraphError, SimulatorError, MemoryError)
    return USAGE if isinstance(error, mendable) else None


def message(error: Exception) -> str:
    """What to print of such an error."""
    if isinstance(error, MemoryError):
        return f"error: there is not enough memory: {error}\n  take a smaller graph"
    text = str(error)
    return text if exit_code(error) == USAGE else f"error: the result is wrong: {text}"
