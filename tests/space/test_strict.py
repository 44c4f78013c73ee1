"""What runs and is wrong all the same: a warning, and with `strict` a cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.program import Options
from tensorproof.app.spaces.report import Report, space
from tensorproof.engines.space.parameters import parameter

TORCH = """
import torch
from torch import nn

def build(last, channels, size, inner):
    x = torch.zeros(2, size, size, channels) if last else torch.zeros(2, channels, size, size)
    return nn.Conv2d(inner, 4, 1)(x)
"""
POOLED = """
import torch
from torch import nn

def build(width, length):
    return nn.MaxPool2d((2, 1))(torch.zeros(2, width, length, 1))
"""
KERAS = """
import tensorflow as tf
from tensorflow import keras

def build(last, channels, size):
    x = tf.zeros([2, size, size, channels] if last else [2, channels, size, size])
    return keras.layers.Conv2D(4, 1)(x)
"""


def decided(folder: Path, text: str, strict: bool, *parameters: str) -> Report:
    file = folder / "program.py"
    file.write_text(text, "utf-8")
    return space(str(file), [parameter(line) for line in parameters], Options((), "build"), strict=strict)


def test_channels_last_images_in_a_channels_first_layer_are_a_warning(tmp_path: Path) -> None:
    found = decided(tmp_path, TORCH, False, "last=true,false", "channels=1,3", "size=8,9", "inner=3,8")
    assert (found.valid, found.unknown) == (4, 0)
    assert [(w.cause.code, w.cause.category) for w in found.warnings] == [("conv2d/format", "unsupported format")]


def test_channels_last_images_in_a_channels_first_layer_are_invalid_if_strict(tmp_path: Path) -> None:
    found = decided(tmp_path, TORCH, True, "last=true,false", "channels=1,3", "size=8,9", "inner=3,8")
    assert (found.valid, found.unknown) == (2, 0)
    assert {g.count for g in found.groups if g.cause.code == "conv2d/format"} == {2}


def test_independent_sizes_that_happen_to_be_equal_are_no_format(tmp_path: Path) -> None:
    found = decided(tmp_path, POOLED, True, "width=2..9", "length=2..9")
    assert (found.valid, found.invalid) == (64, 0)


@pytest.mark.parametrize(("strict", "valid"), [(False, 8), (True, 4)])
def test_channels_first_images_in_a_channels_last_layer(tmp_path: Path, strict: bool, valid: int) -> None:
    assert decided(tmp_path, KERAS, strict, "last=true,false", "channels=1,3", "size=8,9").valid == valid
