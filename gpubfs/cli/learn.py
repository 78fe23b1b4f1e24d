"""`gpubfs learn`: where one stands in a course, and an exercise that is graded at every save."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import json_option, print_json, show
from gpubfs.cli.streams import tell

if TYPE_CHECKING:
    from gpubfs.grading.learning.desk import Desk


@click.command()
@click.argument("wanted", required=False, metavar="[LESSON|FOLDER]")
@click.option("--once", is_flag=True, help="Grade the next exercise once, and exit.")
@json_option
def learn(wanted: str | None, once: bool, as_json: bool) -> None:
    """Work through a course: see what is next, edit it, and read what is wrong at every save.

    FOLDER is that of a course, as gpubfs release makes it, of a lesson or of an exercise; in a
    course its lessons and exercises may be called by their names. By default it is the course that
    is here.

    It says how far you are and which exercise is next, and watches the file that is to be edited:
    whenever you save it, it is graded, as by gpubfs grade. Keys show a hint, step through what goes
    wrong, and go to the next exercise. Elsewhere than on a terminal it says what is next, and ends.

    The best marks, with the SHA-256 of the file that got them, and the minutes that an exercise
    took are kept in .gpubfs-progress.json beside the exercises; remove it to begin anew.

    \b
    Example: gpubfs learn
    Example: gpubfs learn course/release
    Example: gpubfs learn 02-memory
    Example: gpubfs learn reverse
    Example: gpubfs learn --once
    Example: gpubfs learn --json
    """
    from gpubfs.cli.keys import can_read
    from gpubfs.grading.learning.course import find
    from gpubfs.grading.learning.desk import Desk
    from gpubfs.grading.learning.progress import Progress
    from gpubfs.grading.learning.standing import DONE, as_dict, first_of

    course = find(wanted or "")
    progress = Progress(lambda words: tell(f"warning: {words}"))
    desk = Desk(course, progress, first_of(course, progress))
    done = not course.first and desk.standing.state == DONE
    full = not once or done or _graded_once(desk, as_json)
    if as_json:
        print_json(as_dict(course, desk.standings))
    elif not once and can_read():
        from gpubfs.cli.tutor import Tutor

        Tutor(desk).run()
    elif not once or done:
        _tell_standing(desk)
    if not full:
        raise SystemExit(1)


def _graded_once(desk: Desk, quiet: bool) -> bool:
    """Grade an exercise; return whether it has all its points."""
    from gpubfs.cli.grade import graded
    from gpubfs.cli.submitted import submission, trace_commands
    from gpubfs.grading.feedback import Feedback

    exercise, file = submission(desk.exercise)
    made = desk.graded(lambda: graded(exercise, file))
    if not quiet:
        show(Feedback(made, trace_commands(exercise, file, made), printed=False), crop=False)
    return made.full


def _tell_standing(desk: Desk) -> None:
    """Print how far somebody is, and what is next."""
    from gpubfs.cli.submitted import from_here
    from gpubfs.grading.learning.standing import DONE
    from gpubfs.grading.learning.view import Overview, Task

    show(Overview(desk.standings))
    click.echo()
    if desk.standing.state == DONE:
        click.echo("All exercises are done.")
        return
    file = from_here(desk.exercise.starter)
    show(Task(desk.exercise, file, "next: "), crop=False)
    click.echo(f"gpubfs grade {from_here(desk.exercise.folder)}")
