"""tf.Tensor and tf.Variable: their attributes and methods. Operators are spellings; a variable is a tensor that may be assigned to."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.bindings.names import is_public
from tensorproof.libraries import ClassModel, Run, argument
from tensorproof.libraries.tensorflow.kept_values import load
from tensorproof.libraries.tensorflow.shapes import compatible, shape_of, sizes_of
from tensorproof.libraries.tensorflow.traced import SHAPELESS, TRACED
from tensorproof.libraries.tensorflow.traces import makes_variable
from tensorproof.terms import BY_LABEL, DType, Origin, Shape, TensorType, Term, Truth, conj, disj, eq, symbols
from tensorproof.terms.facts import forget
from tensorproof.terms.tensor import OfVariable
from tensorproof.values import BYTES, TEXT, Args, Kwargs, List, Machine, Method, Model, TensorShape, Unknown, Value

STRING = BY_LABEL["string"]
_MORE = ("create", "handle", "is_initialized", "numpy", "path", "read_value_no_copy", "scatter_nd_max", "scatter_nd_min")
"""What a variable has beside the public names of its class."""
_VALUES = {
    "name": TEXT, "handle": Unknown("handle"), "constraint": None, "path": TEXT, "initializer": None, "synchronization": Unknown("synchronization"),
    "aggregation": Unknown("aggregation"), "value_index": 0, "is_packed": False, "backing_device": TEXT,
}  # fmt: skip


def attribute(m: Machine, owner: TensorType, name: str, node: ast.AST) -> Value:
    """An attribute of a tensor or variable of TensorFlow."""
    match name:
        case "shape":
            return shape_of(m, owner)
        case "dtype":
            return owner.dtype if owner.dtype is not None else Unknown("dtype")
        case "ndim" if not owner.parameter:
            return owner.shape.rank if owner.shape.known else Unknown("rank")
        case "device":
            return TEXT
        case "trainable" if owner.parameter:
            return owner.requires_grad
        case "initial_value" if owner.parameter:
            return owner.but(parameter=False)
        case "name" if "tf1 names" in m.model_state:
            return tf_graph().name_of(m, owner)
        case "initializer" | "op" if m.model_state.get("tf1"):
            return tf_graph().operation(m, (owner,) if name == "op" else (), node)
        case "graph" if m.model_state.get("tf1"):
            return tf_graph().graph(m)
        case "op" | "graph":
            return Model("quiet", m.heap.space())
        case _ if name in _VALUES and _has(owner, name):
            return _VALUES[name]
        case "assign" if owner.history is not None and owner.history.part:
            return Method(owner, name)
        case _ if name.startswith("__"):
            return Method(owner, name)
        case _ if not _has(owner, name) and not _later_behaviour(m):
            what = "tf.Variable" if owner.parameter else "tf.Tensor"
            raise m.raised("AttributeError", f"a {what} has no attribute {name}", node)
        case _:
            return Method(owner, name)


def _has(owner: TensorType, name: str) -> bool:
    """Whether tensors, or variables, have an attribute."""
    return is_public(f"tf.{'Variable' if owner.parameter else 'Tensor'}.{name}") is True or (owner.parameter and name in _MORE)


def tf_graph() -> Any:
    """The model of graphs, which only programs for TensorFlow 1 need."""
    from tensorproof.libraries.tensorflow.version1 import graph as tf_graph

    return tf_graph


def _later_behaviour(m: Machine) -> bool:
    """Whether the program turned NumPy's methods on."""
    return bool(m.model_state.get("tf.numpy behaviour"))


def _numpy(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    t = args[0]
    if t.graph is not None:
        raise m.raised("AttributeError", f"while {t.graph.word} is traced a tensor has no numpy()", node)
    if t.taped and m.model_state.get("tf1"):
        raise m.raised("AttributeError", "a tensor of a graph has no numpy(): fetch it with Session.run", node)
    if t.parameter and m.model_state.get(TRACED) is not None:
        raise m.raised("NotImplementedError", "while a function is traced a variable has no numpy()", node, "graph/numpy")
    if t.dtype is STRING and t.shape.known and not t.shape:
        return BYTES
    return m.path.same(t, t.but(framework="numpy", parameter=False, requires_grad=False, history=None))


def _set_shape(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """What static inference learns: sizes that are known must agree; an open one is inferred, and held as a requirement."""
    t, wanted = args[0], sizes_of(m, argument(args, kwargs, 1, "shape"), node)
    m.model_state[SHAPELESS] = False
    if wanted is not None and t.taped:
        tf_graph().set_shape(m, t, wanted, node)
        return None
    if wanted is None:
        return None
    if not t.shape.known:
        sizes = [m.symbol(m.name_here("size", node), 1, None, Origin.USER) if d is None else d for d in wanted]
        _replace(m, t, t.but(shape=Shape(sizes)))
        return None
    if len(wanted) != len(t.shape):
        raise m.raised("ValueError", f"a tensor of shape {t.shape!r} cannot be given the shape {tuple(wanted)}", node, "set_shape/rank")
    refined = [b if isinstance(b, (int, Term)) and _only_guessed(a) else a for a, b in zip(t.shape, wanted)]
    if refined != list(t.shape):
        _replace(m, t, t.but(shape=Shape(refined)))
    agree = conj(*(eq(a, b) for a, b in zip(refined, wanted) if isinstance(b, (int, Term))))
    m.require("set_shape/sizes", agree, f"a tensor of shape {t.shape!r} cannot be given the shape {tuple(wanted)}", node)
    return None


def _only_guessed(size: Value) -> bool:
    """Whether a size is one that we did not follow: the program knows better."""
    return isinstance(size, Term) and all(s.origin is Origin.UNMODELLED for s in symbols(size))


def _replace(m: Machine, old: TensorType, new: TensorType) -> None:
    """The names of the running function that hold a tensor hold what is now known of it."""
    for space in (m.frames[-1].space, *m.frames[-1].scopes):
        for name, value in list(space.items()):
            if value is old:
                m.heap.set(space, name, new)


def _same(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return args[0]


def variable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`tf.Variable(initial_value, trainable, …)`."""
    value = argument(args, kwargs, 0, "initial_value")
    graph = m.model_state.get(TRACED)
    if graph is not None and "tf.function" in graph.word:
        makes_variable(m, node)
    if value is None:
        raise m.raised("ValueError", "a variable needs an initial value", node, "variable/value")
    if not isinstance(value, (TensorType, List, tuple, int, float, bool, str, Term, Unknown, Model)):
        value = m.call(value, (), {}, node)
    dtype = kwargs.get("dtype", args[6] if len(args) > 6 else None)
    trainable = argument(args, kwargs, 1, "trainable")
    made = converted(m, value, dtype, node)
    if not isinstance(made, TensorType):
        return made
    declared = kwargs.get("shape", args[10] if len(args) > 10 else None)
    wanted = None if declared is None else sizes_of(m, declared, node)
    if declared is not None and wanted is None:
        return m.gap("tf.Variable", node, "of a shape that may change")
    if wanted is not None and made.shape.known:
        agrees = compatible(TensorShape(made.shape), wanted)
        m.demand("ValueError", agrees, f"the initial value has shape {made.shape!r}, the variable is declared as {tuple(wanted)}", node, "variable/shape")
        if None in wanted:
            return m.gap("tf.Variable", node, "of a shape that may change")
    learns = trainable is not False and made.dtype is not None
    found = m.path.taken(
        made, made.but(framework="tf", parameter=True, requires_grad=learns, contents=None, weak=False, taped=0, graph=None, history=OfVariable())
    )
    if m.path.program is not None:  # it stays the same object whatever is written into it: what it starts from is known, and no more
        m.path.program.changed(found)
    return tf_graph().variable_made(m, found, kwargs.get("name"), node)


def converted(m: Machine, value: Value, dtype: Value, node: ast.AST) -> Any:
    """A value as a tensor of TensorFlow, as `tf.convert_to_tensor` makes it."""
    if isinstance(value, TensorType) and value.framework == "tf" and (dtype is None or dtype is value.dtype):
        return m.path.same(value, value.but(parameter=False))
    return _constant("tf.convert_to_tensor", m, (value,), {} if dtype is None else {"dtype": dtype}, node)


def text_tensor(m: Machine, value: Value, node: ast.AST) -> TensorType | None:
    """A tensor of texts that a program wrote out; None for what holds no text."""
    if isinstance(value, (str, bytes)) or (isinstance(value, Unknown) and value.text):
        return TensorType(Shape(), STRING, framework="tf")
    if isinstance(value, Model) and value.kind == "texts":
        return TensorType(Shape((value.space["length"],)), STRING, framework="tf")
    if not isinstance(value, (List, tuple)) or isinstance(value, TensorShape):
        return None
    parts = [text_tensor(m, v, node) or v for v in (value.items if isinstance(value, List) else value)]
    texts = [p for p in parts if isinstance(p, TensorType) and p.dtype is STRING]
    if not texts:
        return None
    if len(texts) != len(parts):
        raise m.raised("ValueError", "texts and numbers cannot stand in one tensor", node, "constant/type")
    if any(t.shape != texts[0].shape for t in texts):
        raise m.raised("ValueError", "lists of different lengths do not make a tensor", node, "constant/ragged")
    return TensorType(Shape((len(texts), *texts[0].shape)), STRING, framework="tf")


def _constant(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.constant and tf.convert_to_tensor: texts here, the rest by their spelling."""
    value = argument(args, kwargs, 0, "value")
    texts = None if isinstance(value, TensorType) else text_tensor(m, value, node)
    dtype = argument(args, kwargs, 1, "dtype")
    if texts is None and dtype is not None and not (isinstance(value, TensorType) and value.framework != "numpy"):
        plain = {k: v for k, v in kwargs.items() if k != "dtype"}
        return _typed(m, value, m.spelling(name, (*args[:1], None, *args[2:]) if len(args) > 1 else args, plain, node), dtype, node)
    if texts is None:
        return m.spelling(name, args, kwargs, node)
    dtype = BY_LABEL.get(dtype) if isinstance(dtype, str) else dtype
    if isinstance(dtype, DType) and dtype is not STRING:
        raise m.raised("TypeError", f"a text cannot become a number of element type {dtype.label}", node, "constant/type")
    wanted = kwargs.get("shape", args[2] if len(args) > 2 and name == "tf.constant" else None)
    sizes = None if wanted is None else sizes_of(m, wanted, node)
    return texts if sizes is None else texts.but(shape=Shape(sizes))


def _typed(m: Machine, value: Value, made: Value, dtype: Value, node: ast.AST) -> Value:
    """Numbers of Python or an array that become a tensor of a given type: real numbers do not become whole ones by themselves, arrays do."""
    wanted = BY_LABEL.get(dtype) if isinstance(dtype, str) else dtype
    if not isinstance(made, TensorType) or not isinstance(wanted, DType) or made.dtype is None:
        return made.but(dtype=None, contents=None) if isinstance(made, TensorType) and not isinstance(wanted, DType) else made
    order = "buifc"
    kinds = made.dtype.kind, wanted.kind
    wider = all(k in order for k in kinds) and kinds[0] != "b" and order.index(kinds[0]) > order.index(kinds[1])
    if (wider or wanted is STRING) and not isinstance(value, TensorType):
        raise m.raised("TypeError", f"numbers of {made.dtype} do not become {wanted} by themselves", node, "constant/dtype")
    kept = made.contents if made.dtype.is_integer and wanted.is_integer else None
    return made.but(dtype=wanted, contents=kept)


def _same_shape(new: Shape, old: Shape) -> Truth:
    return conj(*(eq(a, b) for a, b in zip(old, new))) if len(old) == len(new) else False


def _broadcasts(new: Shape, part: Shape) -> Truth:
    """Whether a value can be put into a part of a variable: it may lack leading axes, or have more of size 1."""
    sizes, more = list(new), len(new) - len(part)
    own = sizes[more:] if more > 0 else sizes
    fit = (disj(eq(a, b), eq(a, 1)) for a, b in zip(reversed(own), reversed(part)))
    return conj(*(eq(a, 1) for a in sizes[: max(more, 0)]), *fit)


def _assign(word: str) -> Run:
    def run(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
        me, value = args[0], argument(args, kwargs, 1, "value", kwargs.get("delta"))
        if isinstance(value, Unknown):
            if not value.number and value.ratio is None:
                m.gap(f"tf.Variable.{word}", node, "the value is not known")
                return me
            new: Value = TensorType(Shape(), me.dtype, framework="tf")
        elif isinstance(value, TensorType) and value.framework == "tf":
            new = value
            if None not in (value.dtype, me.dtype) and value.dtype is not me.dtype:
                raise m.raised("ValueError", f"a variable of {me.dtype} cannot be assigned a tensor of {value.dtype}", node, "assign/type")
        else:
            new = converted(m, value, me.dtype, node)
        if isinstance(new, TensorType) and new.shape.known and me.shape.known:
            part = me.history is not None and me.history.part and not me.parameter
            message = f"a {'part of a ' * part}variable of shape {me.shape!r} cannot be assigned a value of shape {new.shape!r}"
            agree = _broadcasts(new.shape, me.shape) if part else _same_shape(new.shape, me.shape)
            if agree is False:
                raise m.raised("ValueError" if word == "assign" and not part else "InvalidArgumentError", message, node, "assign/shape", _made_at(m, me))
            m.require("assign/shape", agree, message, node, trail=_made_at(m, me))
        forget(me)
        return me

    def assign(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return tf_graph().assigned(m, run, word, args, kwargs, node) if m.model_state.get("tf1") else run(m, args, kwargs, node)

    return assign


def _made_at(m: Machine, variable: TensorType) -> Any:
    from tensorproof.diagnostics.diagnostic import Step

    where = m.made_at.get(id(variable))
    return (Step(where[2], f"{where[1]} is {variable!r} from here"),) if where is not None and where[0] is variable else ()


def _scatter_nd(word: str, m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    indices, updates = argument(args, kwargs, 1, "indices"), argument(args, kwargs, 2, "updates")
    m.spelling(f"tf.tensor_scatter_nd_{word}", (args[0].but(parameter=False), indices, updates), {}, node)
    return args[0]


def _scatter_slices(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
    """`v.scatter_add(tf.IndexedSlices(values, indices))`."""
    me, given = args[0], argument(args, kwargs, 1, "sparse_delta")
    if not isinstance(given, Model) or given.kind != "tf.IndexedSlices":
        if isinstance(given, TensorType):
            raise m.raised("TypeError", "the update must be tf.IndexedSlices", node, "scatter/slices")
        m.gap("tf.Variable.scatter", node, "the slices are not known")
        return me
    values, indices = given.space["values"], given.space["indices"]
    if isinstance(values, TensorType) and isinstance(indices, TensorType) and values.shape.known and indices.shape.known and me.shape.known:
        wanted = (*indices.shape, *me.shape[1:])
        agree = conj(*(eq(a, b) for a, b in zip(values.shape, wanted))) if len(wanted) == len(values.shape) else False
        if values.shape:
            m.require("scatter/slices", agree, f"updates of shape {values.shape!r} must be {tuple(wanted)}, the indexed rows", node)
    return me


def _indexed_slices(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, indices = (converted(m, argument(args, kwargs, i, w), None, node) for i, w in enumerate(("values", "indices")))
    return Model("tf.IndexedSlices", m.heap.space({"values": values, "indices": indices, "dense_shape": argument(args, kwargs, 2, "dense_shape")}))


def refuse_items(m: Machine, owner: TensorType, node: ast.AST) -> None:
    """`x[i] = v`."""
    what = "tf.Variable" if owner.parameter else "tf.Tensor"
    hint = "x[i].assign(v)" if owner.parameter else "tf.tensor_scatter_nd_update"
    raise m.raised("TypeError", f"items of a {what} cannot be assigned: use {hint}", node, "python/type")


def _ref(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return id(args[0])


def _read(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    return args[0].but(parameter=False)


METHODS: dict[str, Any] = {
    "numpy": _numpy,
    "get_shape": lambda m, a, k, n: shape_of(m, a[0]),
    "set_shape": _set_shape, "cpu": _same, "gpu": _same, "ref": _ref, "experimental_ref": _ref,
    "value": lambda m, a, k, n: a[0].but(parameter=False),
    "read_value": _read, "read_value_no_copy": _read, "assign": _assign("assign"), "assign_add": _assign("assign_add"),
    "assign_sub": _assign("assign_sub"),
    "sparse_read": lambda m, a, k, n: m.spelling("tf.gather", (a[0], argument(a, k, 1, "indices")), {}, n),
    "gather_nd": lambda m, a, k, n: m.spelling("tf.gather_nd", (a[0], argument(a, k, 1, "indices")), {}, n),
    **{f"scatter_nd_{w}": partial(_scatter_nd, w) for w in ("update", "add", "sub", "max", "min")},
    **{f"scatter_{w}": _scatter_slices for w in ("add", "sub", "update", "max", "min", "mul", "div")}, "is_initialized": lambda m, a, k, n: True,
    "consumers": lambda m, a, k, n: Unknown("consumers"), "initialized_value": _read, "load": load,
}  # fmt: skip
CLASSES = {name: ClassModel(name, closed=False) for name in ("tf.Variable", "tf.Tensor")}
FUNCTIONS: dict[str, Run] = {**{f"tf.Tensor.{k}": v for k, v in METHODS.items()}, "tf.Variable": variable, "tf.IndexedSlices": _indexed_slices,
                             "tf.constant": partial(_constant, "tf.constant"), "tf.convert_to_tensor": partial(_constant, "tf.convert_to_tensor")}  # fmt: skip
