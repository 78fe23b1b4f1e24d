"""Loads, stores, atomics, fences and copies of PTX, as the accesses of C that they are."""

from __future__ import annotations

from simulator.check.ptx.opcodes import Opcode, instruction
from simulator.check.ptx.operands import C_TYPES, Operands, size_of
from simulator.check.ptx.types import Code, cast
from simulator.read.ptx import Piece

_ANY = tuple(name for name in C_TYPES if name != "pred")
_SPACES = ("global", "shared", "shared::cta")
_SCOPES = ("cta", "gpu", "sys", "cluster")
_FENCES = {"cta": "__threadfence_block()", "sys": "__threadfence_system()"}
#: Parts that say what caches do, which changes no result.
_HINTS = ("ca", "cg", "cs", "cv", "lu", "wb", "wt", "weak", "relaxed")
_LEVELS = tuple(
    f"{level}::{what}"
    for level, whats in (
        ("L1", ("no_allocate", "evict_normal", "evict_unchanged", "evict_first", "evict_last")),
        ("L2", ("64B", "128B", "256B", "evict_normal", "evict_first", "evict_last")),
    )
    for what in whats
)
#: Vectors of C that move as many elements at once.
_VECTORS = {
    "u8": "uchar",
    "s8": "char",
    "u16": "ushort",
    "s16": "short",
    "u32": "uint",
    "s32": "int",
    "u64": "ulonglong",
    "s64": "longlong",
    "f32": "float",
    "f64": "double",
}


def _space(op: Opcode) -> str:
    """Take the part that names a space: shared memory, or any by a generic address."""
    return "shared" if op.one_of(_SPACES, "").startswith("shared") else ""


def _fence(scope: str) -> str:
    return _FENCES.get(scope, "__threadfence()")


class _Access:
    """What the opcode of a load or a store says."""

    def __init__(self, op: Opcode) -> None:
        self.volatile = op.has("volatile")
        self.ordered = op.has("acquire") or op.has("release")
        relaxed = "relaxed" in op.parts
        self.scope = op.one_of(_SCOPES, "gpu")
        self.space = _space(op)
        self.read_only = op.has("nc")
        for part in (*_HINTS, *_LEVELS):
            op.has(part)
        self.volatile |= self.ordered or relaxed
        self.count = int(op.one_of(("v2", "v4"), "v1")[1:])
        if op.one_of(("local", "const", "param", "shared::cluster"), ""):
            raise op.refused("is of memory that the simulator does not reach by PTX")
        self.type = op.type(*_ANY)
        if self.count > 1 and (size_of(self.type) * self.count > 128):
            raise op.refused("moves more than 16 bytes")

    def pointer(self, o: Operands, piece: Piece, const: bool) -> str:
        """Return the address as a pointer of C."""
        ctype = C_TYPES[self.type]
        if self.count > 1:
            ctype = f"{_VECTORS[self.type]}{self.count}"
        words = "const " * const + "volatile " * (self.volatile and self.count == 1)
        return o.pointer(piece, f"{words}{ctype}", self.space)


@instruction("ld", "ldu")
def _load(op: Opcode, o: Operands) -> Code:
    how = _Access(op)
    target, address = op.end(2)
    pointer = how.pointer(o, address, True)
    read = f"__ldg({pointer})" if how.read_only and not how.space else f"*{pointer}"
    if how.count == 1:
        yield o.assigned(target, how.type, read)
    else:
        parts = _parts(op, o, target, how.count)
        whole = o.temporary(f"{_VECTORS[how.type]}{how.count}")
        yield f"{whole} = {read}"
        for part, member in zip(parts, "xyzw", strict=False):
            if part.text != "_":
                yield o.assigned(part, how.type, f"{whole}.{member}")
    if how.ordered:
        yield _fence(how.scope)


@instruction("st")
def _store(op: Opcode, o: Operands) -> Code:
    how = _Access(op)
    address, source = op.end(2)
    if how.ordered:
        yield _fence(how.scope)
    pointer = how.pointer(o, address, False)
    if how.count == 1:
        yield f"*{pointer} = {o.value(source, how.type, wider=True)}"
        return
    parts = _parts(op, o, source, how.count)
    values = ", ".join(o.value(part, how.type, wider=True) for part in parts)
    yield f"*{pointer} = make_{_VECTORS[how.type]}{how.count}({values})"


def _parts(op: Opcode, o: Operands, piece: Piece, count: int) -> list[Piece]:
    parts = o.elements(piece)
    if len(parts) != count:
        raise op.refused(f"needs {count} registers in braces, such as `{{%0, %1}}`")
    return parts


# Atomics, with a result and without.

_ATOMICS = {
    "add": ("Add", ("u32", "s32", "u64", "s64", "f32", "f64")),
    "min": ("Min", ("u32", "s32", "u64", "s64")),
    "max": ("Max", ("u32", "s32", "u64", "s64")),
    "and": ("And", ("u32", "u64")),
    "or": ("Or", ("u32", "u64")),
    "xor": ("Xor", ("u32", "u64")),
    "exch": ("Exch", ("u32", "u64")),
    "inc": ("Inc", ("u32",)),
    "dec": ("Dec", ("u32",)),
    "cas": ("CAS", ("u32", "u64")),
}
_SUFFIXES = {"cta": "_block", "sys": "_system"}


@instruction("atom", "red")
def _atomic(op: Opcode, o: Operands) -> Code:
    order = op.one_of(("relaxed", "acquire", "release", "acq_rel"), "relaxed")
    scope, space = op.one_of(_SCOPES, "gpu"), _space(op)
    for part in _LEVELS:
        op.has(part)
    name = op.one_of(tuple(_ATOMICS))
    word, types = _ATOMICS[name]
    op.has("noftz")
    t = op.type(*types)
    result = op.name == "atom"
    given = op.end(result + (3 if name == "cas" else 2))
    target, (address, *values) = given[0], given[result:]
    # CUDA adds to integers of 64 bits with a sign as to those without.
    own = "u64" if (name, t) == ("add", "s64") else t
    pointer = o.pointer(address, C_TYPES[own], space)
    arguments = ", ".join([pointer, *(o.value(value, own) for value in values)])
    call = f"atomic{word}{_SUFFIXES.get(scope, '')}({arguments})"
    if order in ("release", "acq_rel"):
        yield _fence(scope)
    unused = not result or target.text == "_"
    yield call if unused else o.assigned(target, own, call)
    if order in ("acquire", "acq_rel"):
        yield _fence(scope)


@instruction("membar", "fence")
def _order(op: Opcode, o: Operands) -> Code:
    if op.name == "membar":
        scope = {"cta": "cta", "gl": "gpu", "sys": "sys"}[op.one_of(("cta", "gl", "sys"))]
    else:
        op.one_of(("sc", "acq_rel"), "acq_rel")
        scope = op.one_of(_SCOPES)
    op.end(0)
    yield _fence(scope)


# Addresses.


@instruction("cvta")
def _address(op: Opcode, o: Operands) -> Code:
    backwards = op.has("to")
    space = _space_of_address(op)
    t = op.type("u32", "u64")
    target, a = op.end(2)
    value = o.value(a, t, wider=True)
    if space == "shared":
        calls = {
            True: f"__cvta_generic_to_shared((const void *)(unsigned long long){value})",
            False: f"(unsigned long long)__cvta_shared_to_generic({value})",
        }
        value = cast(t, calls[backwards])
    yield o.assigned(target, t, value)


def _space_of_address(op: Opcode) -> str:
    found = op.one_of(("global", "shared", "shared::cta"))
    return "shared" if found.startswith("shared") else "global"


@instruction("isspacep")
def _is_in_space(op: Opcode, o: Operands) -> Code:
    calls = {"global": "__isGlobal", "shared": "__isShared", "local": "__isLocal"}
    call = calls[op.one_of(tuple(calls))]
    target, a = op.end(2)
    yield o.assigned(target, "pred", f"{call}((const void *){o.value(a, 'u64')}) != 0")


@instruction("prefetch", "prefetchu")
def _prefetch(op: Opcode, o: Operands) -> Code:
    """Check the address, and do nothing: there are no caches."""
    _space(op)
    op.one_of(("L1", "L2"))
    o.pointer(op.end(1)[0], "const char", "")
    return iter(())


# Asynchronous copies.


@instruction("cp")
def _copy(op: Opcode, o: Operands) -> Code:
    if not op.has("async"):
        raise op.refused("is not supported")
    if op.has("commit_group"):
        op.end(0)
        yield "__pipeline_commit()"
    elif op.has("wait_group"):
        (prior,) = op.end(1)
        yield f"__pipeline_wait_prior({o.value(prior, 'u64')})"
    elif op.has("wait_all"):
        op.end(0)
        yield "__pipeline_commit()"
        yield "__pipeline_wait_prior(0)"
    else:
        yield _begun(op, o)


def _begun(op: Opcode, o: Operands) -> str:
    op.one_of(("ca", "cg"))
    if not (_space(op) == "shared" and op.has("global")):
        raise op.refused("needs `.shared.global`")
    for part in _LEVELS:
        op.has(part)
    to, source, size, *rest = op.end(3, 4)
    target = o.pointer(to, "void", "shared")
    given = [target, o.pointer(source, "const void", ""), o.value(size, "u64")]
    if rest:  # the bytes that are copied: the others are zeros
        given.append(f"{given[2]} - {o.value(rest[0], 'u64', wider=True)}")
    return f"__pipeline_memcpy_async({', '.join(given)})"
