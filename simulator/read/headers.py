"""What CUDA programs find without being told: the headers that bring it, and its macros."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os.path import abspath
from pathlib import Path

from simulator.source import CompileError

#: Headers whose names and functions are built in, so that including them does nothing.
STANDARD_HEADERS = frozenset(
    [
        "assert.h",
        "cassert",
        "cfloat",
        "climits",
        "cmath",
        "cstddef",
        "cstdint",
        "cstdio",
        "cstdlib",
        "cstring",
        "float.h",
        "limits.h",
        "math.h",
        "math_constants.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "cuda.h",
        "cuda_runtime.h",
        "cuda_runtime_api.h",
        "cuda_device_runtime_api.h",
        "device_launch_parameters.h",
        "device_functions.h",
        "device_atomic_functions.h",
        "sm_20_atomic_functions.h",
        "vector_types.h",
        "vector_functions.h",
        "cooperative_groups.h",
        "cooperative_groups/reduce.h",
    ]
)

_LIMITS = {
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295U",
    "LONG_MAX": "9223372036854775807L",
    "ULONG_MAX": "18446744073709551615UL",
    "LLONG_MAX": "9223372036854775807LL",
    "ULLONG_MAX": "18446744073709551615ULL",
}

_ALSO = {
    "CHAR_BIT": "8",
    "CHAR_MAX": "127",
    "CHAR_MIN": "(-128)",
    "INT8_MAX": "127",
    "UINT8_MAX": "255",
    "INT16_MAX": "32767",
    "UINT16_MAX": "65535",
    "INT32_MAX": "2147483647",
    "UINT32_MAX": "4294967295U",
    "INT64_MAX": "9223372036854775807L",
    "UINT64_MAX": "18446744073709551615UL",
    "SIZE_MAX": "18446744073709551615UL",
    "FLT_MAX": "3.402823466e+38F",
    "FLT_MIN": "1.175494351e-38F",
    "FLT_EPSILON": "1.192092896e-07F",
    "DBL_MAX": "1.7976931348623157e+308",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INFINITY": "1e999F",
    "HUGE_VAL": "1e999",
    "HUGE_VALF": "1e999F",
    "NAN": "__int_as_float(0x7fffffff)",
    "M_PI": "3.14159265358979323846",
    "M_E": "2.7182818284590452354",
    "M_SQRT2": "1.41421356237309504880",
    "CUDART_PI": "3.1415926535897931",
    "CUDART_PI_F": "3.141592654F",
    "CUDART_SQRT_TWO_F": "1.414213562F",
    "CUDART_INF": "1e999",
    "CUDART_INF_F": "1e999F",
    "CUDART_NAN": "__longlong_as_double(0xfff8000000000000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "NULL": "nullptr",
}

#: Macros that every program starts with; it may define them anew.
PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703L",
    **_LIMITS,
    **{
        name.replace("MAX", "MIN"): f"(-{text} - 1)"
        for name, text in _LIMITS.items()
        if name[0] not in "U"
    },
    **{f"INT{bits}_MIN": f"(-INT{bits}_MAX - 1)" for bits in (8, 16, 32, 64)},
    **_ALSO,
}


class Folders(Mapping[str, str]):
    """The files of include folders by their relative names, each read when it is asked for.

    Parameters
    ----------
    folders
        where to look, in this order
    """

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self._folders = [Path(folder) for folder in folders]

    def __getitem__(self, name: str) -> str:
        file = self._file(name)
        if file is None:
            raise KeyError(name)
        try:
            return file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            what = f"the header `{name}` cannot be read as UTF-8 text"
            raise CompileError(what, None, "save it as plain text") from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._file(name) is not None

    def __iter__(self) -> Iterator[str]:
        """The headers that stand in the folders themselves."""
        files = (file for folder in self._folders for file in sorted(folder.glob("*")))
        suffixes = (".cuh", ".h", ".hpp", ".inc")
        return iter(dict.fromkeys(file.name for file in files if file.suffix in suffixes))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, name: str) -> Path | None:
        if "\0" in name:
            return None
        found = (Path(abspath(folder / name)) for folder in self._folders)
        return next((at for at in found if self._holds(at) and at.is_file()), None)

    def _holds(self, file: Path) -> bool:
        """Whether a file is in one of the folders: a program cannot read what is elsewhere."""
        return any(file.is_relative_to(abspath(folder)) for folder in self._folders)
