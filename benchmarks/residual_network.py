"""A residual network of 1,000 operators with a symbolic batch, checked from catalogue calls: seconds, and whether z3 was loaded.

python benchmarks/residual_network.py [OPERATORS]
"""

from __future__ import annotations

import sys
from time import perf_counter

from tensorproof.bindings.call import call, call_module
from tensorproof.ops.call import Session
from tensorproof.solve.layered import LayeredSolver
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def network(operators: int) -> tuple[TensorType, int]:
    """conv, norm, relu, conv, norm, add, relu over and over; returns the output and the number of calls."""
    session = Session()
    batch = symbol("batch", 1)
    x = TensorType(Shape((batch, 64, 56, 56)))
    made = 0

    def layer(name: str, *args: object, **kwargs: object) -> object:
        outcome = call(name, args, kwargs, session)
        assert outcome.outputs is not None, outcome
        return outcome.outputs

    def run(outcome: object) -> TensorType:
        nonlocal made
        made += 1
        assert outcome.refused is None and outcome.unknown is None, outcome  # type: ignore[attr-defined]
        return outcome.outputs  # type: ignore[attr-defined]

    while made < operators:
        kept = x
        for _ in range(2):
            x = run(call_module(layer("torch.nn.Conv2d", 64, 64, 3, padding=1, bias=False), (x,), {}, session))  # type: ignore[arg-type]
            x = run(call_module(layer("torch.nn.BatchNorm2d", 64), (x,), {}, session))  # type: ignore[arg-type]
            if x is not kept:
                x = run(call("torch.relu", (x,), {}, session))
        x = run(call("torch.Tensor.__add__", (x, kept), {}, session))
    solver = LayeredSolver()
    unproved = [r for r in session.requirements if solver.proves(r.predicate) is not True]
    assert not unproved, unproved[:3]
    return x, made


def main() -> int:
    operators = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    start = perf_counter()
    out, made = network(operators)
    seconds = perf_counter() - start
    print("| what | asked | measured |\n|---|---|---|")
    print(f"| {made} operators, output {out!r} | ≤ 0.5 s | {seconds:.3f} s |\n| z3 in sys.modules | no | {'yes' if 'z3' in sys.modules else 'no'} |")
    return int(seconds > 0.5 or "z3" in sys.modules)


if __name__ == "__main__":
    sys.exit(main())
