"""The command line with plugins, and a process that forgets them after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpubfs.cli.main import main
from gpubfs.experiments.catalogue import experiments
from gpubfs.graphs import FAMILIES, FORMATS
from gpubfs.search import plugins
from gpubfs.search.catalogue import techniques
from gpubfs.search.observing import OBSERVERS


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without plugins before a test and after it."""
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setattr(plugins, "PLUGINS", loaded := {**plugins.PLUGINS})
    monkeypatch.setattr("gpubfs.search.discovery.PLUGINS", loaded)
    monkeypatch.setattr("gpubfs.cli.listing.PLUGINS", loaded)
    registers = FORMATS, FAMILIES, OBSERVERS
    before = [dict(register) for register in registers]
    yield
    for register, held in zip(registers, before, strict=True):
        register.clear()
        register.update(held)
    techniques.cache_clear()
    experiments.cache_clear()


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
