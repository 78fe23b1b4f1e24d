"""Where results of earlier runs are kept on disk; whoever reads them can do without.

`GPUBFS_CACHE` names another folder, or is "off".
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

#: The variable of the environment, and what turns the cache off.
VARIABLE, OFF = "GPUBFS_CACHE", ("off", "0", "no", "none")


def folder() -> Path | None:
    """Return the folder, which is made where it is missing; None where there can be none."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted.lower() in OFF:
        return None
    with suppress(OSError, RuntimeError):  # a system without a home, or a folder
        path = Path(wanted) if wanted else _usual()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path
    return None


def _usual() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("gpubfs", appauthor=False)
