"""The attributes that layers, wrappers and modules of torch.nn have, and the base classes of layers (`nn.modules.batchnorm._BatchNorm`)."""

from __future__ import annotations

import os
from functools import cache

from tensorproof.bindings.call import spelled
from tensorproof.libraries.results.facts import facts
from tensorproof.values import Unknown, Value

UNSEEN = "<unseen wrapper>"
"""Marks what a package that is not seen may have wrapped: its further attributes are not known."""


COMPILED = "<compiled>"
"""Marks what torch.compile makes of a module: further attributes are those of the module."""

SCRIPTED = "<scripted>"
"""Marks a program that compiles a module with torch.jit: modules may have these attributes too."""


def of_wrappers(name: str) -> bool:
    """Whether DataParallel, DistributedDataParallel or AveragedModel have an attribute beside those of every module."""
    return name in facts("torch/attributes")["wrapper"].split()


def of_scripted(name: str) -> bool:
    """Whether modules that torch.jit compiled have an attribute beside those of every module."""
    return name in facts("torch/attributes")["scripted"].split()


@cache
def module_names() -> frozenset[str]:
    """The public names of every module."""
    from tensorproof.bindings.names import public

    return frozenset(name.rpartition(".")[2] for name in public("torch") if name.startswith("torch.nn.Module."))


def of_every_module(name: str) -> bool:
    """Whether `nn.Module` itself has an attribute."""
    return name in _known_attributes()["torch.nn.Module"]


def may_have(kind: str, name: str) -> bool:
    """Whether a layer of this class may have an attribute. Of a class that is not listed: whether some layer has."""
    listed = _known_attributes()
    return of_every_module(name) or (name in listed[kind] if kind in listed else any(name in names for names in listed.values()))


@cache
def _known_attributes() -> dict[str, frozenset[str]]:
    """By class of torch.nn: the attributes that its layers have beside those of every module (`tools/layer_attributes.py`)."""
    with open(os.path.join(os.path.dirname(__file__), "layer_attributes.txt"), encoding="utf-8") as stream:
        rows = [line.split() for line in stream.read().splitlines()[1:]]
    return {cls: frozenset(names) for cls, *names in rows}


_DERIVED = {"LazyLinear": "Linear", "NonDynamicallyQuantizableLinear": "Linear", "ReLU6": "Hardtanh"}


def is_base(wanted: str, layer: str) -> Value:
    """Whether a class is a base of a layer's class; not known of classes that are neither layers nor families here."""
    families = facts("torch/layer_families")
    if wanted in families:
        return layer in families[wanted].split()
    if _DERIVED.get(layer) == wanted or layer == f"Lazy{wanted}":
        return True
    return False if spelled(f"torch.nn.{wanted}") or not wanted.startswith("_") else Unknown("isinstance")
