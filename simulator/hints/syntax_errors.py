"""Syntax errors in a table: an example of each mistake, its tokens, and what is said of it."""

from __future__ import annotations

from collections.abc import Collection

from simulator.hints import conditions as of
from simulator.hints import context
from simulator.hints.context import CLOSING, HEADS, SHAPES, Context, Mistake
from simulator.source import CompileError, Token

_ASSIGNMENT = r"([-+*/%&^|]|<<|>>)?="

#: The first that fits counts; those that know their mistake well come before those that guess.
MISTAKES = (
    Mistake(
        "#define WIDTH 8;\n__global__ void k(int *a) { a[WIDTH] = 1; }",
        "@ [;=]",
        "the `$found` of a macro cannot stand here",
        "remove it: `#define NAME value` has no `$found`",
        context.from_macro,
    ),
    Mistake(
        "if consteval { n = 1; }",
        "if @ name {",
        "C++17 has no `if consteval`",
        "write `if (__builtin_is_constant_evaluated())`",
        lambda s: s.found.text == "consteval",
    ),
    Mistake(
        "consteval int f(int x) { return x; }",
        of.consteval,
        "C++17 has no `consteval`",
        "write `constexpr`: it is evaluated wherever a constant is needed",
    ),
    Mistake(
        "int2 p = {.x = 1, .y = 2};",
        r"[{,] @ \. name",
        "C++17 has no values for members by their names",
        "write the values in the order of the members",
    ),
    Mistake(
        "template <typename... T> struct S : T... { using T::f...; };",
        r"@ \.\.\. ;",
        "`using` of the names of a pack of bases is not supported",
        "write a function that calls that of the base which is meant",
        lambda s: s.statement[:1] != [] and s.statement[0].text == "using",
    ),
    Mistake(
        "__device__ int f(int x, ...);",
        r"@ (,?\.\.\.)",
        "a variable number of arguments: not supported",
        "name each parameter, or declare a pack: `template <typename... Types>`",
    ),
    Mistake("if (n =< 3) n = 4;", of.operator, "`$it` is no operator of C", "write `$that`"),
    Mistake("if (n > 3) then n = 4;", of.foreign_word, "`$it` is no word of CUDA C", "$that"),
    Mistake(
        "retrun 2 * n;", of.misspelt_word, "`$it` is no word of CUDA C", "did you mean `$that`?"
    ),
    Mistake("if (itn x = 3) n = 4;", of.unknown_in_head),
    Mistake("__global__ void k(float *a, itn n) { }", of.unknown_parameter),
    Mistake("itn *p = a;", of.unknown_pointer),
    Mistake("n = (itn)n;", of.unknown_cast),
    Mistake(
        "if (n > 0):\n  n = 1;",
        of.head_with_colon,
        "C writes no `:` behind `$that`",
        "put what belongs to it between `{` and `}`",
    ),
    Mistake(
        "n = a[0:n];",
        "@ :",
        "C has no slices",
        "write a loop over the elements",
        lambda s: s.open.text == "[",
    ),
    Mistake(
        "int b[3] = [1, 2, 3];",
        r"(=|return) \[ @ number",
        "a list of values does not stand in `[ ]`",
        "write `int name[3] = {1, 2, 3};`",
        at="before",
    ),
    Mistake(
        "a[0] = 1 if n > 0 else 2;",
        r"(name|number|\)|]) @ if",
        "`if` cannot stand in an expression",
        "write `condition ? one : other`",
        lambda s: not s.on_new_line,
    ),
    Mistake(
        "if n > 0 n = 4;",
        f"({'|'.join(HEADS)}) @",
        "`(` is missing after `$before`",
        "write $head",
        accepts="LPAR",
        at="gap",
    ),
    Mistake(
        "for (int i = 0, i < n, i++) n = 4;",
        of.commas_in_for,
        "`;` separates the parts of `for`, not `,`",
        f"write {SHAPES['for']}",
    ),
    Mistake(
        "for (int i = 0; i < n) n = 4;",
        r"@ \)",
        "`for` needs two `;` in its parentheses",
        f"write {SHAPES['for']}",
        context.in_for,
        "SEMICOLON",
    ),
    Mistake(
        "__global__ void k(int *a);\n{ }",
        r"\) ; @ {",
        "this `;` ends the function before its body",
        "remove it",
        context.outside,
        at="before",
    ),
    Mistake(
        "__global__ void k(int *a) {\n  a[0] = 1;\n__global__ void f(int *a) { }",
        of.function_inside,
    ),
    Mistake(
        "__device__ int a[4];\na[0] = 1;",
        of.assignment_outside,
        "statements stand in functions only",
        "$that",
    ),
    Mistake("_global_ void k(int *a) { }", of.specifier, "`$it` is no word of CUDA C", "$that"),
    Mistake(
        "__device__ int f(int x, y) { return x; }",
        r"[(,] @ name [,)]",
        "the parameter `$found` has no type",
        "write it before the name: `int $found`",
        lambda s: s.in_parameters,
    ),
    Mistake("n = min(n 3);", of.missing_comma, "`,` is missing after `$before`", "$that"),
    Mistake(
        "int i threadIdx.x;",
        r"(type|\*) name @ (name|number|character|true|false)",
        "`=` is missing after `$before`",
        also=lambda s: len(s.statement) > 1 and not s.on_new_line,
        accepts="EQUAL",
        at="gap",
    ),
    Mistake(
        "int = 3;",
        "type @ [=;,]",
        "a name is missing after `$before`",
        "write one, as in `$before count`",
        lambda s: s.begins(s.statement[0]),
        "IDENT",
        "gap",
    ),
    Mistake(
        "(n > 0) a[0] = 1;",
        of.missing_head,
        "a word is missing before this `(`",
        "write `if (…)` or `while (…)`",
    ),
    Mistake("n = n 1;", of.missing_operator, "an operator is missing after `$before`", "$that"),
    Mistake(
        "int 2nd = 0;",
        "type @ number",
        "`$found` cannot be a name",
        "names begin with a letter or `_`",
        accepts="IDENT !NUMBER",
    ),
    Mistake(
        "int[8] b;",
        r"type @ \[",
        "brackets stand behind the name, not behind the type",
        "write `$before name[8];`",
        lambda s: s.open.text != "(",
    ),
    Mistake("n = float n;", of.type_in_expression),
    Mistake(
        "a[0] = n // 2;\nn = 4;",
        of.division_comment,
        "`//` begins a comment",
        "integers are divided by `/`",
    ),
    Mistake("if (n > 0); n = 4; else n = 5;", of.ended_if, "this `else` has no `if`", "$that"),
    Mistake(
        "#pragma unroll\nn = 3;",
        "UNROLL @",
        "`#pragma unroll` stands before a loop only",
        "move it right before the loop",
        at="before",
    ),
    Mistake(
        "n = 3; else n = 4;",
        "@ else",
        "this `else` has no `if`",
        "put the statements between `if` and `else` in braces, without `;` behind the `}`",
    ),
    Mistake(
        "if (n < 3 a[0] = 1;",
        of.missing_between,
        "`$that` is missing",
        "$opened; or an operator is missing here",
    ),
    Mistake("in x = 3;", of.misplaced_name),
    Mistake(
        "__device__ int b, c(3);",
        r"name @ \(",
        "`(` cannot stand here",
        "functions stand outside functions, and the first value of a variable behind `=`",
        accepts="EQUAL",
    ),
    Mistake(
        "n = twice<int>(n);",
        of.library_template,
        "`$it` is no template here",
        "call it without `<…>`; a template must be declared before its use",
    ),
    Mistake(
        "again: n = 3;",
        r"\S+ @ :",
        "labels and `goto` are not supported",
        "use a loop with break, or a function with return",
        accepts="SEMICOLON",
        at="before",
    ),
    Mistake(
        "__global__ void k(int *a) { a[0] = 1;",
        lambda s: (s.unclosed or s.open) if s.at_end and s.open.text == "{" else None,
        "this `{` is not closed",
        "add `}` where its block ends",
    ),
    Mistake("n = (3 + 4;", of.missing_bracket, "`$that` is missing", "$opened"),
    Mistake(
        "__global__ void k(int *a) {\n  if (a[0])\n    a[0] = 1;\n    }\n}\n}",
        lambda s: s.unopened if s.found.text == "}" and s.open.text != "{" else None,
        "this `}` closes another block than its place says",
        "add `{` where its own begins",
    ),
    Mistake(
        "n = 3);",
        "@ [])}]",
        "this `$found` closes nothing",
        "remove it, or open it before",
        lambda s: CLOSING.get(s.open.text) != s.found.text,
    ),
    Mistake(
        "__global__ void k(int *a)\n  a[0] = 1;\n}",
        "@",
        "`{` is missing",
        "the body of the function follows here",
        context.outside,
        "LBRACE SEMICOLON",
        "gap",
    ),
    Mistake(
        "n = 3\nn = 4;",
        "@",
        "`;` is missing after `$before`",
        "",
        context.missing_semicolon,
        "SEMICOLON !TYPEDEF",
        "gap",
    ),
    Mistake(
        "= 3;",
        f"[;{{}}] @ {_ASSIGNMENT}",
        "`$found` cannot stand here",
        "the variable before it is missing",
    ),
    Mistake(
        "n + 1 = 3;",
        rf"\S+ @ {_ASSIGNMENT}",
        "`$found` cannot stand here",
        "the left side is one variable or element; for a comparison, write `==`",
    ),
    Mistake(
        "if (n) int z = 3;",
        of.lonely_declaration,
        "a declaration cannot stand here",
        "put it in braces: `{ … }`",
    ),
    Mistake(
        "int *if = a;",
        of.keyword_as_name,
        "`$it` $that: it cannot stand here",
        "names must be other words",
    ),
    Mistake(
        "__device__ int b;\nif (b) { }",
        of.keyword_outside,
        "statements stand in functions only",
        "$that",
    ),
)


def explain(s: Context) -> CompileError:
    """Return the error for a token that cannot stand where it does."""
    errors = (mistake.error(s) for mistake in MISTAKES)
    return next((error for error in errors if error is not None), None) or _unexpected(s)


def _unexpected(s: Context) -> CompileError:
    hint = _expectation(s.accepts)
    if s.at_end:
        return CompileError("the program ends too early", s.gap, hint)
    before = _written(s.before)
    after = f" after `{before}`" if s.before.text else ""
    if before != s.before.text:
        hint = "conditions of the preprocessor know numbers and macros only"
    return CompileError(f"`{s.found.text}` cannot stand here{after}", s.found.span, hint)


def _written(token: Token) -> str:
    """Return a token as the source has it: conditions of the preprocessor read names as 0."""
    return token.span.text if token.type == "NUMBER" and not token.span.macro else token.text


def _expectation(accepts: Collection[str]) -> str:
    """Return what could stand there, where that is one thing that has a name."""
    wide = {"IF": "a statement", "NUMBER": "an expression", "__GLOBAL__": "a declaration"}
    signs = {"SEMICOLON": "`;`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`", "RSQB": "`]`"}
    known = [text for name, text in wide.items() if name in accepts][:1]
    known = known or [
        text for name, text in {"IDENT": "a name", **signs}.items() if name in accepts
    ]
    return f"{' or '.join(known)} is expected" if known else ""
