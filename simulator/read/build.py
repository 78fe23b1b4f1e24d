"""Rules to nodes: one method for each rule of cuda.lark that makes something of the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from simulator.ir import constants, tree
from simulator.ir.types import BOOL, VOID, Pointer
from simulator.ir.unchecked import (
    AsmOperand,
    Assembly,
    Auto,
    Bindings,
    Called,
    ConstexprIf,
    Constructed,
    Definition,
    Direct,
    InitializerList,
    Item,
    LocalPrototype,
    Made,
    MemberValue,
    Prototype,
    RangeLoop,
    Scoped,
    Template,
    Text,
    Variable,
)
from simulator.read import declarators
from simulator.read.build_classes import (
    ClassRules,
    Disposal,
    LambdaRules,
    Tail,
    constructor,
    conversion,
    ended,
    member_value,
    with_tail,
)
from simulator.read.build_types import (
    ConstexprWord,
    TemplateRules,
    TypeRules,
    type_name_of,
    type_of,
)
from simulator.read.declarators import (
    Declarator,
    Parameter,
    Specifiers,
    flat,
    head,
    inlined,
    parameter,
    plain,
    spanning,
)
from simulator.source import CompileError, Span, Token


def _all_linked(language: Token, *items: Any) -> tuple[Item, ...]:
    if language.text not in ('"C"', '"C++"'):
        what = f"extern {language.text} is not supported"
        raise CompileError(what, language.span, 'write extern "C"')
    return tuple(_linked(item, language.text) for item in flat(items))


def _external(item: Item) -> Item:
    """Return a declaration right behind `extern "C"`: a shared variable there is `extern`."""
    if isinstance(item, Variable) and "__shared__" in item.specifiers:
        return replace(item, specifiers=item.specifiers | {"extern"})
    return item


def _linked(item: Item, language: str) -> Item:
    """Return a function with the string that says its linkage; other things stay as they are."""
    if isinstance(item, Prototype):
        return replace(item, specifiers=item.specifiers | {language})
    if isinstance(item, Definition):
        return replace(item, head=replace(item.head, specifiers=item.head.specifiers | {language}))
    if isinstance(item, Template) and language == '"C"':
        hint = 'move it out of extern "C": C has no templates'
        raise CompileError('a template cannot be extern "C"', item.span, hint)
    return item


@inlined
class _Declarations:
    """The rules of cuda.lark's part on declarations."""

    def program(self, *items: Any) -> tuple[Item, ...]:
        return tuple(flat(items))

    def conversion(self, front: Any, keyword: Token, result: Any, *rest: Any) -> Prototype:
        return conversion(front, keyword, result, rest[1], rest[-1])

    def conversion_type(self, front: Specifiers, *children: Any) -> Any:
        return front, declarators.declarator(children)

    def tail(self, *children: Any) -> Tail:
        const = any(isinstance(c, Token) and c.text == "const" for c in children)
        found = next((c for c in children if isinstance(c, Declarator)), None)
        return Tail(const, found)

    def trailing(self, arrow: Token, result: Any) -> Declarator:
        front, name = result
        ctype, const, _ = declarators.typed(plain(front), name)
        made: Declarator = replace(name, type=ctype, const=const)
        return made

    def disposal(self, equals: Token, word: Token) -> Disposal:
        return Disposal(word.text)

    def constructor_header(self, front: Any, tilde: Any, name: Token, *rest: Any) -> Prototype:
        return constructor(front, tilde, name, rest[1] or (), rest[2])

    def constructor(self, head: Prototype, *children: Any) -> Definition:
        values = tuple(c for c in children if isinstance(c, MemberValue))
        return Definition(head, children[-1], values, span=head.span.to(children[-1].span))

    def declared_constructor(self, head: Prototype, disposal: Any, end: Token) -> Prototype:
        return ended(head, disposal, end)

    def member_value(self, name: Any, *children: Any) -> MemberValue:
        return member_value(name, children)

    def linkage(self, extern: Token, language: Token, item: Any) -> tuple[Item, ...]:
        return tuple(_external(one) for one in _all_linked(language, item))

    def linkage_block(self, extern: Token, language: Token, *items: Any) -> tuple[Item, ...]:
        return _all_linked(language, *items)

    def nothing(self, semicolon: Token) -> None:
        return None

    def function(self, head: Prototype, body: tree.Block) -> Definition:
        return Definition(head, body, span=head.span.to(body.span))

    def prototype(self, head: Prototype, disposal: Any, semicolon: Token) -> Prototype:
        return ended(head, disposal, semicolon)

    def header(self, specifiers: Specifiers, name: Declarator, *rest: Any) -> Prototype:
        made = head(plain(specifiers), name, rest[1] or (), rest[2])
        return with_tail(made, specifiers, rest[3])

    def local_prototype(
        self, specifiers: Specifiers, name: Declarator, opening: Token, given: Any, *rest: Token
    ) -> LocalPrototype:
        made = head(plain(specifiers), name, given or (), rest[0])
        return LocalPrototype(made, span=spanning(specifiers, rest[1]))

    def parameters(self, *children: Any) -> tuple[Parameter, ...]:
        return children[::2]

    def parameter(
        self, specifiers: Specifiers, name: Declarator, equals: Token | None, value: Any
    ) -> Parameter:
        return parameter(plain(specifiers), name, value)

    def declaration(self, specifiers: Specifiers, *children: Any) -> tuple[tree.Statement, ...]:
        names = [child for child in children if isinstance(child, tuple)]
        whole = spanning(specifiers, children[-1]) if len(names) == 1 else None
        made = (declarators.variable(specifiers, name, value, whole) for name, value in names)
        return (*specifiers.defines, *made)

    def bindings(self, opening: Token, *children: Token) -> tuple[Token, ...]:
        return tuple(token for token in children if token.type == "IDENT")

    def structured(self, front: Specifiers, sign: Token | None, *rest: Any) -> Bindings:
        return bindings_of(plain(front), sign, rest[0], rest[-2], spanning(front, rest[-1]))

    def init_declarator(
        self, name: Declarator, equals: Token | None, value: Any
    ) -> tuple[Any, Any]:
        return name, value

    def direct(self, name: Declarator, *given: Any) -> tuple[Any, Any]:
        if len(given) == 1:
            return name, replace(given[0], direct=True)
        opening, values, closing = given
        return name, Direct(values, span=spanning(opening, closing))

    def initializer_list(self, *children: Any) -> InitializerList:
        return InitializerList(tuple(flat(children)), span=spanning(*children))

    def declarator(self, *children: Any) -> Declarator:
        return declarators.declarator(children)

    parameter_declarator = declarator

    def pointed(self, *children: Any) -> Declarator:
        return declarators.pointed_declarator(children)

    def pointed_type(self, front: Specifiers, *children: Any) -> Declarator:
        return type_name_of(plain(front), declarators.pointed_declarator(children))

    def pointed_name(self, opening: Token, sign: Token, *rest: Any) -> declarators.PointedName:
        name = next((c for c in rest if isinstance(c, Token) and c.type == "IDENT"), None)
        const = any(isinstance(c, Token) and c.text == "const" for c in rest)
        dimensions = tuple(c for c in rest if isinstance(c, declarators.Dimension))
        span = spanning(opening, rest[-1])
        return declarators.PointedName(span, sign, const, name, dimensions)

    def signature(self, opening: Token, given: Any, closing: Token) -> declarators.Signature:
        types = tuple(one.symbol.type for one in given or ())
        types = () if types == (VOID,) else types
        return declarators.Signature(spanning(opening, closing), types)

    def specialised(self, *children: Any) -> Declarator:
        made = declarators.declarator(children[:-1])
        return replace(made, arguments=children[-1])

    def type_name(self, specifiers: Specifiers, *children: Any) -> Declarator:
        return type_name_of(plain(specifiers), declarators.declarator(children))

    def pointer(self, star: Token, *qualifiers: Token) -> declarators.Star:
        words = {word.text for word in qualifiers}
        return declarators.Star(spanning(star, *qualifiers), "const" in words, "volatile" in words)

    def dimension(
        self, opening: Token, length: tree.Expression | None, closing: Token
    ) -> declarators.Dimension:
        return declarators.Dimension(opening.span.to(closing.span), length)

    def specifiers(self, *keywords: Any) -> Specifiers:
        return declarators.specifiers(keywords)

    def launch_bounds(
        self, keyword: Token, opening: Token, bounds: Any, closing: Token
    ) -> declarators.Bounds:
        return declarators.Bounds(keyword.span.to(closing.span), bounds)

    def cluster_dims(
        self, keyword: Token, opening: Token, blocks: Any, closing: Token
    ) -> declarators.ClusterDims:
        return declarators.ClusterDims(keyword.span.to(closing.span), blocks)


def bindings_of(
    front: Specifiers, sign: Token | None, names: tuple[Token, ...], value: Any, span: Span
) -> Bindings:
    """Return names for the parts of a value, which is kept under a name of its own."""
    if not isinstance(front.base, Auto):
        hint = "write `auto` in front of the names"
        raise CompileError("structured bindings have no type of their own", front.span, hint)
    listed = f"[{', '.join(token.text for token in names)}]"
    word = Token("IDENT", listed, names[0].span.to(names[-1].span))
    name = Declarator(word.span, word, (), sign, ())
    if isinstance(value, InitializerList) and len(value.values) == 1:
        value = value.values[0]
    whole = declarators.variable(front, name, value, span)
    parts = tuple(tree.Name(token.text, span=token.span) for token in names)
    return Bindings(parts, whole, span=span)


@dataclass(frozen=True)
class Start:
    """What stands before the `;` of `if (…; test)`."""

    statements: tuple[tree.Statement, ...]


@dataclass(frozen=True)
class Declared:
    """`int x = 3` as a condition: the value of `x` is tested."""

    variable: Variable

    @property
    def test(self) -> tree.Name:
        """The value; its span is that of the whole declaration."""
        return tree.Name(self.variable.symbol.name, span=self.variable.span)


def scoped(head: tuple[Any, ...], span: Span, make: Callable[[Any], Any]) -> Any:
    """Make a statement of a test, in a block of its own if its head declares something."""
    *starts, condition = head
    declared = [statement for start in starts for statement in start.statements]
    test = condition
    if isinstance(condition, Declared):
        declared.append(condition.variable)
        test = condition.test
    made = make(test)
    return Scoped((*declared, made), span=span) if declared else made


def loop(
    kind: str, start: tuple[tree.Statement, ...], test: Any, step: Any, body: Any, span: Span
) -> tree.Loop:
    """Make a loop; a variable that its condition declares is made anew in each iteration."""
    if not isinstance(test, Declared):
        return tree.Loop(kind, start, test, step, body, span=span)
    at = test.variable.span
    ends = tree.Unary("!", test.test, span=at)
    leave = tree.If(ends, tree.Break(span=at), None, span=at)
    iteration = Scoped((test.variable, leave, body), span=body.span)
    return tree.Loop(kind, start, None, step, iteration, span=span)


def _if(keyword: Any, head: tuple[Any, ...], then: Any, other: Any) -> tree.Statement:
    kind = ConstexprIf if isinstance(keyword, ConstexprWord) else tree.If
    span = spanning(keyword, other or then)
    made: tree.Statement = scoped(head, span, lambda t: kind(t, then, other, span=span))
    return made


@inlined
class _Statements:
    """The rules of cuda.lark's part on statements."""

    def block(self, *children: Any) -> tree.Block:
        return tree.Block(tuple(flat(children)), span=spanning(*children))

    def evaluate(self, expression: tree.Expression, end: Token) -> tree.Evaluate:
        return tree.Evaluate(expression, span=spanning(expression, end))

    def empty(self, semicolon: Token) -> tree.Empty:
        return tree.Empty(span=semicolon.span)

    def head_start(self, *children: Any) -> Start:
        return Start(self.for_start(children))

    def declared(self, front: Specifiers, name: Declarator, *rest: Any) -> Declared:
        whole = spanning(front, rest[-1])
        value = rest[-1] if len(rest) > 1 else replace(rest[-1], direct=True)  # without `=`
        return Declared(declarators.variable(plain(front), name, value, whole))

    def if_then(self, keyword: Any, opening: Token, *rest: Any) -> tree.Statement:
        return _if(keyword, rest[:-2], rest[-1], None)

    def if_else(self, keyword: Any, opening: Token, *rest: Any) -> tree.Statement:
        return _if(keyword, rest[:-4], rest[-3], rest[-1])

    def switch(self, keyword: Token, opening: Token, *rest: Any) -> tree.Statement:
        span, body = spanning(keyword, rest[-1]), rest[-1]
        made: tree.Statement = scoped(
            rest[:-2], span, lambda selector: tree.Switch(selector, body, span=span)
        )
        return made

    def case(self, keyword: Token, value: tree.Expression, colon: Token) -> tree.CaseLabel:
        return tree.CaseLabel(value, span=spanning(keyword, colon))

    def default(self, keyword: Token, colon: Token) -> tree.CaseLabel:
        return tree.CaseLabel(None, span=spanning(keyword, colon))

    def unrolled(self, pragma: Token, loop: tree.Loop) -> tree.Loop:
        return replace(loop, unroll=pragma.text)

    def for_(self, keyword: Token, opening: Token, start: Any, test: Any, *rest: Any) -> tree.Loop:
        return loop("for", start, test, rest[1], rest[3], spanning(keyword, rest[3]))

    def range_for(
        self, keyword: Token, opening: Token, front: Specifiers, name: Declarator, *rest: Any
    ) -> RangeLoop:
        variable = declarators.variable(plain(front), name, None, spanning(front, name))
        return RangeLoop(variable, rest[1], rest[3], span=spanning(keyword, rest[3]))

    def range_bindings(self, keyword: Token, opening: Token, *rest: Any) -> RangeLoop:
        front, sign, names, _, of, _, body = rest
        made = bindings_of(plain(front), sign, names, None, front.span)
        return RangeLoop(made, of, body, span=spanning(keyword, body))

    def for_start(self, *children: Any) -> tuple[tree.Statement, ...]:
        start = tuple(flat(children))
        if start and isinstance(start[0], tree.Expression):
            return (tree.Evaluate(start[0], span=spanning(*children)),)
        return start

    def while_(
        self, keyword: Token, opening: Token, test: Any, closing: Token, body: Any
    ) -> tree.Loop:
        return loop("while", (), test, None, body, spanning(keyword, body))

    def do_(
        self, keyword: Token, body: Any, until: Token, opening: Token, test: Any, *rest: Token
    ) -> tree.Loop:
        return tree.Loop("do", (), test, None, body, span=spanning(keyword, *rest))

    def break_(self, keyword: Token, end: Token) -> tree.Break:
        return tree.Break(span=spanning(keyword, end))

    def continue_(self, keyword: Token, end: Token) -> tree.Continue:
        return tree.Continue(span=spanning(keyword, end))

    def assembly(self, keyword: Token, *children: Any) -> Assembly:
        strings = tuple(c for c in children if isinstance(c, Token) and c.type == "STRING")
        groups = [group for child in children if isinstance(child, list) for group in child]
        outputs, inputs, *_ = (*groups, (), ())
        for operand in (*outputs, *inputs):
            if isinstance(operand, Token):
                hint = (
                    f"write `{operand.text}(x)`; what changes besides stands behind the third `:`"
                )
                raise CompileError(f"`{operand.text}` has no operand", operand.span, hint)
        return Assembly(strings, outputs, inputs, span=spanning(keyword, children[-1]))

    def asm_operands(self, colon: Token, *operands: Any) -> list[tuple[AsmOperand | Token, ...]]:
        found = tuple(one for one in operands[::2] if one is not None)
        return [(), found] if colon.text == "::" else [found]

    def asm_operand(self, constraint: Token, *rest: Any) -> AsmOperand | Token:
        if len(rest) < 3 or rest[1] is None:
            return constraint  # something that changes besides, such as memory
        whole = spanning(constraint, rest[2])
        return AsmOperand(constraint.text.strip('"'), rest[1], span=whole)

    def return_(self, keyword: Token, value: tree.Expression | None, end: Token) -> tree.Return:
        return tree.Return(value, span=spanning(keyword, end))


@inlined
class _Expressions:
    """The rules of cuda.lark's part on expressions."""

    def binary(self, left: tree.Expression, op: Token, right: tree.Expression) -> tree.Binary:
        return tree.Binary(op.text, left, right, span=spanning(left, right))

    def logical(self, left: tree.Expression, op: Token, right: tree.Expression) -> tree.Logical:
        return tree.Logical(op.text, left, right, span=spanning(left, right))

    def conditional(
        self, test: Any, mark: Token, then: Any, colon: Token, other: Any
    ) -> tree.Conditional:
        return tree.Conditional(test, then, other, span=spanning(test, other))

    def assign(self, target: tree.Expression, equals: Token, value: tree.Expression) -> tree.Assign:
        return tree.Assign(target, value, span=spanning(target, value))

    def compound_assign(
        self, target: tree.Expression, op: Token, value: tree.Expression
    ) -> tree.CompoundAssign:
        return tree.CompoundAssign(op.text[:-1], target, value, span=spanning(target, value))

    def cast(
        self, opening: Token, target: Declarator, closing: Token, operand: tree.Expression
    ) -> tree.Cast:
        return tree.Cast(
            operand, explicit=True, span=spanning(opening, operand), type=type_of(target)
        )

    def functional_cast(
        self, keyword: Token, opening: Token, values: Any, closing: Token
    ) -> tree.Expression:
        ctype, span = declarators.specifiers((keyword,)).base, spanning(keyword, closing)
        if keyword.text == "dim3":
            return tree.Call("dim3", values, span=span)
        if len(values) > 1 or isinstance(values[0], InitializerList):
            return Constructed(ctype, values, span=span)
        return tree.Cast(values[0], explicit=True, span=span, type=ctype)

    def made(self, keyword: Token, values: InitializerList) -> Made:
        ctype = declarators.specifiers((keyword,)).base
        return Made(ctype, values.values, span=spanning(keyword, values))

    def named_cast(
        self, keyword: Token, opening: Token, target: Declarator, *rest: Any
    ) -> tree.Expression:
        span, operand = spanning(keyword, rest[3]), rest[2]
        if target.reference is not None and target.reference.text == "&&":
            return tree.Call("std::move", (operand,), span=span)
        if target.reference is None:
            same = keyword.text == "reinterpret_cast"
            made = type_of(target)
            return tree.Cast(operand, True, same, keyword.text, span=span, type=made)
        address = tree.AddressOf(operand, span=span)  # of an object: the same one as another class
        pointer = Pointer(target.type, target.const)
        return tree.Deref(tree.Cast(address, explicit=True, span=span, type=pointer), span=span)

    def prefix(self, op: Token, target: tree.Expression) -> tree.Increment:
        return tree.Increment(op.text, True, target, span=spanning(op, target))

    def suffix(self, target: tree.Expression, op: Token) -> tree.Increment:
        return tree.Increment(op.text, False, target, span=spanning(target, op))

    def unary(self, op: Token, operand: tree.Expression) -> tree.Expression:
        span = spanning(op, operand)
        if op.text == "&":
            return tree.AddressOf(operand, span=span)
        if op.text == "*":
            return tree.Deref(operand, span=span)
        return tree.Unary(op.text, operand, span=span)

    def sizeof_expression(self, keyword: Token, operand: tree.Expression) -> tree.SizeOf:
        return tree.SizeOf(operand, None, span=spanning(keyword, operand))

    def sizeof_type(
        self, keyword: Token, opening: Token, of: Declarator, closing: Token
    ) -> tree.SizeOf:
        return tree.SizeOf(None, type_of(of), span=spanning(keyword, closing))

    def alignof_expression(self, keyword: Token, operand: tree.Expression) -> tree.SizeOf:
        return tree.SizeOf(operand, None, True, span=spanning(keyword, operand))

    def alignof_type(
        self, keyword: Token, opening: Token, of: Declarator, closing: Token
    ) -> tree.SizeOf:
        return tree.SizeOf(None, type_of(of), True, span=spanning(keyword, closing))

    def index(
        self, base: tree.Expression, opening: Token, index: tree.Expression, closing: Token
    ) -> tree.Index:
        return tree.Index(base, index, span=spanning(base, closing))

    def member(self, base: tree.Expression, dot: Token, name: Token) -> tree.Member:
        return tree.Member(base, name.text, span=spanning(base, name))

    def arrow(self, base: tree.Expression, sign: Token, name: Token) -> tree.Member:
        return tree.Member(tree.Deref(base, span=base.span), name.text, span=spanning(base, name))

    def called(
        self, function: tree.Expression, opening: Token, arguments: Any, closing: Token
    ) -> Called:
        return Called(function, arguments or (), span=spanning(function, closing))

    def this(self, keyword: Token) -> tree.Name:
        return tree.Name("this", span=keyword.span)

    def call(self, name: Token, opening: Token, arguments: Any, closing: Token) -> tree.Call:
        return tree.Call(name.text, arguments or (), span=spanning(name, closing))

    def launch(
        self, name: Token, opening: Token, configuration: Any, closing: Token, *rest: Any
    ) -> tree.DeviceLaunch:
        given = rest[1] or ()
        return tree.DeviceLaunch(name.text, configuration, given, span=spanning(name, rest[2]))

    def arguments(self, *children: Any) -> tuple[tree.Expression, ...]:
        return tuple(flat(children))

    def name(self, token: Token) -> tree.Name:
        return tree.Name(token.text, span=token.span)

    def number(self, token: Token) -> tree.Literal:
        return constants.number(token.text, token.span)

    def character(self, token: Token) -> tree.Literal:
        return constants.character(token.text, token.span)

    def string(self, *parts: Token) -> Text:
        return Text(" ".join(part.text for part in parts), span=spanning(*parts))

    def truth(self, keyword: Token) -> tree.Literal:
        return tree.Literal(keyword.text == "true", span=keyword.span, type=BOOL)

    def null(self, keyword: Token) -> tree.Literal:
        return tree.Literal(0, span=keyword.span, type=Pointer(VOID))

    def parentheses(
        self, opening: Token, inner: tree.Expression, closing: Token
    ) -> tree.Expression:
        return replace(inner, span=spanning(opening, closing))


_TemplateRules = inlined(TemplateRules)


class Builder(
    _Declarations,
    TypeRules,
    _Statements,
    _Expressions,
    _TemplateRules,  # type: ignore[misc, valid-type]
    ClassRules,
    LambdaRules,
):
    """What Lark calls for each rule, by the rule's name or alias."""
