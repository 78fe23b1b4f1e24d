"""What the simulator does not support, refused by its name, with the remedy."""

from __future__ import annotations

import re
from typing import NoReturn

from simulator.hints import foreign, header_names
from simulator.hints.context import SPECIFIERS
from simulator.hints.header_names import header_name, instead_of_function, member_of, template_of
from simulator.hints.similar import nearest
from simulator.ir.types import HEADER_TYPES, TYPE_ALIASES
from simulator.source import TYPE_WORDS, CompileError, Span, Token

#: Keywords and names that cannot stand anywhere in a program, and what to do instead.
WORDS = {
    "goto": "use a loop with break, or a function with return",
    "virtual": "call the function directly",
    "try": "device code has no exceptions: return an error value",
    "catch": "device code has no exceptions: return an error value",
    "throw": "device code has no exceptions: return an error value",
    "new": "allocate on the host and pass a pointer",
    "delete": "free on the host",
    **dict.fromkeys(["__asm__", "__asm"], "write `asm`"),
    "__volatile__": "write `volatile`",
    "noexcept": "leave it out: device code has no exceptions",
    "typeid": "write the type",
    "dynamic_cast": "use static_cast",
    "_Static_assert": "write `static_assert`",
    "__attribute__": "leave it out",
    "__declspec": "leave it out",
    **dict.fromkeys(["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"], "write it in quotes"),
    "thread_local": "plain local variables are private to each thread",
}

#: Types that a program does not declare itself, and what to do instead.
TYPES = {
    "wchar_t": "use char",
    "texture": "CUDA 12 has no texture references any more: pass a cudaTextureObject_t",
    "surface": "CUDA 12 has no surface references any more: pass a cudaSurfaceObject_t",
    **{name: found.hint for name in header_names.TYPES if (found := header_name(name))},
    "cudaStream_t": "name it in the launch: 0, cudaStreamTailLaunch, cudaStreamFireAndForget",
    **dict.fromkeys(
        ["long4", "ulong4", "longlong4", "double4"], "use one variable for each component"
    ),
}

#: Functions that kernels like to call, and what to do instead.
FUNCTIONS = {
    **dict.fromkeys(["puts", "putchar", "fprintf", "vprintf", "sprintf", "snprintf"], "use printf"),
    "abort": "use __trap, or assert",
    "exit": "use return, or __trap to end the whole kernel",
    "malloc": "allocate on the host and pass a pointer",
    "calloc": "allocate on the host and pass a pointer",
    "free": "free on the host",
    "cudaDeviceSynchronize": "since CUDA 12 device code cannot wait for kernels that it launches:\n"
    "put what comes after them into a kernel launched on cudaStreamTailLaunch",
    "__cluster_barrier_arrive_relaxed": "call __cluster_barrier_arrive, which orders memory, too",
    "__cluster_map_shared_multicast": "call __cluster_map_shared_rank for each block",
    "__clusterDimIsSpecified": "compare __clusterSizeInBlocks() with 1",
    "memmove": "copy in a loop",
    "qsort": "sort on the host",
    "rand": "pass random numbers in an array",
}

_PRINT = "use printf"

_TRAITS = "pass a constant as one more template parameter and test it"
_TRAIT = re.compile(r"(is|has|remove|add|make)_\w+|decay(_t)?|\w+_type|integral_constant|void_t")

#: What <type_traits> brings, and cannot be found only because it is not included.
TYPE_TRAITS = frozenset(
    """
bool_constant conditional conditional_t enable_if enable_if_t false_type integral_constant
is_arithmetic is_arithmetic_v is_floating_point is_floating_point_v is_integral is_integral_v
is_pointer is_pointer_v is_same is_same_v is_signed is_signed_v is_unsigned is_unsigned_v is_void
is_void_v make_unsigned make_unsigned_t remove_pointer remove_pointer_t true_type
""".split()
)

#: The same of <utility>.
SEQUENCES = frozenset(
    """index_sequence index_sequence_for integer_sequence make_index_sequence
    make_integer_sequence""".split()
)

#: The namespaces of C++'s library.
STANDARD_SPACES = ("std", "cuda::std")

#: Names of C++'s library that have no like in C, and what to do instead.
_STANDARD = {
    **dict.fromkeys(["cout", "cerr", "clog", "endl", "puts", "print", "format"], _PRINT),
    **dict.fromkeys(["vector", "string", "span", "map", "set"], "use plain arrays"),
    **dict.fromkeys(["tuple", "optional"], "keep one variable for each member"),
    **dict.fromkeys(["sort", "fill", "copy", "accumulate", "reduce"], "write it out"),
}

_VALUES = ("NUMBER", "CHARACTER")

_SIGNS = {
    "PASTE": ("`##`", "it joins words in macros only"),
    "HASH": ("`#` here", "directives stand at the start of a line; comments begin with `//`"),
}

_CPP_KEYWORDS = frozenset(["new", "delete", "class", "try", "catch", "throw", "this"])

#: The terminals and the names that `refuse` looks at.
SUSPECT = frozenset(["SCOPE", "STRAY", "ELLIPSIS", *_SIGNS])
SUSPECT_NAMES = frozenset([*WORDS, *_CPP_KEYWORDS, "main"])


def refuse(before: Token, token: Token, after: str) -> None:
    """Raise at a token that is of C++ or CUDA but not of the simulator's language.

    Parameters
    ----------
    before, token : Token
        The token, and the one before it, an empty one at the start.
    after : str
        The text of the token behind it.
    """
    behind_type = before.text in TYPE_WORDS
    if token.type == "IDENT":
        _refuse_word(token, after, behind_type)
    elif token.type == "SCOPE":
        _refuse_scope(before, token)
    elif token.type == "ELLIPSIS" and before.type in _VALUES:
        what = "a range of labels or numbers is not supported"
        raise CompileError(what, token.span, "write `case` for each value")
    elif token.type in _SIGNS:
        what, remedy = _SIGNS[token.type]
        raise CompileError(f"{what}: not supported", token.span, remedy)
    elif token.type == "STRAY":
        _refuse_character(token)


def _refuse_word(token: Token, after: str, behind_type: bool) -> None:
    if token.text == "main" and after == "(":
        hint = "keep the host's part in Python: RawModule compiles the kernels, arrays move by CuPy"
        raise CompileError("`main` is the host's program, not the GPU's", token.span, hint)
    if token.text in _CPP_KEYWORDS and behind_type:
        what = f"`{token.text}` is a keyword of C++: it cannot be a name"
        raise CompileError(what, token.span, "choose another one")
    if token.text in WORDS:
        raise CompileError(f"`{token.text}` is not supported", token.span, WORDS[token.text])


def _refuse_scope(before: Token, token: Token) -> None:
    space = before.text if before.type == "IDENT" else ""
    span = before.span.to(token.span) if space else token.span
    if space == "cg":
        hint = "write `namespace cg = cooperative_groups;` first"
        raise CompileError("`cg` is no namespace", span, hint)
    if space == "wmma":
        hint = "write `using namespace nvcuda;` first"
        raise CompileError("`wmma` is no namespace", span, hint)
    raise CompileError(f"`{space}::` is not supported", span, "write plain names")


def refuse_library(space: str, name: str, span: Span) -> NoReturn:
    """Raise at a name of a C++ library."""
    standard = space in STANDARD_SPACES
    header = header_names.OWN_STANDARD.get(name) if standard else None
    header = header_names.OWN.get(name) if space == "cuda" else header
    if header is not None:
        hint = f"write `#include <{header}>`"
        raise CompileError(f"`{space}::{name}` needs its header", span, hint)
    if standard:
        _refuse_trait(f"{space}::{name}", name, span)
    found = None if space in STANDARD_SPACES else member_of(space, name)
    remedy = _standard(name) if found is None else found.hint
    raise CompileError(f"`{space}::{name}` is not supported", span, remedy)


def _refuse_trait(shown: str, name: str, span: Span) -> None:
    """Raise at what <type_traits> and <utility> would bring."""
    for names, header in ((TYPE_TRAITS, "type_traits"), (SEQUENCES, "utility")):
        if name in names:
            raise CompileError(f"`{shown}` needs its header", span, f"write `#include <{header}>`")


def _standard(name: str) -> str:
    """Return what to do instead of using a name of C++'s library."""
    if name in _STANDARD:
        return _STANDARD[name]
    return _TRAITS if _TRAIT.fullmatch(name) else "write it out in plain C"


def refuse_template(name: str, span: Span) -> None:
    """Raise at a template of a library, whose namespace is left out."""
    refuse_function(name, span)
    header = header_names.OWN.get(name) or header_names.OWN_STANDARD.get(name)
    if header is not None:
        raise CompileError(f"`{name}` needs its header", span, f"write `#include <{header}>`")
    _refuse_trait(name, name, span)
    found = template_of(name)
    if found is not None or name in _STANDARD or _TRAIT.fullmatch(name):
        remedy = _standard(name) if found is None else found.hint
        raise CompileError(f"`{name}` is not supported", span, remedy)


def _refuse_character(token: Token) -> None:
    first = token.text[0]  # of several where a mark that cannot begin a name does
    code = ord(first)
    if code == 0:
        raise CompileError("there is a NUL byte here", token.span, "save the file as plain text")
    if token.text in "\"'":
        hint = f"close it with `{token.text}`"
        raise CompileError(f"this {token.text} is not closed on its line", token.span, hint)
    if code > 126 or code < 32:
        name, hint = foreign.character(first)
        raise CompileError(f"{name} is no character of C", token.span, hint)
    hint = "a backslash stands at the end of a line only" if token.text == "\\" else "remove it"
    quote = "" if token.text == "`" else "`"
    raise CompileError(f"{quote}{token.text}{quote} is no character of C", token.span, hint)


#: The templates of types that headers bring, as `HEADER_TYPES` has their other types.
_TEMPLATES = {"complex": "cupy/complex.cuh"}


def refuse_name(name: str, span: Span) -> None:
    """Raise at a type or function that CUDA has and the simulator has not."""
    header = _TEMPLATES.get(name) or HEADER_TYPES.get(name, (None, ""))[1]
    if header:
        hint = f"write `#include <{header}>`"
        raise CompileError(f"`{name}` needs its header", span, hint)
    remedy = TYPES.get(name) or FUNCTIONS.get(name)
    if remedy is None and (found := header_name(name)) is not None:
        remedy = found.hint
    if remedy is not None:
        raise CompileError(f"`{name}` is not supported", span, remedy)


def refuse_function(name: str, span: Span) -> None:
    """Raise at a called function that CUDA has and the simulator has not."""
    refuse_name(name, span)
    if (remedy := instead_of_function(name)) is not None:
        raise CompileError(f"CUDA's `{name}` is not supported", span, remedy)


def as_macro(name: str) -> str:
    """Return the hint for an undeclared name that is written as macros are, empty for others."""
    if not name.isupper() or len(name) < 2:
        return ""
    return f"if it is a macro: write `#define {name} …`, or pass the option -D{name}=VALUE"


def unknown_type(word: Token) -> CompileError:
    """Return the error for a name that is not that of a type, where one must stand."""
    refuse_name(word.text, word.span)
    hint = meant_type(word) or declaration(word.text)
    return CompileError(f"`{word.text}` is not a type", word.span, hint)


def declaration(name: str) -> str:
    """Return the hint for an unknown type that is like no other."""
    return f"declare it first: `struct {name} {{ … }};`, or `typedef int {name};`"


def meant_type(word: Token) -> str:
    """Return the hint that names what an unknown type may have been meant to be."""
    known = [*TYPE_WORDS, *SPECIFIERS, *TYPE_ALIASES]
    return foreign.TYPES.get(word.text, "") or nearest(word.text, known)
