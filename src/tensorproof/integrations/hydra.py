"""Hydra: all jobs of a multirun are checked before the first one starts. In the configuration of the application:

    hydra:
      callbacks:
        tensorproof:
          _target_: tensorproof.integrations.hydra.CheckMultirun

A sweep with a job that is known to fail ends there, with the reasons and what the valid jobs have in common; no job is started."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, QuotedString
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from tensorproof.diagnostics.errors import BadInput
from tensorproof.integrations.space import Space
from tensorproof.reporters.space import full


class CheckMultirun(Callback):  # type: ignore[misc]
    """The callback. `program` is the application's own file where none is given; with `entry` a function or class of it is called with the swept values
    (and the shapes in `inputs`) in place of the whole program. Unknown jobs end the sweep as well with `unknown=False`."""

    def __init__(
        self, program: str | None = None, entry: str | None = None, inputs: Mapping[str, Any] | None = None, strict: bool = False, unknown: bool = True
    ) -> None:
        self.program = program
        self.entry = entry
        self.inputs = inputs
        self.strict = strict
        self.unknown = unknown

    def on_multirun_start(self, config: DictConfig, **kwargs: object) -> None:
        """Hydra turns exceptions of callbacks into warnings, so that a sweep which could not be checked goes on; the end of the process is none."""
        texts: list[str] = []
        for space in self.spaces(config):
            if space.report.invalid or (space.report.unknown and not self.unknown):
                texts.append(full(space.report))
        if texts:
            raise SystemExit("\n\n".join(["tensorproof: this sweep has jobs that cannot run; none was started", *texts]))

    def spaces(self, config: DictConfig) -> Iterator[Space]:
        """One space for each choice of configuration groups; what is swept beside them are its parameters."""
        groups = set(OmegaConf.to_container(config.hydra.runtime.choices))
        swept, fixed = dict[str, list[Any]](), list[str]()
        chosen: list[list[str]] = []
        for override in _overrides(config):
            key = override.get_key_element()
            if not override.is_sweep_override():
                fixed.append(f"{key}={override.get_value_element_as_str()}")
            elif override.key_or_group in groups:
                chosen.append([f"{key}={text}" for text in override.sweep_string_iterator()])
            else:
                swept[key.lstrip("+")] = _values(override)
        if not swept and not chosen:
            return
        for choice in product(*chosen):
            arguments = [*fixed, *choice]
            yield Space.of_program(self.program or _running(), swept, entry=self.entry, inputs=self.inputs, arguments=arguments, strict=self.strict)


def _overrides(config: DictConfig) -> Sequence[Override]:
    """What the command line says, after the sweeper's own parameters; the last word on a key counts."""
    params = OmegaConf.select(config, "hydra.sweeper.params") or {}
    texts = [*(f"{key}={value}" for key, value in params.items()), *config.hydra.overrides.task]
    found = {override.get_key_element(): override for override in OverridesParser.create().parse_overrides(texts)}
    return list(found.values())


def _values(override: Override) -> list[Any]:
    if not override.is_discrete_sweep():
        raise BadInput(f"the sweep over {override.get_key_element()} is not a list of values")
    return [value.text if isinstance(value, QuotedString) else value for value in override.sweep_iterator()]


def _running() -> str:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if file is None:
        raise BadInput("the file of the application is not known; give CheckMultirun a program")
    return str(file)
