"""Chromium and Firefox as tests of pages start them, or why one of them is not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.gpubfs.show.traces.browsing import BROWSERS, installed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright

FOXES = "firefox", "firefox-esr"
#: Playwright drives a Firefox of Mozilla's by a protocol that has no word for these yet.
PLAIN = dict.fromkeys(("color_scheme", "forced_colors", "reduced_motion", "contrast"), "null")
#: What Firefox is told instead, as it starts.
LIGHT = {"layout.css.prefers-color-scheme.content-override": 1}
DARK = {"layout.css.prefers-color-scheme.content-override": 0}
FORCED = {**LIGHT, "browser.display.document_color_use": 2, "ui.useAccessibilityTheme": 1}


class Firefox:
    """Firefox, of which one is started for each scheme of colours.

    Parameters
    ----------
    playwright : Playwright
        What drives it.
    path : str
        Its program.
    """

    def __init__(self, playwright: Playwright, path: str) -> None:
        self._playwright = playwright
        self._path = path
        self._started: dict[str, Browser] = {}

    def new_context(
        self, color_scheme: str = "light", forced_colors: str = "none", **settings: Any
    ) -> BrowserContext:
        """Open a window, as Chromium does."""
        forced = forced_colors == "active"
        scheme = "forced" if forced else color_scheme
        if scheme not in self._started:
            wishes: Any = FORCED if forced else DARK if scheme == "dark" else LIGHT
            self._started[scheme] = self._playwright.firefox.launch(
                channel="moz-firefox", executable_path=self._path, firefox_user_prefs=wishes
            )
        plain: Any = PLAIN
        return self._started[scheme].new_context(**plain, **settings)

    def close(self) -> None:
        """End all of them."""
        for browser in self._started.values():
            browser.close()


def firefox_installed() -> str | None:
    """The Firefox named by the environment, or one on the path."""
    return os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, FOXES)), None)


@contextmanager
def browser(name: str) -> Iterator[Browser | Firefox | str]:
    """A browser, or why there is none."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        yield "needs playwright: the extra browser"
        return
    with sync_playwright() as playwright:
        if name == "chromium":
            path = installed(playwright.chromium.executable_path)
            if path is None:
                yield f"needs a browser: one of {', '.join(BROWSERS)}, or CHROMIUM as its path"
                return
            made: Browser | Firefox = playwright.chromium.launch(executable_path=path)
        else:
            path = firefox_installed()
            if path is None:
                yield f"needs a browser: one of {', '.join(FOXES)}, or FIREFOX as its path"
                return
            made = Firefox(playwright, path)
            try:
                made.new_context().close()
            except Error as error:
                made.close()
                yield f"this playwright cannot drive this Firefox: {str(error).splitlines()[0]}"
                return
        yield made
        made.close()
