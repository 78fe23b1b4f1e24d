"""Random device functions and whole kernels; `program` is the entrance."""

from __future__ import annotations

from random import Random

from tests.reference import expressions as ex
from tests.reference import statements as st
from tests.reference.types import DOUBLE, FLOAT, INT, LLONG, UCHAR, UINT, ULLONG
from tests.simulator.execute.random_expressions import INPUTS, SLOTS, Context, Var
from tests.simulator.execute.random_statements import LARGEST_BLOCK, Statements


def function(maker: Statements) -> None:
    """Add a device function to those that `maker` can call."""
    of = maker.random.choice((INT, INT, UINT, LLONG, FLOAT, None))
    needs, parameters = [], []
    for _ in range(maker.random.randint(1, 3)):
        mode = maker.random.choice(("value", "value", "reference", "pointer"))
        kind = maker.random.choice((INT, INT, FLOAT, LLONG, UCHAR))
        name = maker.fresh("q")
        length = maker.random.choice((1, 4)) if mode == "pointer" else 0
        writable = maker.chance(50) or mode != "pointer"
        needs.append(Var(name, kind, length, writable))
        parameters.append(st.Parameter(kind, name, mode))
    outside, maker.scope = maker.scope, list(needs)
    body = maker.body(Context(2, result=of, kernel=False))
    body.statements += maker.give_back(Context(0, result=of, kernel=False))
    if of is not None:
        body.statements.append(st.Return(of, ex.Literal(INT, maker.random.randint(0, 9))))
    maker.scope = outside
    name = maker.fresh("f")
    maker.functions.append((st.Function(name, of, parameters, body), needs))


def program(random: Random) -> st.Program:
    """A whole kernel: `k(inputs…, outputs…, counters, numbers…)`."""
    maker = Statements(random)
    for _ in range(random.randint(0, 2)):
        function(maker)
    kinds = random.sample((INT, UINT, LLONG, ULLONG, UCHAR, FLOAT, DOUBLE), 2)
    parameters, outputs = [st.Parameter(INT, "counters", "pointer")], (INT, *kinds)
    for at, of in enumerate(kinds):
        maker.scope.append(Var(f"in{at}", of, INPUTS, writable=False, uniform=True))
        parameters.append(st.Parameter(of, f"in{at}", "pointer"))
    for at, of in enumerate(outputs):
        maker.scope.append(Var(f"out{at}", of, SLOTS, own=True))
        parameters.append(st.Parameter(of, f"out{at}", "pointer"))
    for name, of in (("n", INT), ("m", UINT)):
        maker.scope.append(Var(name, of, writable=False, uniform=True))
        parameters.append(st.Parameter(of, name))
    head = [declared(*pair) for pair in ((("tid"), tid()), ("gid", gid()))]
    shown = ex.Subscript(INT, ex.ArrayName(INT, "shown"), ex.Variable(INT, "tid"))
    head += shared_start(shown)
    maker.scope += [Var("tid", INT, writable=False), Var("gid", INT, writable=False)]
    body = maker.body(Context(3, uniform=True), least=3)
    body.statements[:0] = head
    functions = [f for f, _ in maker.functions]
    shared = {"shown": (INT, LARGEST_BLOCK)}
    return st.Program(functions, parameters, shared, body)


def shared_start(shown: ex.Subscript) -> list[st.Stmt]:
    """Every element of the shared array is set before anyone looks."""
    counter = ex.Variable(INT, "s")
    place = ex.Subscript(INT, ex.ArrayName(INT, "shown"), counter)
    fill = st.Evaluate(ex.Assign(INT, "", place, ex.Literal(INT, 1)))
    size = extent("blockDim")
    start = st.Declare(INT, "s", ex.Variable(INT, "tid"))
    test = ex.Binary.of("<", counter, ex.Literal(INT, LARGEST_BLOCK))
    loop = st.Loop("for", start, test, ex.Assign(INT, "+", counter, size), st.Body([fill]))
    return [loop, st.Barrier()]


def declared(name: str, value: ex.Expr) -> st.Stmt:
    return st.Declare(INT, name, value)


def special(name: str, axis: str) -> ex.Expr:
    return ex.Special(UINT, f"{name}.{axis}")


def extent(name: str) -> ex.Expr:
    """All threads of a block, or all blocks."""
    plane = ex.Binary.of("*", special(name, "x"), special(name, "y"))
    return ex.Binary.of("*", plane, special(name, "z"))


def linear(place: str, size: str) -> ex.Expr:
    """x + X * (y + Y * z)."""
    inner = ex.Binary.of("*", special(size, "y"), special(place, "z"))
    inner = ex.Binary.of("+", special(place, "y"), inner)
    outer = ex.Binary.of("*", special(size, "x"), inner)
    return ex.Binary.of("+", special(place, "x"), outer)


def tid() -> ex.Expr:
    return linear("threadIdx", "blockDim")


def gid() -> ex.Expr:
    block = ex.Binary.of("*", linear("blockIdx", "gridDim"), extent("blockDim"))
    return ex.Binary.of("+", ex.Variable(INT, "tid"), block)
