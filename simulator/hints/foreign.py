"""Names and signs of other languages and of older CUDA, and characters of text processors."""

from __future__ import annotations

import unicodedata

_BRACES = "several statements stand between `{` and `}`"
_INDEX = "use an index: `for (int i = 0; i < n; i++)`"
_FUNCTION = "write `__device__ int name(…) { … }`"
_TEXT = "kernels have numbers and arrays"
_AUTO = "write its type, such as `int`, or `auto`"
_GLOBAL_ID = "write `blockIdx.x * blockDim.x + threadIdx.x`"

#: Words that other languages put between or before expressions, and what C writes.
WORDS = {
    "in": _INDEX,
    "is": "compare with `==`",
    "then": "remove it: what an `if` does follows its parentheses",
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "foreach": _INDEX,
    "until": "write `while` and the opposite condition",
    "unless": "write `if` and the opposite condition",
    "begin": _BRACES,
    "end": _BRACES,
    "pass": "write `{ }`",
    "def": _FUNCTION,
    "function": _FUNCTION,
    "func": _FUNCTION,
    "fn": _FUNCTION,
    "lambda": _FUNCTION,
    "import": "write `#include`",
    "from": "write `#include`",
    "let": _AUTO,
    "var": _AUTO,
    "val": _AUTO,
}

#: Types of other languages, and what CUDA C writes.
TYPES = {
    "string": _TEXT,
    "String": _TEXT,
    "str": _TEXT,
    "boolean": "did you mean `bool`?",
    "byte": "write `unsigned char`",
    "real": "write `float` or `double`",
    "integer": "did you mean `int`?",
    "number": "write `int` or `float`",
    "kernel": "CUDA writes `__global__`",
    "__kernel": "CUDA writes `__global__`",
    "__kernel__": "CUDA writes `__global__`",
    "__local": "CUDA writes `__shared__`",
    "__local__": "local variables have no word of their own; what a block shares is `__shared__`",
}

#: Values and objects of other languages, and what CUDA C writes.
NAMES = {
    "True": "C writes it `true`",
    "False": "C writes it `false`",
    "TRUE": "C writes it `true`",
    "FALSE": "C writes it `false`",
    **dict.fromkeys(["None", "null", "nil", "Null"], "CUDA C writes it `nullptr`"),
    **dict.fromkeys(["cout", "cerr", "cin", "endl"], "kernels have no streams"),
    "pass": "write `{ }`",
    "threadId": "did you mean `threadIdx`?",
    "laneId": "write `threadIdx.x % warpSize`",
    "laneid": "write `threadIdx.x % warpSize`",
    "lane_id": "write `threadIdx.x % warpSize`",
    "warpId": "write `threadIdx.x / warpSize`",
    "warp_id": "write `threadIdx.x / warpSize`",
}

_CAS = "CUDA has no such atomic: write a loop of atomicCAS"

#: Functions that C's host library, OpenCL and Python have, and what a kernel writes.
FUNCTIONS = {
    "get_global_id": _GLOBAL_ID,
    "get_local_id": "write `threadIdx.x`",
    "get_group_id": "write `blockIdx.x`",
    "get_local_size": "write `blockDim.x`",
    "get_num_groups": "write `gridDim.x`",
    "get_global_size": "write `gridDim.x * blockDim.x`",
    "atomic_fetch_add": "write `atomicAdd`",
    "atomic_add": "write `atomicAdd`",
    "barrier": "write `__syncthreads()`",
    "len": "an array does not know its length: pass it as a parameter",
    "range": _INDEX,
    "exit": "a thread ends with `return;`",
    "abort": "a thread ends with `return;`",
    "time": "measure on the host, with events",
    **dict.fromkeys(["atomicMul", "atomicDiv", "atomicMod"], _CAS),
}

#: Headers of C++'s library, which is for the host.
HOST_HEADERS = frozenset(
    """algorithm any atomic bitset charconv chrono complex deque exception filesystem forward_list
    fstream future iomanip ios iosfwd iostream istream iterator list locale map memory mutex numeric
    optional ostream queue random ranges regex set span sstream stack stdexcept streambuf string
    string_view thread typeindex typeinfo unordered_map unordered_set valarray variant vector
    bits/stdc++.h complex.h ctype.h cctype errno.h cerrno malloc.h omp.h pthread.h signal.h
    sys/time.h unistd.h wchar.h""".split()
)

#: Operators of two signs, as other languages or hasty hands write them, and C's own.
OPERATORS = {
    "=<": "<=",
    "=>": ">=",
    "<>": "!=",
    "===": "==",
    "!==": "!=",
    ":=": "=",
    "> =": ">=",
    "< =": "<=",
    "! =": "!=",
    "= =": "==",
    "+ =": "+=",
    "- =": "-=",
    "* =": "*=",
    "/ =": "/=",
    "| |": "||",
    "- >": "->",
}

#: Characters that look like those of C, and the ones that C means.
MEANT = {
    **dict.fromkeys("“”„«»″", '"'),
    **dict.fromkeys("‘’‚′´", "'"),
    **dict.fromkeys("–—−‐‑", "-"),
    **dict.fromkeys("×∗·", "*"),
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "¬": "!",
    "∧": "&&",
    "∨": "||",
    "←": "=",
    "…": "...",
    "\u037e": ";",
    "；": ";",
    "，": ",",
    "（": "(",
    "）": ")",
}


def character(text: str) -> tuple[str, str]:
    """How a message calls a character that C has not, and what to write instead.

    Examples
    --------
    >>> character("–")
    ('`–` (U+2013, en dash)', 'write `-`')
    >>> character(chr(0xa0))
    ('the character U+00A0 (no-break space)', 'write a plain blank')
    """
    code, name = f"U+{ord(text):04X}", unicodedata.name(text, "").lower()
    shown = text.isprintable() and not text.isspace()
    called = f"`{text}` ({code}{', ' * bool(name)}{name})" if shown else _unseen(code, name)
    if text in MEANT:
        return called, f"write `{MEANT[text]}`"
    if text.isspace():
        return called, "write a plain blank"
    if not text.isprintable():
        return called, "delete it"
    if text.isalpha():
        return called, "names are made of the letters a to z and A to Z, digits and `_`"
    return called, "outside comments and strings there are letters, digits and C's own signs"


def _unseen(code: str, name: str) -> str:
    return f"the character {code} ({name})" if name else f"the character {code}"
