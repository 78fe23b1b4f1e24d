"""Rules to nodes: the methods for the rules of cuda.lark that have to do with templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.ir import tree
from simulator.ir.tokens import Token
from simulator.ir.types import VOID
from simulator.ir.unchecked import (
    Construct,
    Definition,
    Method,
    NameExpression,
    Prototype,
    Template,
    TemplateCall,
    TemplateParameter,
    TypeArgument,
)
from simulator.read import declarators
from simulator.read.declarators import Declarator, Specifiers, TemplateWord, spanning
from simulator.source import CompileError, Span


@dataclass(frozen=True)
class ConstexprWord:
    """`if constexpr`."""

    span: Span


def _argument(given: Any) -> TypeArgument | tree.Expression:
    """A type or a value between `<` and `>`."""
    if isinstance(given, Declarator):
        assert given.span is not None
        return TypeArgument(given.type, given.const, span=given.span)
    value: tree.Expression = given
    return value


class TemplateRules:
    """The rules of templates, and of what comes with their types."""

    def template(self, word: Token, opening: Token, *children: Any) -> Template:
        """A function template, or its head."""
        parameters = tuple(c for c in children if isinstance(c, TemplateParameter))
        item: Definition | Prototype = children[-1]
        return Template(parameters, item, span=item.span)

    def type_parameter(
        self, word: Token, name: Token | None, equals: Token | None, default: Any
    ) -> TemplateParameter:
        """`typename T`, maybe with a default."""
        text = name.text if name is not None else ""
        given = _argument(default) if default is not None else None
        return TemplateParameter(text, None, given, span=(name or word).span)

    def value_parameter(
        self, front: Specifiers, name: Token | None, equals: Token | None, default: Any
    ) -> TemplateParameter:
        """`int N`, maybe with a default."""
        text = name.text if name is not None else ""
        span = name.span if name is not None else front.span
        return TemplateParameter(text, front.base, default, span=span)

    def template_arguments(self, *children: Any) -> tuple[TypeArgument | tree.Expression, ...]:
        """What stands between `<` and `>`."""
        return tuple(c for c in children if c is not None and not isinstance(c, Token))

    def template_argument(self, given: Any) -> TypeArgument | tree.Expression:
        """A type or a constant."""
        return _argument(given)

    def name_expression(self, sign: Token | None, name: Token, given: Any = None) -> NameExpression:
        """A function as the host names it."""
        return NameExpression("", name.text, given, span=name.span)

    def template_type(self, name: Token, arguments: Any) -> TemplateWord:
        """A type made by a template."""
        if not arguments:
            raise CompileError(f"`{name.text}` needs arguments in its `<…>`", name.span)
        return TemplateWord(name, arguments, name.span.to(spanning(*arguments)))

    def template_call(
        self, name: Token, given: Any, opening: Token, arguments: Any, closing: Token
    ) -> TemplateCall:
        """A call that says which instance."""
        span = spanning(name, closing)
        return TemplateCall(name.text, arguments or (), given=given, span=span)

    def method(
        self, base: tree.Expression, dot: Token, name: Token, opening: Token, *rest: Any
    ) -> Method:
        """A call of a member function."""
        return Method(base, name.text, rest[0] or (), span=spanning(base, rest[1]))

    def construct(self, word: Any, opening: Token, closing: Token) -> Construct:
        """`T()`."""
        ctype = declarators.specifiers((word,)).base
        if ctype == VOID:
            raise CompileError("`void()` has no value", spanning(word, closing))
        return Construct(span=spanning(word, closing), type=ctype)

    def if_constexpr(self, word: Token, constexpr: Token) -> ConstexprWord:
        """The words in front of a condition."""
        return ConstexprWord(word.span.to(constexpr.span))
