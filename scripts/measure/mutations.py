"""What can be broken in a source, one small fault at a time: a mutant is its text with one part of it put otherwise.

Broken are bounds and comparisons, arithmetic, `and`, `or`, `not`, numbers (whole ones by one, others doubled and
halved), truth values, what is returned, branches, and calls; statements are left out. Left alone is what does nothing
at the table: types, words, docstrings, decorators, `assert`, and `strict=` of `zip`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

Replacement = ast.expr | str

_BOUNDS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_CALLS = {"min": "max", "any": "all", "argmin": "argmax", "nanargmin": "nanargmax", "nanmin": "nanmax"}
_CALLS |= {"minimum": "maximum", "floor": "ceil"}
_CALLS |= {other: name for name, other in _CALLS.items()}
_TYPES = {"str", "int", "float", "bool", "bytes", "tuple", "list", "dict", "set", "frozenset"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source with one fault."""

    file: str
    #: The line of the fault, and the first and the last line of the statement (or its head; for an argument's default
    #: the function) that holds it.
    line: int
    first: int
    last: int
    kind: str
    #: What is replaced, (first, end) bytes of the source, and by what.
    span: tuple[int, int]
    text: str
    before: str
    after: str
    #: Whether its line runs when the module is imported, and then what it gives a name to, if it does.
    at_import: bool = False
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """One name a mutant, the same in every run on the same source."""
        return f"{self.file}:{self.line}:{self.span[0]}-{self.span[1]}:{self.text}"

    def applied(self, source: bytes) -> bytes:
        """The source with the fault."""
        return source[: self.span[0]] + self.text.encode() + source[self.span[1] :]


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Every mutant of a source that still is Python, in the order of its lines."""
    breaker = _Breaker(file, source)
    breaker.visit(ast.parse(source))
    return sorted(breaker.found, key=lambda mutant: (mutant.line, mutant.span, mutant.text))


def draw(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many mutants: of lines drawn at random one each, then a second one of each, and so on.

    A change of the source changes the draw on the changed lines alone.
    """
    alike: dict[tuple[str, str], set[int]] = {}
    lots: list[tuple[int, str, Mutant]] = []
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        by_line.setdefault((mutant.file, mutant.line), []).append(mutant)
    for (file, line), own in by_line.items():
        statement = min(mutant.before for mutant in own)
        lines = alike.setdefault((file, statement), set())
        lot = _lot(seed, file, statement, len(lines))
        lines.add(line)
        shuffled = sorted(own, key=lambda m: _lot(seed, m.before, m.after))
        lots += [(turn, lot, mutant) for turn, mutant in enumerate(shuffled)]
    lots.sort(key=lambda one: one[:2])
    return [mutant for _, _, mutant in lots[:count]]


def _lot(*of: object) -> str:
    return sha256(" ".join(map(str, of)).encode()).hexdigest()


class _Breaker(ast.NodeVisitor):
    """Goes through a source and notes what can be broken."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.found: list[Mutant] = []
        lines = source.splitlines(keepends=True)
        self.starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
        self.lines = [line.decode().strip() for line in lines]
        self.statement: ast.stmt | None = None
        self.functions: list[ast.FunctionDef] = []

    # -- noting ----------------------------------------------------------------------------------------------------

    def _note(self, node: ast.expr | ast.stmt, kind: str, other: Replacement) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None and self.statement is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        text = other if isinstance(other, str) else _written(other)
        was = self.source[start:end].decode()
        before, after = " ".join(was.split()), text
        if node.lineno == node.end_lineno:
            head, tail = (
                self.source[self.starts[node.lineno - 1] : start],
                self.source[end:].split(b"\n", 1)[0],
            )
            before = self.lines[node.lineno - 1]
            after = (head.decode() + text + tail.decode()).strip()
        if before == after:
            return
        first, last = _head(self.statement)
        # an argument's default is felt wherever its function is called
        at_import = not self.functions and not isinstance(self.statement, ast.FunctionDef)
        self.found.append(
            Mutant(
                self.file,
                node.lineno,
                first,
                last,
                kind,
                (start, end),
                text,
                before,
                after,
                at_import,
                _names(self.statement) if at_import else (),
            )
        )

    def visit(self, node: ast.AST) -> None:
        """Visits a node, remembering the statement that it is in."""
        outside = self.statement
        if isinstance(node, ast.stmt):
            self.statement = node
            self._leave_out(node)
        super().visit(node)
        self.statement = outside

    # -- statements ------------------------------------------------------------------------------------------------

    def _leave_out(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                assert node.end_lineno is not None and node.end_col_offset is not None
                start = self.starts[node.lineno - 1] + node.col_offset
                end = self.starts[node.end_lineno - 1] + node.end_col_offset
                # still a generator
                self._note(node, "statement", f"None if True else ({self.source[start:end].decode()})")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break() | ast.Raise():
                self._note(node, "statement", "pass")
            case ast.Delete():
                self._note(node, "statement", "pass")
            case ast.Assign(targets=targets) if all(
                isinstance(t, ast.Attribute | ast.Subscript) for t in targets
            ):
                self._note(node, "statement", "pass")
            case _:
                pass

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Not its decorators, nor its types; what its arguments are else belongs to what holds it."""
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self.functions.append(node)
        for statement in node.body:
            self.visit(statement)
        self.functions.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Its body alone."""
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Not its type."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Nothing: it is there for who reads and for the type checker."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Not its words."""

    def visit_If(self, node: ast.If) -> None:
        """Its condition, true and false; not what is there for types alone."""
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return
        self._branch(node.test, "True", "False")
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        """Its condition, never true."""
        self._branch(node.test, "False")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Nothing returned, or the opposite."""
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return
        returns = self.functions[-1].returns if self.functions else None
        if isinstance(returns, ast.Name) and returns.id == "bool":
            self._note(node.value, "return", ast.UnaryOp(ast.Not(), node.value))
        else:
            self._note(node.value, "return", "None")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """The other way round."""
        other = _ARITHMETIC.get(type(node.op))
        if other is not None:
            changed = ast.AugAssign(node.target, other(), node.value)
            self._note(node, "arithmetic", ast.unparse(changed))
        self.visit(node.value)

    # -- expressions -----------------------------------------------------------------------------------------------

    def _branch(self, test: ast.expr, *values: str) -> None:
        for value in values:
            self._note(test, "branch", value)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Its condition, true and false."""
        self._branch(node.test, "True", "False")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Its conditions, true and false."""
        for test in node.ifs:
            self._branch(test, "True", "False")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Its bounds, and its opposite."""
        for kind, others in (("bound", _BOUNDS), ("comparison", _OPPOSITES)):
            for number, op in enumerate(node.ops):
                if type(op) in others:
                    ops = [*node.ops[:number], others[type(op)](), *node.ops[number + 1 :]]
                    self._note(node, kind, ast.Compare(node.left, ops, node.comparators))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """`and` for `or`, and without one of its parts."""
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._note(node, "logic", ast.BoolOp(other, node.values))
        for number in range(len(node.values)):
            rest = node.values[:number] + node.values[number + 1 :]
            self._note(node, "logic", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Without it."""
        self._note(node, "logic" if isinstance(node.op, ast.Not) else "arithmetic", node.operand)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """The other way round; not where types or words are joined."""
        sides = (node.left, node.right)
        if any(map(_is_type, sides)):
            return
        other = _ARITHMETIC.get(type(node.op))
        if other is not None and not any(map(_is_text, sides)):
            self._note(node, "arithmetic", ast.BinOp(node.left, other(), node.right))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Another truth value, a number next to it or of another size."""
        value = node.value
        if isinstance(value, bool):
            self._note(node, "truth", str(not value))
        elif isinstance(value, int):
            for other in (value + 1, value - 1):
                self._note(node, "number", ast.Constant(other) if other >= 0 else f"(-{-other})")
        elif isinstance(value, float):
            for changed in (value * 2, value / 2) if value else (1.0,):
                self._note(node, "number", ast.Constant(changed))

    def visit_Call(self, node: ast.Call) -> None:
        """The least for the most and so on; nothing in the making of a dataclass."""
        match node.func:
            case ast.Name(id="field"):
                return
            case ast.Name(id=name) if name in _CALLS:
                self._note(node.func, "call", _CALLS[name])
            case ast.Attribute(value=value, attr=name) if name in _CALLS:
                self._note(node.func, "call", f"{ast.unparse(value)}.{_CALLS[name]}")
            case _:
                pass
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Not `strict`, which only a programmer's fault would make felt."""
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Nothing: these are words."""


def _written(node: ast.expr) -> str:
    """An expression, in brackets where it could be torn apart by what stands around it."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Constant | ast.Name | ast.Call | ast.Attribute) else f"({text})"


def _is_type(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name):
            return name in _TYPES or (name[0].isupper() and not name.isupper())
        case ast.Subscript(value=value):
            return _is_type(value)
        case ast.Attribute(attr=name):
            return name[0].isupper() and not name.isupper()
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _head(statement: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement, or of its head where it holds others."""
    body = getattr(statement, "body", None)
    end = statement.end_lineno or statement.lineno
    if not body or isinstance(statement, ast.FunctionDef):
        return statement.lineno, end
    return statement.lineno, max(statement.lineno, min(end, body[0].lineno - 1))


def _names(statement: ast.stmt) -> tuple[str, ...]:
    """What a statement at the top of a module gives a name to; none where it does something else."""
    targets: Iterator[ast.expr] | list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    return tuple(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
