"""What tables call graphs: a file by its name, and by as much of its path as tells it apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

FILE = "file:"


def label(spec: str) -> str:
    """What a table calls one graph.

    >>> label("kron:12"), label("file:/data/snap/web.txt,directed")
    ('kron:12', 'web.txt,directed')
    """
    return labels([spec])[spec]


def labels(specs: Iterable[str]) -> dict[str, str]:
    """What a table calls several graphs, each by its specification.

    >>> labels(["file:a/web.txt", "file:b/web.txt", "toy"])
    {'file:a/web.txt': 'a/web.txt', 'file:b/web.txt': 'b/web.txt', 'toy': 'toy'}
    """
    wanted = list(dict.fromkeys(specs))
    depth = dict.fromkeys(wanted, 1)
    while True:
        shown = {spec: _end(spec, depth[spec]) for spec in wanted}
        times = Counter(shown.values())
        grown = [s for s in wanted if times[shown[s]] > 1 and _end(s, depth[s] + 1) != shown[s]]
        if not grown:
            return shown
        for spec in grown:
            depth[spec] += 1


def relabelled(text: str, specs: Iterable[str]) -> str:
    """A text with every file's specification shortened.

    >>> relabelled("scan-free on file:/a/b.txt: overflow", ["file:/a/b.txt"])
    'scan-free on b.txt: overflow'
    """
    shown = labels(specs)
    for spec in sorted(shown, key=len, reverse=True):
        text = text.replace(spec, shown[spec])
    return text


def _end(spec: str, depth: int) -> str:
    """The last `depth` parts of a file's path."""
    if not spec.startswith(FILE):
        return spec
    parts = spec.removeprefix(FILE).strip().split("/")
    return "/".join(parts[-depth:])
