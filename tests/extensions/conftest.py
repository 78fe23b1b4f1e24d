"""The command line with plugins."""

from __future__ import annotations

import pytest

from gpubfs.cli.main import main


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """The command line in this process: exit code, standard output, standard error.

    Tables are wide enough for the paths of plugins, wherever this repository is.
    """
    monkeypatch.setenv("COLUMNS", "240")

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        return int(ended.value.code or 0), *capsys.readouterr()

    return call
