"""A program whose space is half invalid: the kernel must fit the image, and heads must divide the width."""

import torch
from torch import nn


def build(kernel, stride, width, heads, act="relu", attention=True):
    x = nn.Conv2d(3, width, kernel, stride)(torch.zeros(1, 3, 16, 16))
    x = nn.MaxPool2d(2)(nn.GELU()(x) if act == "gelu" else nn.ReLU()(x))
    x = x.flatten(2).transpose(1, 2)
    if attention:
        x = nn.MultiheadAttention(width, heads, batch_first=True)(x, x, x)[0]
    return x
