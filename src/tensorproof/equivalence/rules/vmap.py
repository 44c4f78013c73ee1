"""A function under `torch.vmap` and the same function in a loop over the batch give the same results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.strided import is_about_memory


def _applies(api: Api) -> bool:
    return not api.random and not is_about_memory(api) and not any(op.data_dependent or op.opaque for op in api.operators)


def _chosen(call: Call) -> Iterator[tuple[str, ...]]:
    """The inputs that get a batch axis: each in turn, then all of them; always those that are written into."""
    found = [tuple(name for name in call.inputs if name == one or name in call.written) for one in call.inputs]
    yield from dict.fromkeys([*found, tuple(call.inputs)] if found else [])


def _second(name: str, x: Array, writes: bool) -> str:
    """The second sample is half of the input. Whole numbers stay, since they may be places."""
    return f"{name} * 0.5" if x.is_float or x.label.startswith("complex") else f"{name}.clone()" if writes else name


def _gives_one(call: Call) -> bool:
    """Whether the result is surely one tensor: several inputs in one argument may give as many."""
    gathered = any(a.gathers for row in call.api.rows for a in row.arguments)
    listed = any(isinstance(v, (tuple, list)) and any(isinstance(x, Input) for x in v) for v in call.bound().values())
    return bool(call.api.rows) and not gathered and not listed and not any(op.outputs or op.counted for op in call.api.operators)


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    for chosen in _chosen(call):
        at = call.number % 2 if all(call.inputs[name].data.ndim for name in chosen) else 0
        writes = call.api.name.endswith("_")  # what a sample changes the next one must not see
        samples = [(f"{name}.clone()" if writes else name, _second(name, call.inputs[name], writes)) for name in chosen]
        each = ", ".join(f"f({', '.join(sample)})" for sample in zip(*samples))
        loop = f"torch.stack([{each}])" if _gives_one(call) else f"torch.utils._pytree.tree_map(lambda *r: torch.stack(r), {each})"
        batch = f"torch.vmap(f, in_dims={at})({', '.join(f'torch.stack([{one}, {other}], {at})' for one, other in samples)})"
        function = f"f = lambda {', '.join(chosen)}: {call.expression(dialect)}"
        yield Pair(loop, batch, "\n".join(filter(None, (call.setup(dialect), function))), about=", ".join(chosen))


RULE = Rule("vmap", "vectorization", "a loop over the batch = torch.vmap", ("torch",), _pairs, _applies,
            unsupported="contiguous|vmap|[Bb]atch(ing|ed)|functorch|data-dependent")  # fmt: skip
