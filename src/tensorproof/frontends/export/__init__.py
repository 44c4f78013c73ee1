"""Exported programs of torch (`.pt2`). Needs no torch."""

from tensorproof.frontends.export.reader import read

__all__ = ["read"]
