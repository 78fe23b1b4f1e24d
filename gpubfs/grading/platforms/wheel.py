"""A wheel of the package as it is installed here, made without a network or a build tool."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import gpubfs
import simulator
from gpubfs.errors import UsageError

#: What the wheel's own files say of it: code for any machine, by Python 3.
_TAG = "py3-none-any"
_WHEEL = f"Wheel-Version: 1.0\nGenerator: gpubfs\nRoot-Is-Purelib: true\nTag: {_TAG}\n"
#: Files of an installation that are none of the package's.
_MADE = ("__pycache__", ".pyc")
#: The time of all members: two wheels of the same files are the same.
TIME = (1980, 1, 1, 0, 0, 0)


def wheel() -> tuple[str, bytes]:
    """Return the name of a wheel of this gpubfs, and its bytes.

    Raises
    ------
    UsageError
        If gpubfs is not installed, so that nobody knows what it needs.
    """
    try:
        installed = distribution("gpubfs")
    except PackageNotFoundError:
        words = "gpubfs is not installed, and its requirements are not known"
        raise UsageError(words, "python3 -m pip install . in its folder") from None
    files = dict(_sources()) | dict(_about(installed))
    info = _info(installed)
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            add(archive, name, content)
    return f"{info.removesuffix('.dist-info')}-{_TAG}.whl", data.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = 0o644) -> None:
    """Put a file into an archive, with the rights that it is to have."""
    member = zipfile.ZipInfo(name, TIME)
    member.external_attr = (0o100000 | mode) << 16
    member.compress_type = archive.compression
    archive.writestr(member, content)


def _sources() -> Iterator[tuple[str, bytes]]:
    for package in (gpubfs, simulator):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder.parent).as_posix()
            if path.is_file() and not any(part in inside for part in _MADE):
                yield inside, path.read_bytes()


def _info(installed: Distribution) -> str:
    return f"gpubfs-{installed.version}.dist-info"


def _about(installed: Distribution) -> Iterator[tuple[str, bytes]]:
    yield f"{_info(installed)}/WHEEL", _WHEEL.encode()
    for name in ("METADATA", "entry_points.txt"):
        yield f"{_info(installed)}/{name}", (installed.read_text(name) or "").encode()


def _record(files: dict[str, bytes], own: str) -> bytes:
    """Return the list of the files with their digests, in which its own has none."""
    rows = [f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items()]
    return "".join([*rows, f"{own},,\n"]).encode()


def _digest(content: bytes) -> str:
    made = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return made.decode().rstrip("=")
