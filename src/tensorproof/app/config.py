"""`[tool.tensorproof]` in pyproject.toml: the same names as the command line's options."""

from __future__ import annotations

import os
import re
from typing import Any

from tensorproof.diagnostics.errors import BadInput

_SPEAKS = r"""^\s*(\[\s*["']?tool["']?\s*(\]|\.\s*["']?tensorproof)|["']?tool["']?\s*[.=])"""
"""Where a file may hold our settings; reading others costs more than all the rest of a start."""
KEYS: dict[str, Any] = {"select": list, "ignore": list, "fail-on": str, "output-format": str, "path": list, "time-limit": (int, float), "target": str}
_WORDS = {list: "list of strings", str: "string"}


def load(file: str | None = None) -> dict[str, Any]:
    """The settings of the given file, else of the nearest pyproject.toml from here upwards; empty when there is none."""
    if file is not None:
        chosen = file
        if not os.path.isfile(chosen):
            raise BadInput(f"the configuration {file} cannot be read: no such file")
    else:
        here = os.getcwd()
        while not os.path.isfile(chosen := os.path.join(here, "pyproject.toml")):
            if here == (here := os.path.dirname(here)):
                return {}
    try:
        with open(chosen, encoding="utf-8") as stream:
            text = stream.read()
        if not re.search(_SPEAKS, text, re.MULTILINE):
            return {}
        import tomllib  # only projects that speak of us need it

        whole = tomllib.loads(text)
    except (OSError, ValueError) as error:  # a decoder's errors are ValueErrors
        raise BadInput(f"the configuration {chosen} cannot be read: {error}") from None
    settings: dict[str, Any] = whole.get("tool", {}).get("tensorproof", {})
    for key, value in settings.items():
        if key not in KEYS:
            raise BadInput(f"{chosen}: [tool.tensorproof] has no setting {key}; there are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise BadInput(f"{chosen}: the setting {key} must be a {_WORDS.get(KEYS[key], 'number')}")
    return settings
