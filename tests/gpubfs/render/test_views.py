"""Views: data know nothing of what shows them, and find it when they are shown."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gpubfs
from gpubfs.render import views
from gpubfs.render.views import Viewed, provide, show_as, view
from tests.sampling import sampled


class Plain:
    """Of no view but its own."""


class Derived(Plain):
    """Shown as what it is derived from."""


def test_a_view_is_chosen_by_type_and_name() -> None:
    view(Plain, "size")(lambda data, factor: 2 * factor)
    assert show_as(Plain(), "size", 3) == 6
    assert show_as(Derived(), "size", 3) == 6
    view(Derived, "size")(lambda data, factor: factor)
    assert (show_as(Plain(), "size", 3), show_as(Derived(), "size", 3)) == (6, 3)


def test_what_nothing_shows_is_named() -> None:
    with pytest.raises(LookupError, match="no view 'weight' of Plain is registered"):
        show_as(Plain(), "weight")


def test_modules_are_imported_in_order_until_one_has_the_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (f"gpubfs_views_{number}" for number in ("one", "two", "three"))
    shows = "from gpubfs.render.views import view\nview(str, 'length_for_tests')(len)\n"
    for name, text in ((first, ""), (second, shows), (third, "1 / 0\n")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(views, "_MODULES", [])
    provide(first, second)
    provide(second, third)
    assert [first, second, third] == views._MODULES
    assert show_as("four", "length_for_tests") == 4
    assert (first in sys.modules, third in sys.modules) == (True, False)


def done(code: str) -> str:
    """What a process of its own prints."""
    asked = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_a_search_imports_nothing_that_shows_it() -> None:
    code = """
        import sys, gpubfs
        gpubfs.run("scan-free", "toy")
        gpubfs.compare(["scan-free", "status-array"], "toy")
        print([name for name in sys.modules if name.startswith(("gpubfs.show", "matplotlib"))])
    """
    assert done(code) == "[]"


@pytest.mark.parametrize(
    ("made", "module", "begins"),
    sampled(
        [
            (
                "gpubfs.search.runs.run('scan-free', 'toy')",
                "gpubfs.search.runs",
                "<table><caption>",
            ),
            ("gpubfs.graphs.graph('toy')", "gpubfs.graphs", "<table><caption>toy"),
            ("gpubfs.graphs.statistics(gpubfs.graphs.graph('toy'))", "gpubfs.graphs", "<table>"),
            (
                "gpubfs.measure.comparison.compare(['scan-free'], 'toy')",
                "gpubfs.measure.comparison",
                "<table><caption>toy",
            ),
            (
                "gpubfs.experiment('queue-memory', graphs=['toy'])",
                "gpubfs",
                "<p>",
            ),
        ],
        3,
    ),
)
def test_what_was_made_without_its_views_finds_them(made: str, module: str, begins: str) -> None:
    text = done(f"import gpubfs, {module}\nprint(({made})._repr_html_())")
    assert text.startswith(begins)


@pytest.mark.parametrize("kind", [gpubfs.Run, gpubfs.Comparison, gpubfs.Graph, gpubfs.Report])
def test_data_are_shown_by_views_alone(kind: type) -> None:
    assert issubclass(kind, Viewed)
    assert "_repr_html_" not in vars(kind)
