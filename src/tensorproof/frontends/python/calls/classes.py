"""Classes of the program: their bodies, the order of their bases, construction of instances."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import metaclasses
from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.calls import decorating, unseen_bases
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Scope, class_scope, inner_scopes
from tensorproof.libraries import registry, signatures
from tensorproof.libraries.python.annotations import ALIAS
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, ClassMethod, Function, Instance, Model, Native, Property
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def _base(value: Value) -> Value:
    """A class of Python's own that the program derives from, by the name of its model."""
    if type(value) is Unknown and value.key == value.reason and value.key:
        return Named(value.reason)
    if isinstance(value, Model) and value.kind == ALIAS:  # class Names(list[str])
        return _base(value.space["__origin__"])
    return Named(f"builtins.{value.__name__}") if value is dict or value is list else value


def compile_class(node: ast.ClassDef, scope: Scope) -> Callable[[Frame], Value]:
    inner = class_scope(node, scope)
    bases = [scope.expression(b.value if isinstance(b, ast.Starred) else b) for b in node.bases]
    keywords = [(k.arg, scope.expression(k.value)) for k in node.keywords]
    body = inner.block(node.body)
    decorators = [(scope.expression(d), d) for d in reversed(node.decorator_list)]

    def run(frame: Frame) -> Any:
        m = frame.machine
        named = {k: v(frame) for k, v in keywords if k is not None}
        cls = Class(node.name, tuple(_base(b(frame)) for b in bases), m.heap.space(), span=m.span(node), module=frame.module)
        cls.mro = order(m, cls, node)
        own = frame.inner(cls.space, inner_scopes(frame, scope))
        own.owner = cls
        own.function = None
        body(own)
        if "__getattribute__" in cls.space:
            m.model_state.setdefault("own lookup", [])
        for name, value in list(cls.space.items()):
            if isinstance(value, Instance):
                hook = _in(m, value.cls, "__set_name__")
                if hook is not MISSING:
                    m.call(Bound(hook, value), (cls, name), {}, node)
        cls.mro = unseen_bases.completed(cls)
        if m.directives.data:
            from tensorproof.libraries.data import given as given_data

            given_data.of_class(m, cls)
        if not metaclasses.given_to(m, cls, named.pop("metaclass", None), node):
            m.gap(f"class {cls.name}", node, "its metaclass is not followed")
            cls.mro = (*cls.mro, Unknown("metaclass"))
        made: Value = registry.class_made(m, cls, named, node)
        if isinstance(made, Class):
            _init_subclass(m, made, named, node)
        for decorator, at in decorators:
            made = decorating.decorated(m, decorator(frame), made, at)
        return made

    return run


def _in(m: Interpreter, cls: Class, name: str) -> Value:
    return in_class(m, cls, name)[0]


def _init_subclass(m: Interpreter, cls: Class, named: dict[str, Value], node: ast.AST) -> None:
    hook, _ = in_class(m, cls, "__init_subclass__", cls)
    if hook is not MISSING:
        function = hook.function if isinstance(hook, ClassMethod) else hook
        m.call(Bound(function, cls), (), named, node)


def order(m: Interpreter, cls: Class, node: ast.AST) -> tuple[Value, ...]:
    """The order in which classes are searched (C3)."""

    def lineage(base: Value) -> list[Value]:
        return list(base.mro) if isinstance(base, Class) else [base]

    sequences = [lineage(b) for b in cls.bases if b is not object] + [[b for b in cls.bases if b is not object]]
    result: list[Value] = [cls]
    while sequences := [s for s in sequences if s]:
        for sequence in sequences:
            head = sequence[0]
            if not any(_holds(other[1:], head) for other in sequences):
                break
        else:
            raise m.raised("TypeError", f"the bases of {cls.name} have no consistent order", node)
        result.append(head)
        sequences = [s[1:] if _alike(s[0], head) else s for s in sequences]
    return tuple(result)


def _alike(a: Value, b: Value) -> bool:
    return a is b or (isinstance(a, Named) and isinstance(b, Named) and a.name == b.name)


def _holds(sequence: list[Value], item: Value) -> bool:
    return any(_alike(s, item) for s in sequence)


def construct(m: Interpreter, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """`Cls(...)`."""
    called = metaclasses.calls(m, cls) if cls.meta is not None else MISSING
    return made(m, cls, args, kwargs, node) if called is MISSING else m.call(called, args, kwargs, node)


def made(m: Interpreter, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """A new object of a class, whatever its metaclass makes of a call."""
    unseen_bases.count(m, cls, node)
    special = registry.construct(m, cls, args, kwargs, node)
    if special is not MISSING:
        return special
    builtin = next((c for c in cls.mro if isinstance(c, type) and c is not object and not issubclass(c, BaseException)), None)
    if builtin is property and in_class(m, cls, "__init__")[0] is MISSING:
        return _own_property(m, cls, m.call(property, args, kwargs, node), node)
    if builtin is not None:
        return m.gap(cls.name, node, f"a class that derives from {builtin.__name__}")
    maker, _ = in_class(m, cls, "__new__")
    if isinstance(maker, Function):
        new = m.call(maker, (cls, *args), kwargs, node)
        if not (isinstance(new, Instance) and cls_is(new.cls, cls)):
            return new
    else:
        raised = any(isinstance(c, type) and issubclass(c, BaseException) for c in cls.mro)
        new = Instance(cls, m.heap.space({"args": args} if raised else {}), m.user_span(node))
    init, _ = in_class(m, cls, "__init__")
    if init is not MISSING:
        gaps = len(m.path.gaps)
        m.call(Bound(init, new), args, kwargs, node)
        if cls.name in m.directives.data:  # how it reads its files does not matter then
            del m.path.gaps[gaps:]
        return new
    unseen_bases.fill(m, new, kwargs)
    done = registry.initialise(m, new, args, kwargs, node) or isinstance(maker, Function) or any(_may_take_arguments(c) for c in cls.mro)
    exception = any(isinstance(c, type) and issubclass(c, BaseException) for c in cls.mro)
    if not done and (kwargs or (args and not exception)):
        raise m.raised("TypeError", f"{cls.name} takes no {'keyword ' if exception else ''}arguments", node, "call/arguments")
    return new


def _own_property(m: Interpreter, cls: Class, held: Property, node: ast.AST) -> Instance:
    """An object of a class that derives from property."""

    def with_set(machine: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], at: ast.AST) -> Instance:
        return _own_property(machine, cls, Property(held.get, args[0]), at)

    return Instance(cls, m.heap.space({"fget": held.get, "fset": held.set, "setter": Native("property.setter", with_set)}), m.user_span(node), held)


def _may_take_arguments(base: Value) -> bool:
    """Whether a base of a library, or one that is not known, may make use of the arguments that an object is made with."""
    if not isinstance(base, Named):
        return isinstance(base, Unknown)
    return base.name not in ("abc.ABC", "typing.Generic") and not (base.name.startswith("torch.utils.data.") and signatures.row(base.name) == "-")


def cls_is(cls: Value, wanted: Value) -> bool:
    """Whether a class is another, or derives from it."""
    if isinstance(cls, Class):
        return any(_alike(one, wanted) for one in cls.mro) or any(isinstance(one, Named) and registry.derives(one, wanted) for one in cls.mro)
    return _alike(cls, wanted)


def call_instance(m: Interpreter, instance: Instance, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    found, holder = in_class(m, instance.cls, "__call__")
    if found is not MISSING and (isinstance(holder, Class) or not registry.calls(instance)):
        return m.call(Bound(found, instance), args, kwargs, node)
    return registry.call_instance(m, instance, args, kwargs, node)
