"""The zip that Gradescope makes an autograder of: the package, a lesson's exercises, two scripts.

No solution is in it. The scripts take Gradescope's folder ``/autograder``, unless the variable
GPUBFS_AUTOGRADER names another one.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.packing import files_of, plugin_files
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import exercises
from gpubfs.grading.platforms.wheel import add, wheel

#: Where exercises, plugins and the secret stand in it.
LESSONS, PLUGINS, SECRET_FILE = "lessons", "plugins", "secret"

SETUP = """\
#!/usr/bin/env bash
# Installs the grading package while Gradescope builds the image.
set -e
root="${GPUBFS_AUTOGRADER:-/autograder}"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "Python 3.11 or newer is needed: choose a newer image, such as Ubuntu 24.04" >&2
  exit 1
fi
# On Ubuntu and Debian venv is a package of its own.
python3 -m venv "$root/venv" || {
  apt-get update && apt-get install -y python3-venv && python3 -m venv "$root/venv"
}
"$root/venv/bin/python" -m pip install "$root"/source/gpubfs-*.whl
"""

RUN = """\
#!/usr/bin/env bash
# Grades what lies in submission/, and writes results/results.json.
set -e
root="${GPUBFS_AUTOGRADER:-/autograder}"
exec "$root/venv/bin/python" -P -m gpubfs.grading.platforms.autograder "$root"
"""


def write_autograder(path: Path, to: Path, secret: str) -> list[Exercise]:
    """Write the zip for all exercises at or below a path.

    Parameters
    ----------
    path : Path
        A lesson's folder, or an exercise's.
    to : Path
        The zip; one that is there is replaced, and no other user may read it.
    secret : str
        On which hidden cases depend; without one they are left out.

    Returns
    -------
    list of Exercise
        Those that are in it.

    Raises
    ------
    UsageError
        If there are none, or two of one name, or gpubfs is not installed.
    """
    found = exercises(path)
    if not found:
        raise UsageError(f"there is no exercise in {path}", "name a lesson's folder")
    _check_names(found)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        add(archive, "setup.sh", SETUP.encode(), 0o755)
        add(archive, "run_autograder", RUN.encode(), 0o755)
        add(archive, *wheel())
        if secret:
            add(archive, SECRET_FILE, secret.encode(), 0o600)
        for exercise in found:
            _add_exercise(archive, exercise)
        _add_plugins(archive)
    _write_private(to, data.getvalue())
    return found


def _check_names(found: Iterable[Exercise]) -> None:
    seen: dict[str, Exercise] = {}
    for exercise in found:
        slug = f"{exercise.folder.name}{exercise.suffix}"
        other = seen.setdefault(slug, exercise)
        if other is not exercise:
            both = f"{other.name} and {exercise.name}"
            raise UsageError(f"two exercises are handed in as {slug}: {both}", "name one lesson")


def _add_exercise(archive: zipfile.ZipFile, exercise: Exercise) -> None:
    lesson, slug = exercise.name.split("/")
    for name, content in files_of(exercise).items():
        if Path(name).stem != exercise.solution.stem:
            add(archive, f"{LESSONS}/{lesson}/exercises/{slug}/{name}", content)


def _add_plugins(archive: zipfile.ZipFile) -> None:
    """Put in the files of plugins; those that are modules are of packages, and not ours to copy."""
    for number, (name, content) in enumerate(plugin_files().items()):
        if not name.endswith(".py"):
            raise UsageError(f"the plugin {name} is a module", "give its file: --plugin FILE.py")
        add(archive, f"{PLUGINS}/{number}/{Path(name).name}", content)


def _write_private(to: Path, data: bytes) -> None:
    """Write a file whole or not at all, which only its owner may read."""
    new = to.with_name(f".gpubfs-{os.getpid()}")
    try:
        with open(new, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            stream.write(data)
        new.replace(to)
    finally:
        new.unlink(missing_ok=True)
