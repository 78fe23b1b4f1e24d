"""A terminal on which somebody learns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.gpubfs.show.traces.terminal import ROOT, Terminal

CHILD = Path(__file__).with_name("child.py")


class Learning(Terminal):
    """A context in which `gpubfs learn` runs in a folder; `real` is graded as it is."""

    def __init__(self, folder: Path, *arguments: str, real: bool = False, **size_and_more: Any):
        self.folder, self.arguments, self.grading = folder, arguments, "real" if real else "quick"
        super().__init__("", **size_and_more)

    def _start(self, case: str, variables: dict[str, str]) -> subprocess.Popen[bytes]:
        left_out = ("COLUMNS", "LINES", "FORCE_COLOR", "COLORTERM", "EDITOR", "VISUAL")
        given = {name: value for name, value in os.environ.items() if name not in left_out}
        fixed = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        return subprocess.Popen(
            [sys.executable, str(CHILD), self.grading, *self.arguments],
            cwd=self.folder,
            stdin=self.tty,
            stdout=self.tty,
            stderr=self.tty,
            env={**given, **fixed, **variables},
            start_new_session=True,
            preexec_fn=self._controls,
        )

    def _controls(self) -> None:
        """Make it the terminal of the child, whose keys send signals."""
        import fcntl
        import termios

        fcntl.ioctl(self.tty, termios.TIOCSCTTY, 0)
