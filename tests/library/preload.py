"""Breaks the library of a worker: the environment names the patch."""

from __future__ import annotations

import os
from importlib import import_module

import_module(f"tests.library.patches.{os.environ['TENSORPROOF_PATCH']}").patch(setattr)
