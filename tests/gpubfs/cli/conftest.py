"""What tests of several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpubfs.cli.main import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process: exit code, standard output, standard error."""

    def called(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)])
        return int(caught.value.code or 0), *capsys.readouterr()

    return called
