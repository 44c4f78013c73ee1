"""weakref, tempfile, platform, socket and getpass: references that never die here, and words of the machine that are not known."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.model import KindModel
from tensorproof.libraries.plain import argument, nothing, quiet
from tensorproof.values.objects import Dict, Model, Native, Set
from tensorproof.values.python_values import TEXT, WHOLE, Unknown

Args = tuple[Any, ...]
Named_ = dict[str, Any]


# --- weakref ---


def _reference(m: Any, args: Args, kwargs: Named_, node: Any) -> Native:
    """The object is taken to live as long as the reference."""
    return Native("weakref.ref", lambda machine, given, named, at: args[0])


def _dict(m: Any, args: Args, kwargs: Named_, node: Any) -> Dict:
    return m.call(dict, args, kwargs, node)  # type: ignore[no-any-return]


# --- tempfile ---


def _folder(m: Any, args: Args, kwargs: Named_, node: Any) -> Model:
    return Model("tempfile.folder", m.heap.space({"name": TEXT}))


def _file(m: Any, args: Args, kwargs: Named_, node: Any) -> Model:
    mode = argument(args, kwargs, 0, "mode", "w+b")
    return Model("file", m.heap.space({"path": None, "mode": mode if isinstance(mode, str) else "?", "at": 0, "name": TEXT}))


def _text(m: Any, args: Args, kwargs: Named_, node: Any) -> Unknown:
    return TEXT


_WORDS = {
    "platform": (
        "node", "system", "machine", "processor", "platform", "release", "version", "python_version", "python_implementation", "architecture", "uname"),
    "socket": ("gethostname", "getfqdn", "gethostbyname", "inet_ntoa"), "getpass": ("getuser", "getpass"), "tempfile": ("mkdtemp", "gettempdir", "mktemp"),
}  # fmt: skip


class _Named(dict[str, Any]):
    """Other names of these libraries are functions without effect."""

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, quiet if "." in name and not name.startswith("weakref.") else default)


FUNCTIONS: dict[str, Any] = _Named({
    "weakref.ref": _reference, "weakref.WeakMethod": _reference, "weakref.proxy": lambda m, a, k, n: a[0], "weakref.finalize": nothing,
    "weakref.WeakValueDictionary": _dict, "weakref.WeakKeyDictionary": _dict, "weakref.WeakSet": lambda m, a, k, n: Set(m.heap.row(m.iterate(a[0], n) or ()))
    if a else Set(m.heap.row()), **{f"{home}.{word}": _text for home, words in _WORDS.items() for word in words},
    "tempfile.TemporaryDirectory": _folder, "tempfile.mkstemp": lambda m, a, k, n: (WHOLE, TEXT),
    **{f"tempfile.{word}": _file for word in ("NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile")},
})  # fmt: skip
KINDS = {
    "tempfile.folder": KindModel(
        enter=lambda m, me, node: TEXT, leave=lambda m, me, raised, node: False, methods={"cleanup": lambda m, me, a, k, n: None}, open=True,
    ),
}  # fmt: skip
