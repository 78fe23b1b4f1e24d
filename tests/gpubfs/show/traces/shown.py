"""What a page shows of a step in a browser, read like the frame of the step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gpubfs.show.traces import LaunchTrace
from gpubfs.show.traces.frames.accessed import Strip
from gpubfs.show.traces.frames.arrays import _named
from gpubfs.show.traces.frames.lanes import _label
from tests.gpubfs.show.traces.browsing import BROWSERS, installed
from tests.gpubfs.show.traces.seen import WIDTH, Frame

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: A function in JavaScript that reads what is on the page.
READ = (Path(__file__).parent / "shown.js").read_text("utf-8")


@dataclass(frozen=True)
class PageFrame(Frame):
    """One step as a page shows it, with what `Frame` reads in a frame of text.

    Arrays that frames leave out are on the page, and nothing is cut off.
    """

    shown: dict[str, Any]

    def row(self, name: str) -> str:
        for at, full in enumerate(self.shown["names"]):
            if name in (full, _label(full, WIDTH).strip()):
                values = [value.split("\n") for value in self.shown["values"]]
                return " ".join(value[min(at, len(value) - 1)] for value in values if value[0])
        strip = self._strip(name)
        words = [mark + text for mark, text in strip["cells"]]
        # Frames have a mark where there is else a blank.
        text = "".join(word if word[0] in "›*+" else f" {word}" for word in words).strip()
        return f"{text} │ {strip['fill']}" if strip["queue"] else f"{text} {strip['fill']}"

    def _strip(self, name: str) -> dict[str, Any]:
        for strip in self.shown["strips"]:
            if name in (strip["name"], _named(_only_named(strip["name"]))):
                return dict(strip)
        raise AssertionError(f"no array {name} in {[s['name'] for s in self.shown['strips']]}")

    def single(self, name: str) -> str:
        return next(mark + text for own, mark, text in self.shown["singles"] if own == name)

    @property
    def lanes(self) -> str:
        return "".join(self.shown["lanes"]).replace(" ", "")

    @property
    def warp(self) -> str:
        return str(self.shown["title"])

    @property
    def warps(self) -> str:
        return "".join(self.shown["warps"])

    @property
    def asked(self) -> list[str]:
        return [f"{access['kind']} {access['array']}" for access in self.shown["accesses"]]

    @property
    def requests(self) -> list[str]:
        return [access["figures"] for access in self.shown["accesses"]]

    @property
    def elements(self) -> str:
        first = next(a for a in self.shown["accesses"] if a["elements"])
        return " ".join(" ".join(first["elements"]).split())

    @property
    def served(self) -> list[str]:
        return [line for access in self.shown["accesses"] for line in access["served"]]

    @property
    def edges(self) -> list[str]:
        return self.shown["edges"].partition(": ")[2].split()

    def level(self, number: int) -> str:
        return next(
            members for which, members, _ in self.shown["levels"] if which == f"level {number}"
        )


def _only_named(name: str) -> Strip:
    return Strip(name, None, None, 0)  # type: ignore[arg-type]


def read(page: Page, at: int, warp: int | None = None, track: int = 0) -> PageFrame:
    """Go to a step, and read what the page shows."""
    page.evaluate(
        "([at, warp]) => { viewer.followed = warp; viewer.show(at); }",
        [at, warp],
    )
    shown = page.evaluate(READ, track)
    number, code = shown["here"][0]
    lines = [f"── {shown['file']} ──", f"▶{int(number):4d} {code}", f"── {shown['title']} ─"]
    lines += [f"{name} " for name in shown["names"]]
    lines += [f"── {a['kind']} {a['array']} ─ {a['figures']}" for a in shown["accesses"]]
    lines += [f"{strip['name']:<{WIDTH}}" for strip in shown["strips"]]
    return PageFrame(at, tuple(lines), shown)


class Reader:
    """Pages of traces in a browser, each written and opened once."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.folder = folder
        self._pages: dict[int, tuple[LaunchTrace, Page]] = {}

    def frame(self, trace: LaunchTrace, at: int, warp: int | None = None) -> PageFrame:
        return read(self.page(trace), at, warp)

    def page(self, trace: Any) -> Page:
        if id(trace) not in self._pages:
            file = self.folder / f"{len(self._pages)}.html"
            trace.write(file)
            page = self.context.new_page()
            page.goto(file.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            self._pages[id(trace)] = trace, page
        return self._pages[id(trace)][1]


@contextmanager
def reading() -> Iterator[Reader | str]:
    """A reader of pages, or why there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield "needs playwright: the extra browser"
        return
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        path = installed(playwright.chromium.executable_path)
        if path is None:
            yield f"needs a browser: one of {', '.join(BROWSERS)}, or CHROMIUM as its path"
            return
        browser = playwright.chromium.launch(executable_path=path)
        yield Reader(browser, Path(folder))
        browser.close()
