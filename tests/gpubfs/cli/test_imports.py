"""What is slow to import waits until it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Packages that take longer to import than a small search.
SLOW = {"scipy", "matplotlib", "networkx", "textual", "cupy", "IPython"}
SCRIPT = """
import sys
from gpubfs.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


@pytest.mark.parametrize("words", ["--help", "run scan-free --graph toy", "list"])
def test_a_small_command_imports_nothing_slow(words: str) -> None:
    command = [sys.executable, "-c", SCRIPT, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout
    assert not SLOW & set(done.stderr.splitlines()[-1].split())
