"""What is put in the place of what: the slips of a hand, and the mistakes of a beginner."""

from __future__ import annotations

#: Operators with two sides.
OPERATORS = {
    "+": ("-",),
    "-": ("+",),
    "*": ("+", "/"),
    "/": ("*", "%"),
    "%": ("/",),
    "<": ("<=", ">", "!="),
    "<=": ("<", ">"),
    ">": (">=", "<"),
    ">=": (">", "<"),
    "==": ("!=", "<=", ">="),
    "!=": ("==", "<"),
    "&&": ("||", "&"),
    "||": ("&&",),
    "&": ("|", "^"),
    "|": ("&", "^"),
    "^": ("|", "&"),
    "<<": (">>",),
    ">>": ("<<",),
}
#: Those that store, too.
ASSIGNMENTS = {
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "*=": ("+=",),
    "/=": ("-=", "*="),
    "&=": ("|=", "="),
    "|=": ("&=", "="),
}
#: Sides that are left out: one of them stays.
ONE_SIDE = ("+", "-", "*", "/", "%", "&&", "||", "&", "|")
#: Types that are narrower, wider or without a sign.
TYPES = {
    "int": ("char", "short", "unsigned", "long long", "bool"),
    "unsigned": ("int", "unsigned char", "unsigned short"),
    "offset_t": ("char", "short", "unsigned"),
    "bool": ("int", "unsigned char"),
}
#: Names and whole expressions that stand for one value.
WORDS = {
    "threadIdx.x": ("blockIdx.x", "(threadIdx.x + 1)"),
    "blockIdx.x": ("threadIdx.x",),
    "blockDim.x": ("gridDim.x", "warpSize", "(blockDim.x - 1)"),
    "gridDim.x": ("blockDim.x", "1"),
    "warpSize": ("32", "2", "1", "blockDim.x", "(warpSize - 1)", "(warpSize + 1)"),
    "EVERY_LANE": ("0x7fffffffu", "0xffffu", "0xfffffffeu", "1u", "__activemask()"),
    "true": ("false",),
    "false": ("true",),
    "FINE": ("TORN", "ORPHAN"),
    "TORN": ("FINE", "ORPHAN"),
    "ORPHAN": ("FINE", "TORN"),
}
#: Functions that take the same arguments.
FUNCTIONS = {
    "__shfl_sync": ("__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"),
    "__shfl_down_sync": ("__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync"),
    "__ballot_sync": ("__any_sync", "__match_any_sync"),
    "__popc": ("__ffs", "__clz", "__brev"),
    "__syncthreads": ("__syncwarp", "__threadfence", "__threadfence_block"),
    "__syncwarp": ("__syncthreads",),
    "atomicAdd": ("atomicSub", "atomicMax", "atomicExch"),
    "atomicSub": ("atomicAdd", "atomicExch"),
    "atomicCAS": (),
    "min": ("max",),
    "max": ("min",),
}
#: Atomics as they would be written by who knows none; {0} is the address.
PLAIN = {
    "atomicAdd": "((*({0}) += ({1})) - ({1}))",
    "atomicSub": "((*({0}) -= ({1})) + ({1}))",
    "atomicCAS": "(*({0}) == ({1}) ? (*({0}) = ({2}), ({1})) : *({0}))",
}
#: Barriers that are put where none stood.
BARRIERS = ("__syncthreads();", "__syncwarp();")
