"""What CUDA programs find: macros without being told, and headers in folders."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from os.path import abspath
from pathlib import Path

from simulator.source import CompileError

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

#: Constants of C's <math.h>, and with `CUDART_` before them those of CUDA's <math_constants.h>.
_M = {
    "PI": math.pi,
    "PI_2": math.pi / 2,
    "PI_4": math.pi / 4,
    "1_PI": 1 / math.pi,
    "2_PI": 2 / math.pi,
    "2_SQRTPI": 2 / math.sqrt(math.pi),
    "E": math.e,
    "LN2": math.log(2),
    "LN10": math.log(10),
    "LOG2E": 1 / math.log(2),
    "LOG10E": 1 / math.log(10),
    "SQRT2": math.sqrt(2),
    "SQRT1_2": math.sqrt(0.5),
}
_CUDART = {
    "ZERO": 0.0,
    "ONE": 1.0,
    "THIRD": 1 / 3,
    "PI": math.pi,
    "PIO2": math.pi / 2,
    "PIO4": math.pi / 4,
    "3PIO4": 3 * math.pi / 4,
    "2_OVER_PI": 2 / math.pi,
    "SQRT_TWO": math.sqrt(2),
    "SQRT_HALF": math.sqrt(0.5),
    "L2E": math.log2(math.e),
    "L2T": math.log2(10),
    "LG2": math.log10(2),
    "LGE": math.log10(math.e),
    "LN2": math.log(2),
    "LNT": math.log(10),
    "LNPI": math.log(math.pi),
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
    "INTMAX_MAX": "9223372036854775807L",
    "UINTMAX_MAX": "18446744073709551615UL",
    "INTPTR_MAX": "9223372036854775807L",
    "UINTPTR_MAX": "18446744073709551615UL",
    "PTRDIFF_MAX": "9223372036854775807L",
    "FLT_RADIX": "2",
    "FLT_DIG": "6",
    "DBL_DIG": "15",
    "FLT_MANT_DIG": "24",
    "DBL_MANT_DIG": "53",
    "FLT_MAX_EXP": "128",
    "FLT_MIN_EXP": "(-125)",
    "DBL_MAX_EXP": "1024",
    "DBL_MIN_EXP": "(-1021)",
    "FLT_TRUE_MIN": "__int_as_float(1)",
    "DBL_TRUE_MIN": "__longlong_as_double(1)",
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
    "CUDART_INF": "1e999",
    "CUDART_INF_F": "1e999F",
    "CUDART_NAN": "__longlong_as_double(0xfff8000000000000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "CUDART_MIN_DENORM": "__longlong_as_double(1)",
    "CUDART_MIN_DENORM_F": "__int_as_float(1)",
    "CUDART_MAX_NORMAL_F": "__int_as_float(0x7f7fffff)",
    "CUDART_NEG_ZERO": "(-0.0)",
    "CUDART_NEG_ZERO_F": "(-0.0F)",
    "NULL": "nullptr",
}

#: Macros that every program starts with; it may define them anew.
PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703L",
    **_LIMITS,
    **{
        name.replace("MAX", "MIN"): f"(-{text} - 1)"
        for name, text in _LIMITS.items()
        if name[0] not in "U"
    },
    **{f"INT{bits}_MIN": f"(-INT{bits}_MAX - 1)" for bits in ("8", "16", "32", "64", "MAX", "PTR")},
    "PTRDIFF_MIN": "(-PTRDIFF_MAX - 1)",
    **{f"M_{name}": repr(value) for name, value in _M.items()},
    **{f"CUDART_{name}": repr(value) for name, value in _CUDART.items()},
    **{f"CUDART_{name}_F": f"{value!r}F" for name, value in _CUDART.items()},
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
