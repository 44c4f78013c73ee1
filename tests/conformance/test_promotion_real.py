"""`terms.promotion` against the real libraries: every pair of element types, and triples at random.

Each test runs where its library is installed. A library may lack a kernel for a type that its promotion rule yields; a refusal counts
as that only when the error says so (`NO_KERNEL`), never otherwise.
"""
# ruff: noqa: B023 - every lambda here is called at once

from __future__ import annotations

import importlib.util
import itertools
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tensorproof.terms import promotion
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, DType
from tensorproof.terms.promotion import PY_BOOL, PY_COMPLEX, PY_FLOAT, PY_INT, Operand

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.filterwarnings("ignore")

NUMBERS: list[tuple[Operand, Any]] = [(PY_BOOL, True), (PY_INT, 1), (PY_FLOAT, 1.0), (PY_COMPLEX, 1j)]
NO_KERNEL = ("not implemented", "Could not run", "Invalid dtype!", "not supported for", "Could not find device", "No kernel")
SEED = 20251115


def answer(call: Callable[[], Any]) -> str | None:
    """The label of the result's type, None for a refusal, "no kernel" where the type was settled and only the kernel is missing."""
    try:
        result = call()
    except Exception as error:
        return "no kernel" if any(mark in str(error) for mark in NO_KERNEL) else None
    dtype = getattr(result, "dtype", result)
    return getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")


def label(dtype: DType | None) -> str | None:
    return None if dtype is None else dtype.label


class Tally:
    """Collects disagreements, so that one run shows them all."""

    def __init__(self) -> None:
        self.tried = 0
        self.no_kernel = 0
        self.wrong: list[str] = []

    def compare(self, case: str, ours: DType | None, real: str | None) -> None:
        self.tried += 1
        if real == "no kernel":
            self.no_kernel += 1
        elif label(ours) != real:
            self.wrong.append(f"{case}: promotion.py says {label(ours)}, the library {real}")

    def finish(self, least: int) -> None:
        print(f"{self.tried} tried, {self.no_kernel} without a kernel, {len(self.wrong)} wrong")
        assert not self.wrong, f"{len(self.wrong)} of {self.tried} wrong:\n" + "\n".join(self.wrong[:40])
        assert self.tried - self.no_kernel >= least, "too few cases reached the library"


# --- torch


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def default_float(torch: Any, request: pytest.FixtureRequest) -> Iterator[DType]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, request.param))
    yield BY_LABEL[request.param]
    torch.set_default_dtype(before)


def torch_operands(torch: Any, device: str, arithmetic: bool = False) -> list[tuple[Operand, Any]]:
    """`arithmetic` leaves out the types that have none outside of `torch.ops.quantized`."""
    found = list(NUMBERS)
    for dtype in DType:
        if arithmetic and (dtype.kind == "q" or dtype.bits < 8):
            continue
        for shape in ((2,), ()):
            if (real := getattr(torch, dtype.label, None)) is not None:
                try:
                    found.append((Operand(dtype, zero_dim=not shape), torch.empty(shape, dtype=real, device=device)))
                except (RuntimeError, NotImplementedError) as error:
                    print(f"no tensor of {dtype} on {device}: {error}")
    return found


@pytest.mark.parametrize("default_float", ["float32", "float64", "float16", "bfloat16"], indirect=True)
def test_torch_result_type_of_every_pair(torch: Any, default_float: DType) -> None:
    tally = Tally()
    for (a, x), (b, y) in itertools.product(torch_operands(torch, "meta"), repeat=2):
        tally.compare(f"{a}, {b}", promotion.torch_promote((a, b), default_float), answer(lambda: torch.result_type(x, y)))
    tally.finish(2500)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_torch_add_of_every_pair(torch: Any, device: str) -> None:
    tally = Tally()
    operands = torch_operands(torch, device, arithmetic=True)
    if device == "meta":  # its addition is a Python one (torch._refs), which mixes these types where every device refuses
        loose = {d for d in DType if d.label in ("uint16", "uint32", "uint64") or d.label.startswith("float8")}
        operands = [pair for pair in operands if pair[0].dtype not in loose]
    for (a, x), (b, y) in itertools.product(operands, repeat=2):
        if not (a.weak and b.weak):
            tally.compare(f"{a}, {b}", promotion.torch_promote((a, b)), answer(lambda: torch.add(x, y)))
    tally.finish(850)


def test_torch_triples(torch: Any) -> None:
    tally, pick = Tally(), random.Random(SEED)
    operands = torch_operands(torch, "cpu", arithmetic=True)
    tensors = [pair for pair in operands if not pair[0].weak]
    full = [pair for pair in tensors if not pair[0].zero_dim]
    for _ in range(3000):
        (a, x), (b, y), (c, z) = (pick.choice(tensors) for _ in range(3))
        tally.compare(f"clamp {a}, {b}, {c}", promotion.torch_promote((a, b, c)), answer(lambda: torch.clamp(x, y, z)))
        (a, x), (b, y), (c, z) = (pick.choice(full) for _ in range(3))
        tally.compare(f"cat {a}, {b}, {c}", promotion.torch_promote((a, b, c)), answer(lambda: torch.cat((x, y, z))))
    for (a, x), (b, y), (c, z) in itertools.product(tensors, NUMBERS[1:3], NUMBERS[1:3]):
        tally.compare(f"clamp {a}, {b}, {c}", promotion.torch_promote((a, b, c)), answer(lambda: torch.clamp(x, y, z)))
    tally.finish(3000)


def test_torch_can_cast_of_every_pair(torch: Any) -> None:
    known = [d for d in DType if hasattr(torch, d.label)]
    wrong = [
        (a, b)
        for a, b in itertools.product(known, repeat=2)
        if torch.can_cast(getattr(torch, a.label), getattr(torch, b.label)) != promotion.torch_can_cast(a, b)
    ]
    assert len(known) >= 24 and not wrong


@pytest.mark.parametrize("default_float", ["float32", "float64"], indirect=True)
def test_torch_log_and_sin(torch: Any, default_float: DType) -> None:
    tally = Tally()
    for operand, x in torch_operands(torch, "cpu", arithmetic=True) + torch_operands(torch, "meta", arithmetic=True):
        if not operand.weak:
            for function in (torch.log, torch.sin, torch.sqrt):
                ours = promotion.to_float("torch", operand.dtype, default_float)
                tally.compare(f"{function.__name__} {operand}", ours, answer(lambda: function(x)))
    tally.finish(150)


# --- NumPy


def numpy_operands(extra: bool) -> list[tuple[Operand, Any]]:
    numpy = pytest.importorskip("numpy", minversion="2")
    found = list(NUMBERS)
    more = pytest.importorskip("ml_dtypes") if extra else None
    for dtype in DType:
        if dtype in (DType.COMPLEX32, DType.INT4, DType.UINT4):  # of ml_dtypes, and not in our NumPy
            continue
        real = getattr(more, dtype.label, None)
        real = real or (getattr(numpy, dtype.label, None) if dtype.kind in "buifc" else None)
        if real is not None:
            found += [(Operand(dtype, zero_dim=not shape), numpy.ones(shape, real)) for shape in ((2,), ())]
    return found


@pytest.mark.parametrize("extra", [False, True], ids=["numpy", "ml_dtypes"])
def test_numpy_add_of_every_pair(extra: bool) -> None:
    numpy = pytest.importorskip("numpy", minversion="2")
    tally = Tally()
    for (a, x), (b, y) in itertools.product(numpy_operands(extra), repeat=2):
        tally.compare(f"{a}, {b}", promotion.numpy_promote((a, b)), answer(lambda: numpy.add(x, y)))
    tally.finish(1500 if extra else 900)


def test_numpy_triples() -> None:
    numpy = pytest.importorskip("numpy", minversion="2")
    tally = Tally()
    operands = [pair for pair in numpy_operands(False) if not pair[0].zero_dim]
    for triple in itertools.product(operands, repeat=3):
        ours = promotion.numpy_promote([o for o, _ in triple])
        tally.compare(str([o for o, _ in triple]), ours, answer(lambda: numpy.result_type(*(x for _, x in triple))))
    tally.finish(5000)


@pytest.mark.parametrize("extra", [False, True], ids=["numpy", "ml_dtypes"])
def test_numpy_log_and_sin(extra: bool) -> None:
    numpy = pytest.importorskip("numpy", minversion="2")
    tally = Tally()
    for operand, x in numpy_operands(extra):
        if not operand.weak:
            for function in (numpy.log, numpy.sin, numpy.sqrt):
                tally.compare(f"{function.__name__} {operand}", promotion.to_float("numpy", operand.dtype), answer(lambda: function(x)))
    tally.finish(75)


# --- TensorFlow


@pytest.fixture(scope="module")
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def tf_operands(tf: Any) -> list[tuple[Operand, Any]]:
    import ml_dtypes
    import numpy

    found = list(NUMBERS)
    for dtype in DType:
        try:
            if dtype is DType.STRING:
                value = tf.constant(["a", "b"])
            elif dtype.is_float and dtype.bits == 8:
                value = tf.constant(numpy.ones(2, getattr(ml_dtypes, dtype.label)))
            else:
                value = tf.cast(tf.constant([1, 1]), dtype.label)
        except Exception as error:
            print(f"no tensor of {dtype}: {error}")
            continue
        found.append((Operand(dtype), value))
        if dtype.bits >= 8 and dtype.kind in "buifc" and not (dtype.is_float and dtype.bits == 8):
            found.append((Operand(dtype, zero_dim=True), value[0]))
    return found


def tf_where(tf: Any) -> Callable[[Any, Any], Any]:
    return lambda x, y: tf.where(tf.constant([True, False]), x, y)


def tf_answer(call: Callable[[], Any], ours: DType | None) -> str | None:
    """Arithmetic says "not in the list of allowed values" for a missing kernel: that is a kernel's word, when the types agree."""
    try:
        return call().dtype.name
    except Exception as error:
        text = str(error)
        missing = "allowed values" in text or any(mark in text for mark in NO_KERNEL) or "NodeDef" in text
        return "no kernel" if missing and ours is not None else None


@pytest.mark.parametrize("function", ["where", "multiply", "+"])
def test_tf_every_pair_when_eager(tf: Any, function: str) -> None:
    call: Any = {"where": tf_where(tf), "multiply": tf.multiply, "+": lambda x, y: x + y}[function]
    tally = Tally()
    for (a, x), (b, y) in itertools.product(tf_operands(tf), repeat=2):
        if function != "+" or not (a.weak and b.weak):
            ours = promotion.tf_promote((a, b))
            tally.compare(f"{a}, {b}", ours, tf_answer(lambda: call(x, y), ours))
    tally.finish(700)


def test_tf_add_lets_the_first_operand_decide(tf: Any) -> None:
    tally = Tally()
    for (a, x), (b, y) in itertools.product(tf_operands(tf), repeat=2):
        ours = promotion.tf_promote((a, b), first_decides=True)
        tally.compare(f"{a}, {b}", ours, tf_answer(lambda: tf.add(x, y), ours))
    tally.finish(700)


def test_tf_numbers_in_a_graph(tf: Any) -> None:
    tally = Tally()
    with tf.Graph().as_default():
        operands = [(a, x if a.weak else tf.compat.v1.placeholder(x.dtype, x.shape)) for a, x in tf_operands(tf)]
        for (a, x), (b, y) in itertools.product(operands, repeat=2):
            for name, call in (("add", tf.add), ("multiply", tf.multiply), ("where", tf_where(tf))):
                ours = promotion.tf_promote((a, b), first_decides=True, graph=True)
                tally.compare(f"{name} {a}, {b}", ours, tf_answer(lambda: call(x, y), ours))
            if not (a.weak and b.weak):
                ours = promotion.tf_promote((a, b), graph=True)
                tally.compare(f"+ {a}, {b}", ours, tf_answer(lambda: x + y, ours))
    tally.finish(2000)


def test_tf_triples(tf: Any) -> None:
    tally, pick, operands = Tally(), random.Random(SEED), tf_operands(tf)
    tensors = [pair for pair in operands if not (pair[0].weak or pair[0].zero_dim)]
    for _ in range(3000):
        a, x = pick.choice(tensors)
        (b, y), (c, z) = (pick.choice([(a, x), *NUMBERS, pick.choice(tensors)]) for _ in range(2))
        ours = promotion.tf_promote((a, b, c))
        case = f"{a}, {b}, {c}"
        tally.compare(case, ours, tf_answer(lambda: tf.raw_ops.ClipByValue(t=x, clip_value_min=y, clip_value_max=z), ours))
    tally.finish(1500)


def test_tf_log_and_sin(tf: Any) -> None:
    tally = Tally()
    for operand, x in tf_operands(tf):
        if not operand.weak:
            for function in (tf.math.log, tf.sin, tf.sqrt):
                ours = promotion.to_float("tf", operand.dtype)
                tally.compare(f"{function.__name__} {operand}", ours, tf_answer(lambda: function(x), ours))
    tally.finish(60)


# --- Keras


def keras_operands(keras: Any) -> list[tuple[Operand, str | Any]]:
    found: list[tuple[Operand, Any]] = list(NUMBERS)
    for dtype in DType:
        try:
            found.append((Operand(dtype), keras.backend.standardize_dtype(dtype.label)))
        except ValueError:
            assert promotion.keras_promote((Operand(dtype), PY_INT)) is None, dtype
    return found


def keras_type(operand: Operand, value: Any) -> Any:
    return type(value) if operand.weak else value


@pytest.fixture(scope="module")
def keras(tf: Any) -> Any:
    return pytest.importorskip("keras")


def test_keras_result_type_of_every_triple(keras: Any) -> None:
    tally = Tally()
    for size in (1, 2, 3):
        for several in itertools.product(keras_operands(keras), repeat=size):
            ours = promotion.keras_promote([o for o, _ in several])
            tally.compare(str(several), ours, answer(lambda: keras.backend.result_type(*(keras_type(o, v) for o, v in several))))
    tally.finish(8000)


@pytest.mark.parametrize("eager", [True, False], ids=["eager", "symbolic"])
def test_keras_add_of_every_pair(keras: Any, tf: Any, eager: bool) -> None:
    def value(operand: Operand, given: Any) -> Any:
        if operand.weak:
            return given
        if not eager:
            return keras.KerasTensor((2,), dtype=given)
        return tf.constant(["a", "b"]) if given == "string" else tf.cast(tf.constant([1.0, 1.0]), given)

    tally = Tally()
    operands = [(o, value(o, v)) for o, v in keras_operands(keras)]
    for (a, x), (b, y) in itertools.product(operands, repeat=2):
        if eager or not (a.weak and b.weak):
            ours = promotion.keras_promote((a, b))
            real = answer(lambda: keras.backend.standardize_dtype(keras.ops.add(x, y).dtype))
            if eager and ours is DType.BOOL and real is None:
                real = "no kernel"  # TensorFlow has no addition of bools
            if eager and PY_BOOL in (a, b) and ours in (DType.BFLOAT16, DType.COMPLEX64) and real is None:
                real = "no kernel"  # tf.convert_to_tensor(True, "bfloat16") fails; the symbolic call has promised a result
            tally.compare(f"{a}, {b}", ours, real)
    tally.finish(400)


@pytest.mark.parametrize("name", ["log", "sin", "sqrt"])
def test_keras_log_and_sin(keras: Any, name: str) -> None:
    tally = Tally()
    for operand, given in keras_operands(keras):
        if not operand.weak:
            real = answer(lambda: getattr(keras.ops, name)(keras.KerasTensor((2,), dtype=given)).dtype)
            tally.compare(f"{name} {operand}", promotion.to_float("keras", operand.dtype), real)
    tally.finish(17)


def test_keras_on_another_backend() -> None:
    pytest.importorskip("keras")
    backend = "torch" if importlib.util.find_spec("torch") else "numpy" if importlib.util.find_spec("scipy") else None
    if backend is None:
        pytest.skip("needs torch, or scipy for Keras' own NumPy backend")
    labels = [d.label for d in DType if promotion.keras_promote((Operand(d),)) not in (None, DType.STRING)]
    script = "import keras, itertools\n" + (f"for a, b in itertools.product({labels} + [int, float], repeat=2): print(keras.backend.result_type(a, b))")
    environment = {**os.environ, "KERAS_BACKEND": backend}
    real = subprocess.run([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    operands = [Operand(BY_LABEL[name]) for name in labels] + [PY_INT, PY_FLOAT]
    ours = [label(promotion.keras_promote(pair, backend=backend)) for pair in itertools.product(operands, repeat=2)]
    assert ours == real


def test_keras_of_nothing_is_floatx(keras: Any) -> None:
    assert keras.backend.result_type() == "float32" and promotion.keras_promote(()) is FLOAT32
