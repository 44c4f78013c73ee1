"""What `**kwargs` may hold, read from the source of who passes them on (`tools/passed_on.py`), against the real functions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tensorproof.libraries import signatures

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "benchmarks"))
import passed_on  # noqa: E402

import misspelt_arguments  # noqa: E402

SOURCE = '''
def receiver(a, b=1, *, c=2): pass

def passes(x, **kwargs): return receiver(x, **kwargs)

def names_one(x, **kwargs): return receiver(x, b=3, **kwargs)

def takes_one_out(x, **kwargs):
    kwargs.setdefault("c", 5)
    own = kwargs.pop("own", None)
    return receiver(x, **kwargs)

def refuses_the_rest(**kwargs):
    one = kwargs.pop("one")
    if kwargs:
        raise ValueError(kwargs)

def only_reads(**kwargs): return kwargs.get("a")

def sometimes(x, **kwargs):
    if x:
        return receiver(x, **kwargs)

def gives_away(x, **kwargs):
    open_ended(kwargs)
    return receiver(x, **kwargs)

def open_ended(values):
    for key in list(values):
        values.pop(key)

def given(function, **kwargs): return function(**kwargs)

class Base:
    def __init__(self, name=None, **kwargs):
        self.shape = kwargs.pop("shape", None)
        if kwargs:
            raise TypeError(kwargs)

class Derived(Base):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
'''
EXPECTED = {
    "receiver": set(), "passes": {"b", "c"}, "names_one": {"c"}, "takes_one_out": {"b", "c", "own"}, "refuses_the_rest": {"one"}, "only_reads": None,
    "sometimes": None, "gives_away": None, "given": None, "Base": {"shape"}, "Derived": {"name", "shape"},
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_names_are_followed_to_who_takes_them(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "passing.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "passing", raising=False)
    import passing  # type: ignore[import-not-found]

    assert passed_on.more_names(getattr(passing, name)) == EXPECTED[name]


def closed(library: str, prefix: str) -> list[str]:
    """Names whose `**kwargs` take only some names."""
    found = []
    for name in misspelt_arguments.rows(library):
        forms = signatures.forms(name)
        plain = not any(part[:1].isupper() for part in name.split(".")[:-1])
        if name.startswith(prefix) and plain and len(forms) == 1 and isinstance(forms[0].more_named, frozenset):
            found.append(name)
    return found


NAMES = closed("keras", "keras.layers.") + closed("keras", "keras.optimizers.") + closed("torch", "torch.nn.")


@pytest.mark.parametrize("name", NAMES)
def test_another_name_is_refused(name: str) -> None:
    pytest.importorskip(name.partition(".")[0])
    form = signatures.forms(name)[0]
    value: Any = misspelt_arguments.resolved(name)
    placed = [1 for one in form.needed if one in form.placed]
    with pytest.raises((TypeError, ValueError)):
        value(*placed, **{key: 1 for key in form.needed if key not in form.placed}, misspelt_name=1)


def test_there_are_many_such_names() -> None:
    assert len(NAMES) > 150
