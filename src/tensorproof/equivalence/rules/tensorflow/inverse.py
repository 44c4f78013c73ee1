"""What is encoded without loss and decoded again is as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

Draw = Callable[[Random, Any], Array]


def _image(label: str, channels: tuple[int, ...]) -> Draw:
    def draw(random: Random, np: Any) -> Array:
        shape = (random.randint(1, 6), random.randint(1, 6), random.choice(channels))
        most = np.iinfo(label).max
        return Array(label, np.random.default_rng(random.getrandbits(32)).integers(0, most + 1, shape).astype(label))

    return draw


def _numbers(label: str, *shapes: tuple[int, ...]) -> Draw:
    def draw(random: Random, np: Any) -> Array:
        shape = random.choice(shapes)
        source = np.random.default_rng(random.getrandbits(32))
        if label.startswith("complex"):
            return Array(label, (source.uniform(-2, 2, shape) + 1j * source.uniform(-2, 2, shape)).astype(label))
        drawn = source.uniform(-3, 3, shape) if label.startswith("float") else source.integers(0, 100, shape)
        return Array(label, np.round(drawn, 2).astype(label))

    return draw


_MATRIX = ((2, 4), (4, 4), (1, 8), (6, 2))
_SPACE = ((1, 4, 4, 4), (2, 6, 2, 8), (1, 2, 2, 4))
INVERSES: Mapping[str, tuple[Draw, str]] = {
    "tf.io.encode_png": (_image("uint8", (1, 2, 3, 4)), "tf.io.decode_png(tf.io.encode_png(a))"),
    "tf.io.encode_png uint16": (_image("uint16", (1, 2, 3, 4)), "tf.io.decode_png(tf.io.encode_png(a), dtype=tf.uint16)"),
    "tf.io.decode_image": (_image("uint8", (1, 3, 4)), "tf.io.decode_image(tf.io.encode_png(a))"),
    "tf.io.serialize_tensor": (_numbers("float32", *_MATRIX, (0, 2)), "tf.io.parse_tensor(tf.io.serialize_tensor(a), tf.float32)"),
    "tf.io.encode_base64": (_numbers("int32", (3,), (5,)), "tf.strings.to_number(tf.io.decode_base64(tf.io.encode_base64(tf.strings.as_string(a))), tf.int32)"),
    "tf.strings.as_string": (_numbers("int64", *_MATRIX), "tf.strings.to_number(tf.strings.as_string(a), tf.int64)"),
    "tf.io.decode_raw": (_numbers("int32", (3,), (4,)), "tf.io.decode_raw(tf.constant(a.numpy().tobytes()), tf.int32)"),
    "tf.bitcast": (_numbers("float32", *_MATRIX), "tf.bitcast(tf.bitcast(a, tf.uint8), tf.float32)"),
    "tf.signal.fft": (_numbers("complex64", *_MATRIX), "tf.signal.ifft(tf.signal.fft(a))"),
    "tf.signal.fft2d": (_numbers("complex64", *_MATRIX), "tf.signal.ifft2d(tf.signal.fft2d(a))"),
    "tf.signal.fft3d": (_numbers("complex64", (2, 3, 4), (1, 2, 2)), "tf.signal.ifft3d(tf.signal.fft3d(a))"),
    "tf.signal.rfft": (_numbers("float32", *_MATRIX), "tf.signal.irfft(tf.signal.rfft(a), [a.shape[-1]])"),
    "tf.signal.rfft2d": (_numbers("float32", *_MATRIX), "tf.signal.irfft2d(tf.signal.rfft2d(a), list(a.shape))"),
    "tf.signal.dct": (_numbers("float32", *_MATRIX), 'tf.signal.idct(tf.signal.dct(a, norm="ortho"), norm="ortho")'),
    "tf.signal.fftshift": (_numbers("float32", *_MATRIX, (3, 5)), "tf.signal.ifftshift(tf.signal.fftshift(a))"),
    "tf.nn.space_to_depth": (_numbers("float32", *_SPACE), "tf.nn.depth_to_space(tf.nn.space_to_depth(a, 2), 2)"),
    "tf.space_to_batch": (_numbers("float32", *_SPACE), "tf.batch_to_space(tf.space_to_batch(a, [2, 2], [[0, 0], [0, 0]]), [2, 2], [[0, 0], [0, 0]])"),
    "tf.sparse.from_dense": (_numbers("int32", *_MATRIX, (2, 2, 3)), "tf.sparse.to_dense(tf.sparse.from_dense(a))"),
    "tf.io.serialize_sparse": (_numbers("float32", *_MATRIX),
                               "tf.sparse.to_dense(tf.io.deserialize_many_sparse(tf.io.serialize_sparse(tf.sparse.from_dense(a))[None], tf.float32))[0]"),
    "tf.RaggedTensor.from_tensor": (_numbers("float32", *_MATRIX), "tf.RaggedTensor.from_tensor(a).to_tensor()"),
    "tf.one_hot": (_numbers("int64", (3,), (2, 2)), "tf.argmax(tf.one_hot(a, 100), -1)"),
    "tf.unstack": (_numbers("float32", *_MATRIX, (2, 3, 2)), "tf.stack(tf.unstack(a, axis=1), axis=1)"),
    "tf.split": (_numbers("float32", *_MATRIX), "tf.concat(tf.split(a, 2, axis=1), 1)"),
    "tf.reverse": (_numbers("float32", *_MATRIX, (2, 3, 2)), "tf.reverse(tf.reverse(a, [0, 1]), [1, 0])"),
    "tf.image.flip_left_right": (_numbers("float32", (2, 3, 1), (2, 4, 3, 2)), "tf.image.flip_left_right(tf.image.flip_left_right(a))"),
    "tf.image.rot90": (_numbers("float32", (2, 3, 1), (2, 4, 3, 2)), "tf.image.rot90(tf.image.rot90(a, 1), 3)"),
    "tf.image.transpose": (_numbers("float32", (2, 3, 1), (2, 4, 3, 2)), "tf.image.transpose(tf.image.transpose(a))"),
    "tf.linalg.inv": (_numbers("float64", (2, 2), (3, 3), (2, 3, 3)), "tf.linalg.inv(tf.linalg.inv(a + 9 * tf.eye(a.shape[-1], dtype=a.dtype)))"
                                                                     " - 9 * tf.eye(a.shape[-1], dtype=a.dtype)"),
    "tf.linalg.diag": (_numbers("float32", *_MATRIX), "tf.linalg.diag_part(tf.linalg.diag(a))"),
    "tf.data.Dataset.save": (_numbers("float32", *_MATRIX), "path = __import__('tempfile').mkdtemp()\ntf.data.Dataset.from_tensors(a).save(path)\n"
                                                            "next(iter(tf.data.Dataset.load(path)))"),
    "tf.io.write_file": (_image("uint8", (3,)), "path = __import__('tempfile').mktemp()\ntf.io.write_file(path, tf.io.encode_png(a))\n"
                                                "tf.io.decode_png(tf.io.read_file(path))"),
    "keras.utils.to_categorical": (_numbers("int64", (3,), (2, 2)), "tf.argmax(keras.utils.to_categorical(a, 100), -1)"),
    "keras.utils.array_to_img": (_image("uint8", (1, 3)), 'tf.constant(keras.utils.img_to_array(keras.utils.array_to_img(a, scale=False), dtype="uint8"))'),
    "keras.ops.fft": (_numbers("float32", *_MATRIX), "keras.ops.ifft2(keras.ops.fft2((a, tf.zeros_like(a))))[0]"),
    "keras.ops.rfft": (_numbers("float32", *_MATRIX), "keras.ops.irfft(keras.ops.rfft(a, a.shape[-1]), a.shape[-1])"),
    "keras.layers.Normalization": (_numbers("float32", *_MATRIX), "n = keras.layers.Normalization(mean=1.5, variance=4.0)\n"
                                   "keras.layers.Normalization(mean=1.5, variance=4.0, invert=True)(n(a))"),
    "keras.layers.Reshape": (_numbers("float32", *_MATRIX), "keras.layers.Reshape(a.shape[1:])(keras.layers.Flatten()(keras.layers.Reshape((2, -1))(a)))"),
    "keras.layers.Permute": (_numbers("float32", (2, 3, 4), (1, 2, 5)), "keras.layers.Permute((2, 1))(keras.layers.Permute((2, 1))(a))"),
}  # fmt: skip


def _own(subject: str, random: Random, dialect: Dialect) -> tuple[Mapping[str, Array], Iterable[Pair]]:
    import numpy as np

    draw, there_and_back = INVERSES[subject]
    return {"a": draw(random, np)}, [Pair("a", there_and_back, loose=10.0)]


RULE = Rule("tf-inverse", "inverse", "as it was = encoded and decoded", ("tensorflow", "keras"), number=13, subjects=tuple(INVERSES), own=_own,
            applies=lambda _: False, special=False)  # fmt: skip
