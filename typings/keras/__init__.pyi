from collections.abc import Callable, Sequence
from typing import Any

from keras import backend as backend
from keras import config as config
from keras import layers as layers
from keras import random as random
from keras import saving as saving
from keras import utils as utils
from numpy.typing import ArrayLike, NDArray
from tensorflow import Tensor

class Operation:
    name: str
    __call__: Callable[..., object]

class Layer(Operation):
    built: bool
    trainable_weights: Sequence[Variable]

class History:
    operation: Operation

class KerasTensor:
    name: str
    shape: Sequence[int]
    dtype: str
    _keras_history: History
    def __init__(self, shape: Sequence[int], dtype: str) -> None: ...

class Variable:
    dtype: str
    shape: Sequence[int]
    value: Tensor
    def assign(self, value: ArrayLike) -> object: ...

class Model(Layer):
    inputs: Sequence[KerasTensor]
    compile: Callable[..., object]
    fit: Callable[..., object]
