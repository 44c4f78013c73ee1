"""How torch makes tensors from Python values, and fills them (nn.init)."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from tensorproof.bindings.adapters import Ragged, Run, Value, array_like, takes, tensor_in
from tensorproof.ops.inputs import Anything, Bool, Choice, ElementType, Float, Floats, Ints, Number, Tensor, is_size
from tensorproof.ops.storage import format_strides
from tensorproof.terms import BY_LABEL, FLOAT32, FLOAT64, UNKNOWN_STRIDES, DType, TensorType, conj, dataclass, eq, ge, gt, le


def _leaf(made: TensorType, a: dict[str, Value], run: Run) -> TensorType:
    if a.get("requires_grad") is not True:
        return made
    differentiable = made.dtype is None or made.dtype.is_float or made.dtype.is_complex
    run.require("gradient", differentiable, f"a tensor of {made.dtype!r} cannot require a gradient", ("requires_grad",))
    return run.noted(made, requires_grad=True)


@takes(
    Ints("size", least=0, shape=True, one=False), Ints("stride", least=0, one=False), Ints("order", one=False), Bool("periodic"), Float("alpha"), Float("beta")
)
def leaf(a: dict[str, Value], run: Run) -> TensorType:
    """A new tensor, which may require a gradient."""
    made = run.one(a)
    x, memory = a.get("x"), a.get("memory_format")
    if memory is not None and isinstance(made, TensorType):
        made = run.noted(made, strides=format_strides(x if isinstance(x, TensorType) else made, memory, True))
    return _leaf(made, a, run)


def exact(a: dict[str, Value], run: Run) -> TensorType:
    """The result is written only into a tensor of its own element type."""
    made = run.one(a)
    out = a.get("out")
    if isinstance(out, TensorType) and None not in (out.dtype, made.dtype) and out.dtype is not made.dtype:
        raise run.refuse("out", f"out has element type {out.dtype!r}, and the result {made.dtype!r}; they must be one", ("out",))
    return made


_MATRIX = Choice("data", ([[1, 2], [3, 4]], [[0.5], [1.5], [2.5]], [[True, False]], [[]], [[[1]], [[2]]]))
DATA = Anything("data", like=(Ints("data", one=False), Tensor("data"), Number("data"), _MATRIX))


@takes(DATA)
def tensor(a: dict[str, Value], run: Run) -> TensorType:
    """torch.tensor: numbers, nested sequences of them, or another array."""
    data, dtype = a["data"], a.get("dtype")
    if isinstance(data, TensorType):
        _forwards(run, data)
        return _leaf(run("constant", data=data, dtype=dtype), a, run)
    if isinstance(data, range):
        data = list(data)
    _of_numbers(run, data)
    if data is None or isinstance(data, (str, dict, set)):
        raise run.refuse("data", f"a tensor cannot be made of {data!r}", ("data",))
    try:
        made = array_like("torch", data, None)
    except Ragged:
        raise run.refuse("ragged", "the nested lists have unequal lengths", ("data",)) from None
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    if made.dtype is not None and made.dtype.is_float:
        made = made.but(dtype=run.session.default_float if made.dtype.bits == 32 else made.dtype)
    return _leaf(run("constant", data=made, dtype=dtype or made.dtype), a, run)


def _of_numbers(run: Run, data: Value) -> None:
    """A list of tensors becomes one of numbers, so each must hold one."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    if isinstance(data, TensorType) and data.framework == "torch" and not data.weak and data.shape.known:
        single = eq(data.shape.numel, 1)
        if single is False:
            raise run.refuse("elements", f"tensors in a list must have one element each, and one is {data.shape!r}: use torch.stack", ("data",))


def _forwards(run: Run, data: TensorType) -> None:
    """torch takes no array whose elements lie backwards in memory, as those of `x[::-1]` and `np.flip(x)` do."""
    steps = data.strides if data.framework == "numpy" and data.strides != UNKNOWN_STRIDES else None
    if steps is not None and any(type(step) is int and step < 0 for step in steps) and ge(data.shape.numel, 1) is True:
        raise run.refuse("backwards", f"an array with negative strides {data.strides!r} does not become a tensor: make a copy() of it first", ("data",))


@takes(Anything("data", like=(Tensor("data"),)), Bool("requires_grad", True), Bool("persistent", True))
def parameter(a: dict[str, Value], run: Run) -> TensorType:
    """nn.Parameter and nn.Buffer around a tensor."""
    data = a.get("data")
    if data is None:
        data = run("empty", size=(0,))
    if not isinstance(data, TensorType):
        raise run.refuse("data", "a parameter is made of a tensor", ("data",))
    else:
        data = run.noted(run("detach", x=data), weak=False)
    return _leaf(data, a, run)


@dataclass(frozen=True, slots=True)
class Data:
    """Data, and no sizes: a list, a tuple or a tensor."""

    name: str
    default: Any = None
    optional: bool = False
    like: tuple[Any, ...] = (Ints("data", one=False), Tensor("data"), _MATRIX)

    def takes(self, value: Value) -> bool:
        return isinstance(value, (list, tuple, TensorType))

    def read(self, value: Value) -> Value:
        return value


@takes(Data("data"))  # type: ignore[arg-type]
def legacy(a: dict[str, Any], run: Run) -> TensorType:
    """torch.FloatTensor([...]): data with the element type in the name."""
    other = isinstance(a["data"], TensorType) and tensor_in(a, "data").framework == "torch"
    if run.name == "torch.Tensor" and other:
        return run("identity", x=a["data"])
    dtype = a["dtype"] if isinstance(a["dtype"], DType) else BY_LABEL[a["dtype"]]
    if other and tensor_in(a, "data").dtype is not None and tensor_in(a, "data").dtype is not dtype:
        raise run.refuse("dtype", f"{run.name} takes a tensor of {dtype!r}, not of {tensor_in(a, 'data').dtype!r}", ("data",))
    return tensor({"data": a["data"], "dtype": dtype}, run)


@takes(Tensor("x"), Ints("size", least=0, shape=True), Number("value"), ElementType())
def new(a: dict[str, Value], run: Run) -> TensorType:
    """x.new_zeros(size): as torch.zeros, with the element type of x."""
    dtype = a.get("dtype") or tensor_in(a, "x").dtype
    if run.row.op == "full":
        return _leaf(run("full", size=a["size"], value=a["value"], dtype=dtype), a, run)
    if run.row.op == "empty_strided":
        return _leaf(run("empty_strided", size=a["size"], stride=a["stride"], dtype=dtype), a, run)
    return _leaf(run("empty", size=a["size"], dtype=dtype), a, run)


@takes(Tensor("x"), DATA)
def new_tensor(a: dict[str, Value], run: Run) -> TensorType:
    return tensor({"data": a["data"], "dtype": a.get("dtype") or tensor_in(a, "x").dtype, "requires_grad": a.get("requires_grad")}, run)


@takes(Tensor("x"), Data("data"))  # type: ignore[arg-type]
def new_legacy(a: dict[str, Value], run: Run) -> TensorType:
    """x.new(data): a tensor must have the element type of x, and a list takes it."""
    data, dtype = a["data"], tensor_in(a, "x").dtype
    if isinstance(data, TensorType) and data.framework == "torch" and None not in (data.dtype, dtype):
        run.require("dtype", data.dtype is dtype, f"data must be of element type {dtype!r}, and is of {data.dtype!r}", ("data", "x"))
    return new_tensor(a, run)


def from_numpy(a: dict[str, Value], run: Run) -> TensorType:
    if not isinstance(a["data"], TensorType):
        raise run.refuse("call/arguments", "from_numpy takes a NumPy array", ("data",))
    if tensor_in(a, "data").framework in ("torch", "tf", "keras") and run.name == "torch.from_numpy":
        raise run.refuse("call/arguments", "from_numpy takes a NumPy array, and this is a tensor already", ("data",))
    _forwards(run, a["data"])
    return run("identity", x=a["data"])


def normal(a: dict[str, Value], run: Run) -> TensorType:
    """torch.normal with sizes: mean and std are numbers."""
    std = a["std"]
    run.require("std", not isinstance(std, (int, float)) or std >= 0, f"the standard deviation must not be negative, and is {std!r}", ("std",))
    drawn = run("random", size=a["size"], dtype=a.get("dtype"), distribution="normal", mean=a["mean"], std=std)
    return _leaf(drawn, a, run)


def normal_of(a: dict[str, Value], run: Run) -> Value:
    """torch.normal with tensors; the operator of ATen takes a tensor of one element for a number where no overload is named."""
    mean, std = a["mean"], a["std"]
    if run.name.startswith("aten.") and isinstance(mean, TensorType) and isinstance(std, TensorType) and not (mean.weak or std.weak):
        if mean.shape.numel == 1 and (mean.shape != std.shape or mean.dtype is not std.dtype):
            raise run.give_up("a mean of one element is a tensor or a number, as the overload has it")
        if std.shape.numel == 1 and len(std.shape) > len(mean.shape):
            raise run.give_up("a deviation of one element is a tensor or a number, as the overload has it")
    return run.default(a)


def gaussian_window(a: dict[str, Value], run: Run) -> TensorType:
    """A window with a positive width."""
    width = a.get("std", a.get("tau"))
    run.require("width", not isinstance(width, (int, float)) or width > 0, f"the width must be positive, and is {width!r}", ("std",))
    run.require("center", a.get("center") is None or a.get("sym") is False, "center can be given only for a window that is not symmetric", ("center",))
    return signal_window(a, run)


def signal_window(a: dict[str, Value], run: Run) -> TensorType:
    """torch.signal.windows: of float32 or float64, and dense."""
    run.require("dtype", a.get("dtype") in (None, FLOAT32, FLOAT64), f"a window has elements of float32 or float64, not {a.get('dtype')!r}", ("dtype",))
    layout = str(a.get("layout")).removeprefix("torch.")
    run.require("layout", layout in ("None", "strided"), f"a window is a strided tensor, not {layout}", ("layout",))
    return leaf(a, run)


def cosine_window(a: dict[str, Any], run: Run) -> TensorType:
    """A sum of cosines with given coefficients."""
    factors = a["a"]
    run.require("coefficients", isinstance(factors, (list, tuple)), "the coefficients must be a list of numbers", ("a",))
    run.require("coefficients", len(factors) > 0, "the coefficients must not be empty", ("a",))
    return signal_window(a, run)


def scalar(a: dict[str, Value], run: Run) -> Value:
    """torch.scalar_tensor: of the default float type whatever the number is."""
    value = a["value"]
    default = run.session.default_float.complexified if isinstance(value, complex) else run.session.default_float
    return _leaf(run("full", size=(), value=value, dtype=a.get("dtype") or default), a, run)


def linalg_vander(a: dict[str, Any], run: Run) -> TensorType:
    """torch.linalg.vander takes leading axes."""
    x: TensorType = a["x"]
    if not len(x.shape):
        x = run("reshape", x=x, size=(1,))
    columns = x.shape[-1] if a["n"] is None else a["n"]
    run.require("columns", gt(columns, 1), f"N must be greater than 1, and is {columns!r}", ("n",))
    return run("vander", x=x, n=a["n"], increasing=True)


def frombuffer(a: dict[str, Value], run: Run) -> TensorType:
    """As many elements as the buffer holds, which is seldom known."""
    count = a["count"] if a["count"] != -1 else run.fresh("buffer", 1)
    return _leaf(run("empty", size=(count,), dtype=a["dtype"]), a, run)


def bounded(a: dict[str, Any], run: Run) -> Value:
    low = a.get("low", 0)
    dtype = tensor_in(a, "x").dtype if "x" in a else None
    ends = dtype.whole_ends if dtype is not None and is_size(low) and is_size(a["high"]) else None
    if ends is not None:
        run.require("bounds", conj(ge(low, ends[0]), le(a["high"], ends[1] + 1)), f"{low!r} up to {a['high']!r} is beyond {dtype!r}", ("high",))
    run.require("range", gt(a["high"], low), f"there is no whole number from {low!r} up to, and without, {a['high']!r}", ("low", "high"))
    return run.default(a)


@takes(Tensor("x"), Floats("data", optional=False))
def numbers(a: dict[str, Value], run: Run) -> TensorType:
    """torch.tensor of a number or a flat list of them."""
    return new_tensor(a, run) if "x" in a else tensor(a, run)


_SLOPE = 0.01
_GAINS = {"tanh": 5.0 / 3, "relu": sqrt(2.0), "selu": 0.75}
_PLAIN = "sigmoid linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
"""Functions with a gain of 1."""
_NONLINEARITIES = ("leaky_relu", *_GAINS, *_PLAIN.split())


def _fans(x: TensorType) -> tuple[int, int] | None:
    """How many inputs and outputs a unit has; None where a size is not known, or is 0, where nothing is drawn."""
    if not x.shape.known or not all(type(n) is int and n > 0 for n in x.shape):
        return None
    rows, columns, *field = (int(n) for n in x.shape)
    return columns * prod(field), rows * prod(field)


def _xavier(a: dict[str, Any]) -> float | None:
    fans, gain = _fans(a["x"]), a["gain"]
    return float(gain) * sqrt(2.0 / sum(fans)) if fans is not None and isinstance(gain, (int, float)) else None


def gain(word: str, slope: Value) -> float | None:
    """What a function makes of the deviation; None where its slope is not known, or it has none."""
    if word not in _NONLINEARITIES:
        return None
    if word != "leaky_relu":
        return _GAINS.get(word, 1.0)
    known = _SLOPE if slope is None else slope
    return sqrt(2.0 / (1 + known**2)) if isinstance(known, (int, float)) else None


def _kaiming(a: dict[str, Any], run: Run) -> float | None:
    fans, slope, word, mode = _fans(a["x"]), a["a"], a["nonlinearity"], a["mode"]
    if fans is None or not isinstance(word, str) or not isinstance(mode, str):
        return None
    run.require("mode", mode.lower() in ("fan_in", "fan_out"), f"the mode is fan_in or fan_out, and not {mode!r}", ("mode",))
    run.require("nonlinearity", word in _NONLINEARITIES, f"no gain is known for {word!r}", ("nonlinearity",))
    factor = gain(word, slope)
    return None if factor is None else factor / sqrt(fans[mode.lower() == "fan_out"])


def _uniform(a: dict[str, Value], run: Run, std: float | None) -> TensorType:
    end = None if std is None else sqrt(3.0) * std
    return run("uniform_fill", x=a["x"], low=None if end is None else -end, high=end)


def xavier_uniform(a: dict[str, Value], run: Run) -> TensorType:
    return _uniform(a, run, _xavier(a))


def xavier_normal(a: dict[str, Value], run: Run) -> TensorType:
    return run("normal_fill", x=a["x"], mean=0.0, std=_xavier(a))


_KAIMING = (Float("a", 0), Choice("mode", ("fan_in", "fan_out"), "fan_in"), Choice("nonlinearity", _NONLINEARITIES, "leaky_relu"))


@takes(*_KAIMING)
def kaiming_uniform(a: dict[str, Value], run: Run) -> TensorType:
    return _uniform(a, run, _kaiming(a, run))


@takes(*_KAIMING)
def kaiming_normal(a: dict[str, Value], run: Run) -> TensorType:
    return run("normal_fill", x=a["x"], mean=0.0, std=_kaiming(a, run))
