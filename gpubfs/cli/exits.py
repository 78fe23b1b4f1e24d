"""What an error comes to at the end of a command: an exit code, and what is printed of it."""

from __future__ import annotations

import click

from gpubfs.errors import UsageError

#: What the user can mend, a wrong result, and Ctrl-C.
USAGE, WRONG, STOPPED = 2, 1, 130


def exit_code(error: Exception) -> int | None:
    """Return the exit code for an error; None if it is a defect of this program."""
    if isinstance(error, click.ClickException):
        return error.exit_code
    from gpubfs.graphs import GraphError
    from gpubfs.search.verify import VerificationError
    from simulator.source import SimulatorError

    if isinstance(error, VerificationError):
        return WRONG
    mendable = (UsageError, GraphError, SimulatorError, MemoryError, OSError)
    return USAGE if isinstance(error, mendable) else None


def message(error: Exception) -> str:
    """Return what to print of such an error."""
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, MemoryError):
        detail = f": {error}" if str(error) else ""
        return str(UsageError(f"there is not enough memory{detail}", "take a smaller graph"))
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else "reading or writing failed: "
        return str(UsageError(f"{where}{error.strerror or error}"))
    text = str(error)
    return text if exit_code(error) == USAGE else f"error: the result is wrong: {text}"


def _usage(error: click.ClickException) -> str:
    """Put an error of click's into our form, or the help where no argument was given."""
    text = error.format_message().strip()
    context = getattr(error, "ctx", None)
    if context is not None and text == context.get_help().strip():
        return text
    hint = f"see {context.command_path} --help" if context is not None else ""
    return str(UsageError(text[:1].lower() + text[1:].removesuffix("."), hint))
