"""The modes of torch: whether gradients are recorded, inference, autocast. A mode holds in a `with` block or in the calls of a decorated function."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, by_signature
from tensorproof.libraries.bound import Bound as Call
from tensorproof.libraries.domains import devices
from tensorproof.terms import BFLOAT16, FLOAT16, DType, dataclass, replace
from tensorproof.values import Args, Class, Device, Function, Generator, Key, Kwargs, Machine, Model, Native, Unknown, Value, slot

VALUE: Key[Any] = slot("value")
BEFORE: Key[tuple[Modes, ...]] = slot("before")
DEVICES = frozenset((
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia",
    "privateuseone",
))  # fmt: skip
"""What `torch.device` takes before the colon."""


@dataclass(frozen=True, slots=True)
class Autocast:
    """An autocast region: for which kind of device, to which element type (None: unknown), and whether it is switched on (None: unknown)."""

    device: str
    dtype: DType | None
    enabled: bool | None = True


@dataclass(frozen=True, slots=True)
class Modes:
    grad: bool | None = True
    """Whether gradients are recorded; None when that is not known."""
    inference: bool = False
    casts: tuple[Autocast, ...] = ()
    """The innermost autocast region for each kind of device."""
    device: str | None = None
    """Where tensors and layers are made that name no device; None is the CPU."""


_NORMAL = Modes()


def modes(m: Machine) -> Modes:
    found: Modes = m.model_state.get("modes", _NORMAL)
    return found


def _set(m: Machine, new: Modes) -> None:
    m.model_state["modes"] = new
    m.session.recording = new.grad is not False


def _switch(m: Machine, new: Modes) -> None:
    _set(m, new)
    m.session.casts = {c.device: c.dtype if c.enabled else None for c in new.casts if c.enabled is not False}
    m.session.default_device = new.device
    devices.seen(m, new.device)


def _changed(m: Machine, me: Model) -> Modes:
    now, kind, value = modes(m), me.space["mode"], me.space[VALUE]
    if kind == "grad":
        return replace(now, grad=value)
    if kind == "inference":
        m.model_state["inference"] = True
        return replace(now, grad=False, inference=True) if value is True else now if value is False else replace(now, grad=None)
    if kind == "device":
        return replace(now, device=value)
    return replace(now, casts=(*(c for c in now.casts if c.device != value.device), value))


def _enter(m: Machine, me: Model, node: ast.AST) -> Value:
    me.space[BEFORE] = (*me.space.get(BEFORE, ()), modes(m))
    _switch(m, _changed(m, me))
    return None


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    *rest, before = me.space[BEFORE]
    me.space[BEFORE] = tuple(rest)
    _switch(m, before)
    return False


def inside(m: Machine, me: Model, run: Any) -> Value:
    """Run something in a mode."""
    before = modes(m)
    _switch(m, _changed(m, me))
    try:
        return run()
    finally:
        _switch(m, before)


def decorated(m: Machine, function: Function, run: Any) -> Value:
    """Call a function in the outermost mode that it was decorated with."""
    *rest, mode = function.around
    result = inside(m, mode, lambda: run(replace(function, around=tuple(rest))))
    if isinstance(result, Generator):
        result.steps = _steps(m, mode, result.steps)
    return result


def _steps(m: Machine, mode: Model, steps: Any) -> Any:
    """The steps of a generator, each in a mode."""
    resume = partial(next, steps)
    while True:
        try:
            item = inside(m, mode, resume)
        except StopIteration as stop:
            return stop.value
        try:
            given = yield item
            resume = partial(steps.send, given)
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as thrown:
            resume = partial(steps.throw, thrown)


def without_grad(m: Machine, run: Any) -> Value:
    """Run something that records no gradients."""
    before = modes(m)
    _set(m, replace(before, grad=False))
    try:
        return run()
    finally:
        _set(m, before)


def _decorate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A mode as a decorator: the calls of the function run in it."""
    function = args[0] if args else kwargs.get("func")
    if isinstance(function, Function):
        return replace(function, around=(*function.around, me))
    if isinstance(function, Class):
        return function
    return Native(getattr(function, "name", "function"), lambda mm, a, k, at: inside(mm, me, lambda: mm.call(function, a, k, at)))


def _mode(kind: str, value: Value, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function that gives a context: torch.no_grad(), or torch.no_grad as a decorator without brackets."""
    made = Model("torch.mode", m.heap.space({"mode": kind, "value": value}))
    if args and isinstance(args[0], (Function, Class, Native)):
        return _decorate(m, made, args, kwargs, node)
    return made


def _known(value: Value) -> bool | None:
    return value if isinstance(value, bool) else None


def _inference(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args and isinstance(args[0], (Function, Class, Native)):
        return _mode("inference", True, m, args, kwargs, node)
    return Model("torch.mode", m.heap.space({"mode": "inference", "value": _known(argument(args, kwargs, 0, "mode", True))}))


def _set_grad(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """It acts at once, and a `with` undoes it at its end."""
    value = _known(argument(args, kwargs, 0, "mode"))
    before = modes(m)
    _set(m, replace(before, grad=value))
    return Model("torch.set_grad_enabled", m.heap.space({"mode": "grad", "value": value, "before": (before,)}))


def on_device(m: Machine, device: Device) -> Model:
    """`with torch.device("meta")`: what is made inside lies there."""
    return Model("torch.mode", m.heap.space({"mode": "device", "value": str(device)}))


def _default_device(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = argument(args, kwargs, 0, "device")
    if given is not None and not isinstance(given, str):
        m.gap("torch.set_default_device", node, "the device is not known")
        return
    if isinstance(given, str) and given.partition(":")[0] not in DEVICES:
        raise m.raised("RuntimeError", f"there is no kind of device {given!r}", node, "device/kind")
    if isinstance(given, str) and given.partition(":")[0] not in ("cpu", "meta"):
        m.gap("torch.set_default_device", node, "what data loaders and generators do on another device is not followed")
    m.remember(m.session, "default_device", m.session.default_device)
    _switch(m, replace(modes(m), device=None if given is None else str(given)))


def _autocast(name: str, m: Machine, call: Call) -> Any:
    kind, dtype, node = call.value("device_type", name.split(".")[1]), call.value("dtype"), call.node
    if not isinstance(kind, str) or kind not in ("cpu", "cuda"):
        if isinstance(kind, str) and ":" in kind:
            raise m.raised("RuntimeError", f"autocast takes a device type such as 'cuda', not {kind!r}", node, "autocast/device")
        if isinstance(kind, str) and kind not in DEVICES:
            raise m.raised("RuntimeError", f"there is no device type {kind!r}: autocast takes 'cuda' or 'cpu'", node, "autocast/device")
        return Model("context", m.heap.space())
    if dtype is None:
        dtype = BFLOAT16 if kind == "cpu" else FLOAT16
    enabled = _known(call.value("enabled", True))
    value = Autocast(kind, dtype if isinstance(dtype, DType) and not isinstance(dtype, Unknown) else None, enabled)
    return Model("torch.mode", m.heap.space({"mode": "autocast", "value": value}))


_AUTOCASTS = ("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast")
FUNCTIONS: dict[str, Run] = {
    **dict.fromkeys(("torch.no_grad", "torch.autograd.no_grad", "torch.autograd.grad_mode.no_grad"), partial(_mode, "grad", False)),
    **dict.fromkeys(("torch.enable_grad", "torch.autograd.enable_grad"), partial(_mode, "grad", True)),
    **dict.fromkeys(("torch.inference_mode", "torch.autograd.inference_mode"), _inference),
    **dict.fromkeys(("torch.set_grad_enabled", "torch.autograd.set_grad_enabled"), _set_grad),
    "torch.set_default_device": _default_device, "torch.get_default_device": lambda m, a, k, n: Device(modes(m).device or "cpu"),
    "torch.is_grad_enabled": lambda m, a, k, n: Unknown("is_grad_enabled") if modes(m).grad is None else modes(m).grad,
    "torch.is_inference_mode_enabled": lambda m, a, k, n: modes(m).inference,
    **{name: by_signature(name, partial(_autocast, name)) for name in _AUTOCASTS},
    "torch.is_autocast_enabled": lambda m, a, k, n: Unknown("is_autocast_enabled") if modes(m).casts else False,
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    "torch.mode": KindModel(enter=_enter, leave=_leave, call=_decorate, restores=True),
    "torch.set_grad_enabled": KindModel(enter=lambda m, me, node: None, leave=_leave, call=_decorate, restores=True),
}
