"""What a file defines and does not call itself: its functions, and the methods of its classes, entered with arguments of which nothing is known.

An error that such a run meets holds for every argument, as long as the state of the object is not a guess: attributes that other methods set are unknown.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.calls.classes import cls_is
from tensorproof.frontends.python.entry.entry import constructor_value, parameters
from tensorproof.frontends.python.errors import Dead, Raised
from tensorproof.frontends.python.iteration.generators import END, advance
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, ClassMethod, Function, Generator, Instance, Property, StaticMethod
from tensorproof.values.python_values import COLLECTED, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_SPECIAL = {"__call__", "__getitem__", "__len__", "__iter__", "__next__", "__enter__", "__init__"}
"""The special methods that are entered."""
_CHANGING = {
    "append", "extend", "insert", "add", "update", "pop", "popleft", "appendleft", "clear", "remove", "setdefault", "popitem", "put", "push",
}  # fmt: skip
_LEAST = -(2**63)
_VALUES = 3
"""How many values of a generator are asked for."""


@dataclass(frozen=True, slots=True)
class Uncalled:
    """A function of the file, or a method with its class."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: Any = None

    @property
    def name(self) -> str:
        return f"{self.owner.name}.{self.node.name}" if self.owner is not None else str(self.node.name)


def definitions(tree: ast.Module) -> list[Uncalled]:
    """The functions and methods of a file in order, those first that nothing in it calls by name."""
    found: list[Uncalled] = []
    for node in _top(tree.body):
        if isinstance(node, ast.ClassDef):
            inside = [n for n in _top(node.body) if isinstance(n, Definition) and (not n.name.startswith("__") or n.name in _SPECIAL)]
            found += [Uncalled(n, node) for n in inside if not (n.name == "__init__" and len(inside) > 1)]
        else:
            found.append(Uncalled(node))
    used = [n for n in ast.walk(tree) if isinstance(n, (ast.Attribute, ast.Name)) and isinstance(n.ctx, ast.Load)]
    named = {n.attr if isinstance(n, ast.Attribute) else n.id for n in used}
    return sorted(found, key=lambda one: one.node.name in named)


def _top(body: list[ast.stmt]) -> list[Any]:
    """The definitions of a block, also those that stand in a branch."""
    found: list[Value] = []
    for node in body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                found.append(node)
            case ast.If():
                found += _top([*node.body, *node.orelse])
            case ast.Try():
                found += _top([*node.body, *node.orelse, *node.finalbody, *(s for h in node.handlers for s in h.body)])
            case ast.With() | ast.For() | ast.While():
                found += _top(node.body)
            case _:
                pass
    return found


def value_of(m: Interpreter, one: Uncalled) -> Value:
    """What the definition bound, in this run; MISSING where it was bound to something else since."""
    space = m.modules.main.space
    if one.owner is None:
        return space.get(one.node.name, MISSING)
    cls = space.get(one.owner.name, MISSING)
    return cls.space.get(one.node.name, MISSING) if isinstance(cls, Class) else MISSING


def was_entered(value: Value) -> bool:
    """Whether some run has called the function already."""
    match value:
        case StaticMethod(inner) | ClassMethod(inner):
            return was_entered(inner)
        case Property():
            return was_entered(value.get)
        case Function():
            return value.code.body is not None
        case _:
            return False


def open_arguments(one: Uncalled) -> list[str]:
    """The names of the arguments that a caller must give."""
    a = one.node.args
    positional = [*a.posonlyargs, *a.args]
    needed = positional[: len(positional) - len(a.defaults)] + [k for k, d in zip(a.kwonlyargs, a.kw_defaults) if d is None]
    return [x.arg for x in needed if not (one.owner is not None and positional and x is positional[0] and not _static(one.node))]


def picks_argument(one: Uncalled) -> bool:
    """Whether it takes any number of arguments, and one of them by its position: there may be fewer."""
    more = one.node.args.vararg
    return more is not None and any(isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == more.arg for n in ast.walk(one.node))


def _static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)


def call(m: Interpreter, one: Uncalled, tensors: dict[str, TensorType]) -> str:
    """Call it in this run; the text says why that could not be done, if it could not."""
    for name in changed_globals(m.modules.main_source.tree) & set(m.modules.main.space):
        m.heap.set(m.modules.main.space, name, Unknown(name))
    node = ast.copy_location(ast.Call(ast.Name(one.node.name, ast.Load()), [], []), one.node)
    ast.fix_missing_locations(node)
    value = value_of(m, one)
    try:
        if one.owner is None:
            callee = value
        else:
            cls = m.modules.main.space.get(one.owner.name, MISSING)
            if not isinstance(cls, Class):
                return "its class is not known"
            if isinstance(value, Function | Property):
                me = _instance(m, cls, one.owner, node)
                if one.node.name == "__init__":
                    return ""
                inside = tensors and one.node.name == "call" and of_keras(m, one)  # the layer builds itself first
                callee = me if inside else Bound(value if isinstance(value, Function) else value.get, me)
            else:
                callee = value.function if isinstance(value, StaticMethod) else Bound(value.function, cls) if isinstance(value, ClassMethod) else MISSING
        if callee is MISSING or isinstance(callee, Unknown):
            return "what it is bound to is not known"
        args, kwargs = arguments(m, one, callee, tensors)
        made = m.call(callee, args, kwargs, node)
        if isinstance(made, Generator):
            return _first_values(m, made, node)
    except Raised as raised:
        m.uncaught(raised)
    except Dead:
        pass
    return ""


def _first_values(m: Interpreter, generator: Generator, node: ast.AST) -> str:
    for _ in range(_VALUES):
        if advance(m, generator, node) is END:
            return ""
    return f"of what it yields only the first {_VALUES} values were followed"


def of_keras(m: Interpreter, one: Uncalled) -> bool:
    """Whether a method's class is a layer or a model of Keras."""
    cls = m.modules.main.space.get(one.owner.name, MISSING)
    return isinstance(cls, Class) and any(isinstance(base, Named) and base.name.startswith(("keras.", "tf.")) for base in cls.mro)


def arguments(m: Interpreter, one: Uncalled, callee: Value, tensors: dict[str, TensorType]) -> tuple[tuple[Value, ...], dict[str, Value]]:
    a = one.node.args
    skipped = 1 if isinstance(callee, (Bound, Instance)) else 0
    every = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(every) - len(a.defaults)) + list(a.defaults)
    args = [tensors.get(x.arg, _unknown(m, x, d)) for x, d in zip(every, defaults)][skipped:]
    if one.node.name == "__getitem__" and len(args) == 1 and _is_dataset(m, one):
        args = [symbol(every[-1].arg, 0, None, Origin.USER)]
    if a.vararg is not None:
        args.append(COLLECTED)
    return tuple(args), {k.arg: tensors.get(k.arg, _unknown(m, k, d)) for k, d in zip(a.kwonlyargs, a.kw_defaults)}


def _is_dataset(m: Interpreter, one: Uncalled) -> bool:
    cls = m.modules.main.space.get(one.owner.name, MISSING)
    return isinstance(cls, Class) and any(isinstance(base, Named) and base.name == "torch.utils.data.Dataset" for base in cls.mro)


def _unknown(m: Interpreter, argument: ast.arg, default: Value = None) -> Value:
    """Any value of the kind that the annotation or the default tells; what has a default may be given another value."""
    kind = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    if isinstance(default, ast.Constant) and not kind:
        kind = type(default.value).__name__
    match kind:
        case "int":
            return symbol(argument.arg, _LEAST, None, Origin.USER)
        case "bool":
            return m.open_truth(argument.arg, argument)
        case "float":
            return Unknown(argument.arg, number="float")
        case "str":
            return Unknown(argument.arg, text=True)
        case _:
            return Unknown(argument.arg)


# --- objects ---


def instance(m: Interpreter, one: Uncalled) -> Value:
    """The object that a method is entered with; None where its class is not known."""
    cls = m.modules.main.space.get(one.owner.name, MISSING)
    return _instance(m, cls, one.owner, one.node) if isinstance(cls, Class) else None


def _instance(m: Interpreter, cls: Class, node: ast.ClassDef, at: ast.AST) -> Value:
    """An object of a class as any of its methods may find it."""
    init = m.in_class(cls, "__init__")
    if cls_is(cls, Named("torch.nn.Module")) or not isinstance(init, Function):
        given = {a.arg: constructor_value(m, a, cls.name) for a in parameters(init)}
        made = m.call(cls, _with_more(init, given), given, at)
    else:
        a = init.code.node.args
        every = [*a.posonlyargs, *a.args]
        defaults = [None] * (len(every) - len(a.defaults)) + list(a.defaults)
        named = {k.arg: _unknown(m, k, d) for k, d in zip(a.kwonlyargs, a.kw_defaults)}
        more = () if a.vararg is None else (COLLECTED,)
        made = m.call(cls, (*(_unknown(m, x, d) for x, d in zip(every[1:], defaults[1:])), *more), named, at)
    if isinstance(made, Instance):
        for name in changed_attributes(node) & set(made.space):
            m.heap.set(made.space, name, Unknown(name))
        for name in [n for n, v in made.space.items() if v is None]:
            m.heap.set(made.space, name, Unknown(name))
    return made


def _with_more(init: Value, given: dict[str, Value]) -> tuple[Value, ...]:
    """The positional arguments of a constructor that takes any number of them: those that are given, the defaults, and items that are not counted."""
    if not isinstance(init, Function) or init.code.node.args.vararg is None:
        return ()
    a = init.code.node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)][1:]
    return (*(given.pop(name) for name in names if name in given), *init.defaults, COLLECTED)


@lru_cache(maxsize=8)
def changed_globals(tree: ast.Module) -> set[str]:
    """The lists, dicts and settings of a file that its functions fill or set."""
    found: set[str] = set()
    for function in (n for n in ast.walk(tree) if isinstance(n, Definition)):
        for inner in ast.walk(function):
            match inner:
                case ast.Global(names=names):
                    found |= set(names)
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=word)) if word in _CHANGING:
                    found.add(name)
                case _:
                    pass
    return found


def changed_attributes_of(one: Uncalled) -> set[str]:
    return changed_attributes(one.owner) if one.owner is not None else set()


def changed_attributes(node: ast.ClassDef) -> set[str]:
    """The attributes of `self` that methods other than `__init__` set or fill."""
    found: set[str] = set()
    for method in (n for n in node.body if isinstance(n, Definition) and n.name != "__init__"):
        for inner in ast.walk(method):
            match inner:
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name), ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr=word)) if word in _CHANGING:
                    found.add(name)
                case _:
                    pass
    return found
