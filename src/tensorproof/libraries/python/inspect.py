"""inspect: signatures of the program's own functions, and what kind of thing a value is."""

from __future__ import annotations

import ast

from tensorproof.libraries import KindModel, Run, argument, signatures
from tensorproof.libraries.python.typing import open_methods
from tensorproof.values import MISSING, TEXT, Args, Bound, Class, Dict, Function, Instance, Kwargs, List, Machine, Model, ModuleFile, Named, Unknown, Value

KINDS_OF_PARAMETER = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")


def _function(m: Machine, value: Value) -> tuple[Value, bool]:
    """The function whose arguments a call takes, and whether its first is already bound."""
    if isinstance(value, Bound):
        return _function(m, value.function)[0], True
    if isinstance(value, Class):
        init = m.in_class(value, "__init__")
        return (init, True) if init is not MISSING else (None, True)
    if isinstance(value, Function) and value.space is not None and "__wrapped__" in value.space:
        return _function(m, value.space["__wrapped__"])
    return value, False


def _signature(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, bound = _function(m, args[0])
    known = signatures.names(args[0].name) if isinstance(args[0], Named) and args[0].name.startswith("torch.optim.") else []
    if known:
        found = {name: _parameter(m, name, 1, Unknown("a default")) for name in known}
        return Model("inspect.Signature", m.heap.space({"parameters": Dict(m.heap.entries(found))}))
    if not isinstance(function, Function):
        return m.gap("inspect.signature", node, "of something that is not a function of the program")
    a = function.code.node.args
    positional = [*((p.arg, 0) for p in a.posonlyargs), *((p.arg, 1) for p in a.args)]
    first_default = len(positional) - len(function.defaults)
    found = {}
    for i, (name, kind) in enumerate(positional):
        default = function.defaults[i - first_default] if i >= first_default else EMPTY
        found[name] = _parameter(m, name, kind, default)
    if bound and positional:
        del found[positional[0][0]]
    if a.vararg is not None:
        found[a.vararg.arg] = _parameter(m, a.vararg.arg, 2, EMPTY)
    for p in a.kwonlyargs:
        found[p.arg] = _parameter(m, p.arg, 3, function.keyword_defaults.get(p.arg, EMPTY))
    if a.kwarg is not None:
        found[a.kwarg.arg] = _parameter(m, a.kwarg.arg, 4, EMPTY)
    return Model("inspect.Signature", m.heap.space({"parameters": Dict(m.heap.entries(found))}))


EMPTY = Named("inspect.Parameter.empty")


def _parameter(m: Machine, name: str, kind: int, default: Value) -> Model:
    constants = {word: i for i, word in enumerate(KINDS_OF_PARAMETER)}
    return Model("inspect.Parameter", m.heap.space({"name": name, "kind": kind, "default": default, "empty": EMPTY, "annotation": EMPTY, **constants}))


def _is(*kinds: type) -> Run:
    return lambda m, args, kwargs, node: Unknown("inspect") if isinstance(args[0], Unknown) else isinstance(args[0], kinds)


def _members(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The names and values of a class or a module of the program, in order."""
    owner, wanted = args[0], args[1] if len(args) > 1 else kwargs.get("predicate")
    if isinstance(owner, ModuleFile):
        m.run_module(owner, "__all__")
        names = sorted(n for n in owner.space if isinstance(n, str) and not n.startswith("__"))
    elif isinstance(owner, (Class, Instance)) and all(isinstance(c, Class) for c in (owner if isinstance(owner, Class) else owner.cls).mro):
        listed = m.iterate(m.call(dir, (owner,), {}, node), node) or ()
        names = [n for n in listed if not n.startswith("__")]
    else:
        return m.gap("inspect.getmembers", node, "of something that is not known")
    found: list[Value] = []
    for name in names:
        value = m.attribute(owner, name, node)
        if wanted is None or m.truth(m.call(wanted, (value,), {}, node), node) is True:
            found.append((name, value))
    return List(m.heap.row(found))


def _argument_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, _ = _function(m, args[0])
    if not isinstance(function, Function):
        return Unknown("an argument list")
    a = function.code.node.args
    names = List(m.heap.row([p.arg for p in [*a.posonlyargs, *a.args]]))
    space = {"args": names, "varargs": a.vararg.arg if a.vararg else None, "varkw": a.kwarg.arg if a.kwarg else None, "defaults": function.defaults or None}
    more = {"kwonlyargs": List(m.heap.row([p.arg for p in a.kwonlyargs])), "kwonlydefaults": Dict(m.heap.entries(dict(function.keyword_defaults)))}
    return Model("inspect.Signature", m.heap.space({**space, **more}))


def _source(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The text of a module that was read, or of a function in it."""
    value, _ = _function(m, argument(args, kwargs, 0, "object"))
    module = value.module if isinstance(value, Function) else value
    read = m.model_state["files read"].get(module.path) if isinstance(module, ModuleFile) else None
    if read is None:
        return TEXT
    if not isinstance(value, Function):
        return read.text
    written = value.code.node
    first = min([written.lineno, *(one.lineno for one in getattr(written, "decorator_list", ()))])
    return "".join(read.text.splitlines(keepends=True)[first - 1 : written.end_lineno])


FUNCTIONS: dict[str, Run] = {
    "inspect.getsource": _source,
    "inspect.getmembers": _members,
    "inspect.isabstract": lambda m, a, k, n: isinstance(a[0], Class) and bool(open_methods(m, a[0])),
    "inspect.signature": _signature,
    "inspect.isclass": lambda m, a, k, n: isinstance(a[0], (Class, type)) or (isinstance(a[0], Named) and a[0].name.rpartition(".")[2][:1].isupper()),
    "inspect.isfunction": _is(Function), "inspect.ismethod": _is(Bound), "inspect.ismodule": _is(ModuleFile), "inspect.isgeneratorfunction": _is(),
    "inspect.getfullargspec": _argument_list, "inspect.getargspec": _argument_list,
}  # fmt: skip
KINDS = {"types.CodeType": KindModel()}
