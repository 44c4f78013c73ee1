from .blocks import Narrow, Plain
from .residual import Residual, deep, medium, small

__all__ = ["Narrow", "Plain", "Residual", "deep", "medium", "small"]
