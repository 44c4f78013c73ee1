"""What a package for Keras and TensorFlow gives."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf


def strategy():  # type: ignore[no-untyped-def]
    return tf.distribute.get_strategy()


class LogCallback(keras.callbacks.Callback):
    def __init__(self, *args, **options):  # type: ignore[no-untyped-def]
        super().__init__()


def get_optimizer():  # type: ignore[no-untyped-def]
    return keras.optimizers.SGD(0.1)


def get_schedule():  # type: ignore[no-untyped-def]
    return 0.1


class Swish(keras.layers.Layer):
    def call(self, x):  # type: ignore[no-untyped-def]
        return x


def preprocess(x):  # type: ignore[no-untyped-def]
    return x


def batches():  # type: ignore[no-untyped-def]
    return tf.data.Dataset.from_tensor_slices((np.zeros((8, 12), "float32"), np.zeros((8,), "int64"))).batch(4)


def get_array():  # type: ignore[no-untyped-def]
    return np.zeros((4, 12), "float32")


def get_tensor():  # type: ignore[no-untyped-def]
    return tf.zeros((4, 12))


def regularizer():  # type: ignore[no-untyped-def]
    return keras.regularizers.L2(0.01)


def initializer():  # type: ignore[no-untyped-def]
    return "glorot_uniform"


def activation():  # type: ignore[no-untyped-def]
    return "relu"


def backbone():  # type: ignore[no-untyped-def]
    return keras.Sequential([keras.layers.Dense(16)])


class BaseModel(keras.Model):
    pass
