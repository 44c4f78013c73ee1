"""What is known of one parameter. The words are those of `tests/library/labels/README.md`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

STRUCTURES = ("tensor", "list", "int", "float", "number", "bool", "str", "dtype", "callable", "dict", "other")


@dataclass(frozen=True, slots=True)
class Constraint:
    """Each part is empty where the documentation does not say. Alternatives are sorted."""

    structure: tuple[str, ...] = ()
    """Some of `STRUCTURES`."""
    type: tuple[str, ...] = ()
    """The elements of a tensor or of a list: kinds, element types, or `same:x` for those of the parameter x."""
    shape: tuple[str, ...] = ()
    """`2` (a rank), `>=2`, or sizes: `[2]`, `[?,4]`."""
    range: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a public name. `kind` is "plain", "keyword" (by name only) or "many" (`*args`)."""

    name: str
    kind: str
    required: bool
    said: Constraint
    sizes: tuple[str, ...] = ()
    """The names that the documentation gives to the sizes of a tensor, `...` for any number of them: the same name is the same size."""

    def as_json(self) -> dict[str, Any]:
        said = {f.name: _plain(getattr(self.said, f.name)) for f in fields(self.said) if getattr(self.said, f.name)}
        kind = {} if self.kind == "plain" else {"kind": self.kind}
        return {"name": self.name, **kind, **({"required": True} if self.required else {}), **({"sizes": " ".join(self.sizes)} if self.sizes else {}), **said}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Parameter:
        def several(part: str) -> tuple[str, ...]:
            return tuple(kept[part].split("|")) if part in kept else ()

        said = Constraint(several("structure"), several("type"), several("shape"), kept.get("range", ""), several("choices"))
        return cls(kept["name"], kept.get("kind", "plain"), kept.get("required", False), said, tuple(kept.get("sizes", "").split()))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "|".join(value)
