"""ONNX model files."""

from tensorproof.frontends.onnx.reader import parse, read

__all__ = ["parse", "read"]
