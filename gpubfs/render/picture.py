"""A figure of matplotlib that notebooks show dark where their theme is dark."""

from __future__ import annotations

import base64
import io
from html import escape

from matplotlib.figure import Figure

#: What turns white paper dark and keeps hues, in JupyterLab's and VS Code's dark themes.
DARK = """<style>
body[data-jp-theme-light="false"] img.gpubfs-picture, body.vscode-dark img.gpubfs-picture
{ filter: invert(0.92) hue-rotate(180deg); }
</style>"""


class Picture(Figure):
    """A figure whose paper follows a notebook's theme; files that it is saved to are on white.

    Examples
    --------
    >>> picture = Picture()
    >>> _ = picture.suptitle("Work of each thread")
    >>> 'alt="Work of each thread"' in picture._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        """Return its pixels as an image that styles of the page apply to."""
        made = io.BytesIO()
        self.savefig(made, format="png", dpi=self.get_dpi(), bbox_inches="tight")
        data = base64.b64encode(made.getvalue()).decode()
        words = escape(self.get_suptitle(), quote=True).replace("\n", " ")
        image = f'<img class="gpubfs-picture" alt="{words}" src="data:image/png;base64,{data}">'
        return f"{image}{DARK}"
