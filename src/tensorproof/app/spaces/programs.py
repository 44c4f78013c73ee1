"""A program whose hyperparameters are bound to the parameters of a space: command-line arguments, configuration keys, module constants, or the
arguments of an entry."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any, Protocol

from tensorproof.app.program import Options
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.engines.space.scenarios import Given
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.chosen_values import constant, put_chosen
from tensorproof.frontends.python.modules.environment import site_packages
from tensorproof.frontends.python.modules.source import Source, read
from tensorproof.solve import limits
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.predicates import eq
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.directives import Directives
from tensorproof.values.objects import Choice
from tensorproof.values.path import Path
from tensorproof.values.python_values import REAL


class Analysed(Protocol):
    """What is analysed for a space: a program or a saved model."""

    def analyse(self, given: Given) -> list[Path]: ...


class ProgramSpace:
    """Analyses a program with some of its values chosen."""

    def __init__(self, path: str, parameters: Sequence[Parameter], options: Options) -> None:
        self.source = read(path)
        self.parameters = {p.name: p for p in parameters}
        self.options = options
        self.met: set[str] = set()
        self.bound: dict[str, str] = {}
        self.site = site_packages(options.environment)

    def analyse(self, given: Given) -> list[Path]:
        """The paths with a symbol for each parameter that is None, and others as they are given."""
        values = {name: self._value(self.parameters[name], value) for name, value in given.items()}
        chosen = {name.lstrip("-").replace("-", "_"): value for name, value in values.items()}
        directives = replace(self.options.directives, chosen=chosen, met=set(), bound={}, refused={}, advise=True)
        source = replace(self.source, tree=deepcopy(self.source.tree), directives=directives)
        if self.options.entry is not None:
            _drive(source, self.options.entry, self.options.inputs, values, self.parameters)
        if directives.chosen:
            put_chosen(source.tree, directives, source.path)
        with limits.limited(self.options.time_limit):
            found = explore(source, self.options.arguments, self.options.roots, self.site, stop_at_error=True)
        self.met |= directives.met
        self.bound = {**directives.bound, **self.bound}
        for name, reason in directives.refused.items():
            raise BadInput(f"the parameter {name} {reason}")
        if given and set(given) == set(self.parameters):
            self._all_met(directives)
        return found.paths

    def _all_met(self, directives: Directives) -> None:
        for name in self.parameters:
            if name.lstrip("-").replace("-", "_") not in directives.met:
                raise unbound(self.source, name)

    def _value(self, p: Parameter, value: Value | None) -> Any:
        if value is not None:
            return _written(value) if isinstance(value, str) and self.options.entry is not None else value
        return standing_for(p)


def standing_for(p: Parameter) -> Any:
    """What a program sees in place of a parameter whose value is open: a symbol for whole numbers, or one of several values."""
    if p.real:
        return REAL
    if len(p.values) == 1 and not p.endless:
        return p.values[0]
    if p.whole:
        return p.term
    result: Any = p.values[-1]
    for depth, one in enumerate(reversed(p.values[:-1]), 1):
        result = Choice(eq(p.term, p.number(one)), one, result, depth)
    return result


def _written(value: str) -> Any:
    """`nn.ReLU` as an expression of the program, other words as text."""
    return value


def unbound(source: Source, name: str) -> BadInput:
    """A parameter that nothing in the program has, with the closest names."""
    known: set[str] = set()
    for node in ast.walk(source.tree):
        match node:
            case ast.Assign(targets=targets):
                known |= {t.id for t in targets if isinstance(t, ast.Name)}
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=args):
                known |= {a.value.lstrip("-") for a in args if isinstance(a, ast.Constant) and isinstance(a.value, str) and a.value.startswith("--")}
            case ast.arg(arg=word):
                known.add(word)
            case _:
                pass
    close = get_close_matches(name, sorted(known), 3, 0.5)
    hint = f"; the closest names are {', '.join(close)}" if close else ""
    return BadInput(f"{source.path} has no command-line argument, configuration key, constant or entry's argument {name}{hint}")


def _drive(source: Source, entry: str, inputs: Mapping[str, Input], values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> None:
    """Put a call of the entry in place of the program's own driver: its arguments are the parameters that it takes, and the inputs."""
    tree = source.tree
    found = next((node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == entry), None)
    if found is None:
        names = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
        raise BadInput(f"{source.path} defines no {entry}" + (f"; it defines {', '.join(names)}" if names else ""))
    tree.body = [node for node in tree.body if not _is_main_block(node)]
    taken = _arguments(found)
    tensors = {name: constant(_tensor(name, one, values, parameters), found) for name, one in inputs.items()}
    given = {name: constant(value, found) for name, value in values.items() if taken is None or name in taken}
    source.directives.met.update(given)
    source.directives.bound.update(dict.fromkeys(given, f"argument of {entry}"))
    sizes = {size: name for name, one in inputs.items() for size in one.sizes or () if isinstance(size, str)}
    source.directives.met.update(sizes)
    source.directives.bound.update({size: f"size of the input {name}" for size, name in sizes.items() if size not in given})
    direct = {name: value for name, value in tensors.items() if isinstance(found, ast.FunctionDef) and (taken is None or name in taken)}
    call: ast.expr = _call(ast.Name(entry, ast.Load()), [], {**given, **direct})
    rest = [value for name, value in tensors.items() if name not in direct]
    if rest:
        call = _call(call, rest, {})
    statement = ast.copy_location(ast.Expr(call), found)
    tree.body.append(ast.fix_missing_locations(statement))


def _call(function: ast.expr, places: list[ast.expr], named: Mapping[str, ast.expr]) -> ast.expr:
    return ast.Call(function, places, [ast.keyword(name, value) for name, value in named.items()])


def _is_main_block(node: ast.stmt) -> bool:
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case _:
            return False


def _arguments(node: ast.ClassDef | ast.FunctionDef) -> set[str] | None:
    """The names of the arguments of a function or constructor; None where it takes any."""
    function: ast.AST | None = node
    if isinstance(node, ast.ClassDef):
        function = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
    if not isinstance(function, ast.FunctionDef):
        return None
    a = function.args
    return None if a.kwarg is not None else {one.arg for one in (*a.posonlyargs, *a.args, *a.kwonlyargs)}


def _tensor(name: str, one: Input, values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> TensorType:
    """An input whose sizes are numbers, parameters, or open."""
    sizes: list[Any] = []
    for at, size in enumerate(one.sizes or ()):
        if isinstance(size, str) and size in parameters:
            if not parameters[size].whole:
                raise BadInput(f"--input {name}: the size {size} is a parameter whose values are not whole numbers")
            sizes.append(values.get(size, parameters[size].numbers[0]))
        else:
            sizes.append(size if isinstance(size, int) else symbol(size or f"{name}.{at}", 1, None, Origin.USER))
    return TensorType(Shape(sizes), one.dtype)
