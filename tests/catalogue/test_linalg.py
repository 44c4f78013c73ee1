"""Linear algebra, Fourier transforms and distances: what comes out, what is refused, and what stays symbolic."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call
from tensorproof.terms.dtypes import COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import minimum, symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

B, N, M = (symbol(name, 1) for name in "bnm")


def t(*shape: Any, dtype: DType = FLOAT32) -> TensorType:
    return TensorType(Shape(shape), dtype)


def run(name: str, *args: Any, **kwargs: Any) -> Outcome:
    return call(f"torch.{name}", args, kwargs)


def shapes(name: str, *args: Any, **kwargs: Any) -> list[tuple[Any, ...]]:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is None and outcome.unknown is None, outcome
    outputs = outcome.outputs if isinstance(outcome.outputs, tuple) else (outcome.outputs,)
    return [tuple(o.shape) for o in outputs]


def code(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


@pytest.mark.parametrize(
    ("name", "args", "made"),
    [
        ("linalg.cholesky", (t(4, 3, 3),), [(4, 3, 3)]),
        ("linalg.qr", (t(3, 2),), [(3, 2), (2, 2)]),
        ("linalg.qr", (t(3, 2), "complete"), [(3, 3), (3, 2)]),
        ("linalg.qr", (t(3, 2), "r"), [(0,), (2, 2)]),
        ("linalg.svd", (t(2, 3),), [(2, 2), (2,), (3, 3)]),
        ("linalg.svd", (t(2, 3), False), [(2, 2), (2,), (2, 3)]),
        ("svd", (t(2, 3),), [(2, 2), (2,), (3, 2)]),
        ("linalg.eigh", (t(5, 3, 3),), [(5, 3), (5, 3, 3)]),
        ("linalg.lu", (t(3, 2),), [(3, 3), (3, 2), (2, 2)]),
        ("linalg.lu_factor", (t(5, 3, 2),), [(5, 3, 2), (5, 2)]),
        ("linalg.slogdet", (t(5, 3, 3),), [(5,), (5,)]),
        ("linalg.pinv", (t(2, 3),), [(3, 2)]),
        ("linalg.matrix_rank", (t(5, 2, 3),), [(5,)]),
        ("linalg.det", (t(0, 0),), [()]),
        ("trace", (t(2, 3),), [()]),
        ("linalg.tensorinv", (t(4, 6, 8, 3),), [(8, 3, 4, 6)]),
    ],
)
def test_factorisations(name: str, args: tuple[Any, ...], made: list[tuple[int, ...]]) -> None:
    assert shapes(name, *args) == made


def test_factorisations_stay_symbolic() -> None:
    assert shapes("linalg.svd", t(B, N, M)) == [(B, N, N), (B, minimum(N, M)), (B, M, M)]


def test_element_types_of_factors() -> None:
    values, vectors = run("linalg.eig", t(3, 3)).outputs
    assert values.dtype is vectors.dtype is COMPLEX64
    u, s, _ = run("linalg.svd", t(2, 3, dtype=COMPLEX64)).outputs
    assert (u.dtype, s.dtype) == (COMPLEX64, FLOAT32)
    assert run("linalg.lu_factor", t(3, 3)).outputs[1].dtype is INT32
    assert run("linalg.matrix_rank", t(3, 3)).outputs.dtype is INT64


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("linalg.inv", (t(2, 3),), "inv/square"),
        ("linalg.inv", (t(3),), "inv/rank"),
        ("linalg.inv", (t(3, 3, dtype=FLOAT16),), "inv/dtype"),
        ("linalg.qr", (t(3, 3), "full"), "qr/mode"),
        ("linalg.eigh", (t(3, 3), "X"), "eigh/triangle"),
        ("linalg.solve", (t(3, 3), t(2)), "solve/rows"),
        ("linalg.solve", (t(3, 3), t(3, 2, dtype=FLOAT64)), "solve/dtype"),
        ("linalg.householder_product", (t(3, 4), t(3)), "householder_product/rows"),
        ("linalg.lstsq", (t(4, 3), t(3, 2)), "lstsq/rows"),
        ("linalg.matrix_norm", (t(3, 3), 3), "matrix_norm/ord"),
        ("linalg.vector_norm", (t(0), float("inf")), "vector_norm/empty"),
        ("linalg.norm", (t(2, dtype=INT64),), "vector_norm/dtype"),
        ("linalg.tensorinv", (t(2, 3), 1), "tensorinv/square"),
        ("linalg.cond", (t(2, 3), 1), "cond/square"),
        ("symeig", (t(3, 3),), "eigh/removed"),
    ],
)
def test_linear_algebra_refuses_what_torch_refuses(name: str, args: tuple[Any, ...], why: str) -> None:
    assert code(name, *args) == why


@pytest.mark.parametrize(
    ("x", "y", "made"),
    [
        ((3, 3), (3,), (3,)),
        ((3, 3), (3, 2), (3, 2)),
        ((2, 3, 3), (2, 3), (2, 3)),
        ((2, 3, 3), (3, 4), (2, 3, 4)),
        ((2, 3, 3), (1, 3, 4), (2, 3, 4)),
    ],
)
def test_solve_tells_vectors_from_matrices(x: tuple[int, ...], y: tuple[int, ...], made: tuple[int, ...]) -> None:
    assert shapes("linalg.solve", t(*x), t(*y)) == [made]


def test_solve_gives_up_where_sizes_decide_what_the_right_hand_side_is() -> None:
    assert run("linalg.solve", t(B, N, N), t(N, M)).unknown is not None
    assert shapes("linalg.solve", t(B, N, N), t(B, N)) == [(B, N)]


def test_the_driver_of_least_squares_decides_what_is_empty() -> None:
    assert shapes("linalg.lstsq", t(4, 3), t(4, 2)) == [(3, 2), (0,), (), (0,)]
    assert shapes("linalg.lstsq", t(4, 3), t(4, 2), driver="gels") == [(3, 2), (2,), (0,), (0,)]
    assert shapes("linalg.lstsq", t(5, 4, 3), t(5, 4, 2), driver="gelsd")[3] == (5, 3)


def test_norms_follow_their_axes() -> None:
    assert shapes("linalg.norm", t(2, 3), dim=-1, keepdim=True) == [(2, 1)]
    assert shapes("linalg.norm", t(4, 2, 3), "nuc", dim=(1, 2)) == [(4,)]
    assert shapes("norm", t(B, N), 2, -1) == [(B,)]
    assert run("linalg.norm", t(2), dtype=FLOAT64).outputs.dtype is FLOAT64
    assert code("linalg.norm", t(2, dtype=FLOAT64), dtype=FLOAT32) == "vector_norm/dtype"


# --- Fourier transforms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "made", "dtype"),
    [
        ("fft", (t(2, 5),), {}, (2, 5), COMPLEX64),
        ("fft", (t(2, 5),), {"n": 8, "dim": 0}, (8, 5), COMPLEX64),
        ("rfft", (t(2, 5),), {}, (2, 3), COMPLEX64),
        ("irfft", (t(2, 5, dtype=COMPLEX64),), {}, (2, 8), FLOAT32),
        ("irfft", (t(2, 5),), {"n": 9}, (2, 9), FLOAT32),
        ("fft2", (t(4, 2, 5),), {"s": (3, -1)}, (4, 3, 5), COMPLEX64),
        ("rfftn", (t(4, 2, 5),), {"dim": (0, 1)}, (4, 2, 5), COMPLEX64),
        ("irfftn", (t(4, 3),), {"s": (4, 6)}, (4, 6), FLOAT32),
        ("fft", (t(4, dtype=INT64),), {}, (4,), COMPLEX64),
        ("fftfreq", (5,), {}, (5,), FLOAT32),
        ("rfftfreq", (5,), {}, (3,), FLOAT32),
    ],
)
def test_transforms(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: tuple[int, ...], dtype: DType) -> None:
    outcome = run(f"fft.{name}", *args, **kwargs)
    assert outcome.refused is None, outcome.refused
    assert (tuple(outcome.outputs.shape), outcome.outputs.dtype) == (made, dtype)


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "why"),
    [
        ("fft", (t(),), {}, "fft/rank"),
        ("fft", (t(0),), {}, "fft/length"),
        ("fft", (t(4),), {"norm": "none"}, "fft/norm"),
        ("rfft", (t(4, dtype=COMPLEX64),), {}, "rfft/dtype"),
        ("irfft", (t(1),), {}, "irfft/length"),
        ("fftn", (t(4, 4),), {"dim": (0, 0)}, "fftn/axis"),
        ("fftn", (t(4, 4),), {"s": (4, 4), "dim": (0,)}, "fftn/size"),
        ("fft", (t(4, dtype=FLOAT16),), {}, "fft/dtype"),
    ],
)
def test_transforms_refuse_what_torch_refuses(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], why: str) -> None:
    assert code(f"fft.{name}", *args, **kwargs) == why


def test_half_a_spectrum_goes_back_to_its_length() -> None:
    (half,) = [run("fft.rfft", t(B, N)).outputs]
    assert tuple(half.shape) == (B, N // 2 + 1)
    assert tuple(run("fft.irfft", half, n=N).outputs.shape) == (B, N)


def test_short_time_transform_counts_frames() -> None:
    window = t(400)
    made = run("stft", t(B, 16000), 400, 160, 400, window, return_complex=True).outputs
    assert (tuple(made.shape), made.dtype) == ((B, 201, 101), COMPLEX64)
    assert shapes("istft", made, 400, 160, 400, window) == [(B, 16000)]
    assert code("stft", t(B, 16000), 400, window=t(399), return_complex=True) == "stft/window"
    assert code("stft", t(100), 400, return_complex=True) == "stft/length"
    assert code("stft", t(16000), 400) == "stft/return_complex"


# --- distances ----------------------------------------------------------------------------------------------------------------


def test_distances() -> None:
    assert shapes("cdist", t(5, 2, 3), t(4, 3)) == [(5, 2, 4)]
    assert shapes("nn.functional.pdist", t(4, 3)) == [(6,)]
    assert shapes("nn.functional.pairwise_distance", t(B, 8), t(8), keepdim=True) == [(B, 1)]
    assert shapes("nn.functional.cosine_similarity", t(B, 1, 8), t(1, N, 8), dim=-1) == [(B, N)]
    assert code("cdist", t(2, 3), t(4, 2)) == "cdist/features"
    assert code("nn.functional.pdist", t(3)) == "pdist/rank"
