"""A saved model whose hyperparameters are bound to the parameters of a space: arguments of its nodes, sizes of its layers, and its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from tensorproof.app.models.check import graphs, inputs, stated
from tensorproof.app.program import Options, is_model
from tensorproof.app.spaces.keras import KerasSpace
from tensorproof.app.spaces.naming import once_each
from tensorproof.app.spaces.programs import Analysed, ProgramSpace
from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.found import Found
from tensorproof.engines.space.models.changing import Changing, check_values, stays_symbolic
from tensorproof.engines.space.models.forward import forward
from tensorproof.engines.space.models.naming import Naming, OfInput
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.engines.space.scenarios import MOST_ANALYSES, Given
from tensorproof.graph import DeclaredShape, Graph
from tensorproof.program.form import Computed
from tensorproof.solve import limits
from tensorproof.terms.ints import Origin
from tensorproof.terms.predicates import Predicate, eq
from tensorproof.terms.records import replace
from tensorproof.terms.substitution import symbols
from tensorproof.values.path import Path, Stated


def space_of(path: str, parameters: Sequence[Parameter], options: Options) -> Analysed:
    """The program or saved model of a path, to be analysed."""
    if not is_model(path):
        return ProgramSpace(path, parameters, options)
    if options.arguments or options.entry is not None:
        raise BadInput(f"{path} is a saved model: it takes no program arguments and no --entry")
    if path.removesuffix(".gz").endswith(".keras"):
        return KerasSpace(path, parameters, options)
    return GraphSpace(path, parameters, options)


class GraphSpace:
    """Analyses the graph of a file with some of its hyperparameters chosen. Of several graphs it is the one that serves."""

    def __init__(self, path: str, parameters: Sequence[Parameter], options: Options) -> None:
        self.path = path
        self.parameters = {p.name: p for p in parameters}
        graph, self.ends = forward(graphs(path)[0])
        named = named_sizes(options, self.parameters)
        self.naming = Naming(path, _declared(graph, options))
        self.options = replace(options, inputs={})
        self.targets = {name: named[name] if name in named else self.naming.targets(name) for name in self.parameters}
        for p in parameters:
            check_values(self.naming, p.name, self.targets[p.name][0], p.values)
        once_each(path, self.targets)

    def analyse(self, given: Given) -> list[Path]:
        """A path for each choice of the values that are not numbers; a symbol stands for each other parameter that is None."""
        values, open_ = dict[str, Any](), list[Parameter]()
        for name, value in given.items():
            p = self.parameters[name]
            if value is not None or len(p.values) == 1:
                values[name] = p.values[0] if value is None else value
            elif p.whole and all(stays_symbolic(target, p.values) for target in self.targets[name]):
                values[name] = p.term
            else:
                open_.append(p)
        if (choices := prod(len(p.values) for p in open_)) > MOST_ANALYSES:
            raise BadInput(f"the parameters whose values are not whole numbers have {choices:,} combinations, of which at most {MOST_ANALYSES:,} are analysed")
        found: list[Path] = []
        for chosen in product(*(p.values for p in open_)):
            facts = tuple(fact for p, value in zip(open_, chosen) if not isinstance(fact := eq(p.term, p.number(value)), bool))
            with limits.limited(self.options.time_limit):
                found.append(self._path({**values, **{p.name: value for p, value in zip(open_, chosen)}}, facts))
        if not any(path.gaps for path in found):  # together they are all vectors
            for path in found:
                path.facts = ()
        return found

    def _path(self, values: Mapping[str, Value], facts: tuple[Predicate, ...]) -> Path:
        changing = Changing(self.naming, self.targets, values)
        made, found = stated(self.path, changing.graph(), self.options)
        place = {node: at for at, node in enumerate(found.places)}
        made.stated.sort(key=lambda one: place.get(one.span.node, -1))
        own = [Stated(requirement, Span(self.path, 1, 1, 1, 2, node)) for node, requirement in changing.stated]
        made.stated = [replace(one, facts=(*one.facts, *facts), call=place.get(one.span.node, -2) + 2) for one in [*own, *made.stated, *_advised(found)]]
        made.facts, made.lost = facts, False  # what is refused concerns all vectors of the path
        made.gaps = [gap for gap in made.gaps if not gap.callee.startswith("the function ")]
        made.gaps += [Gap(end, Span(self.path, 1, 1, 1, 2, end), "it is computed from gradients, which are not followed") for end in self.ends]
        open_ = [one for one in made.stated if _open(one)]
        made.gaps += [Gap(one.requirement.code, one.span, f"{one.requirement.message} (this depends on more than the parameters)") for one in open_]
        made.stated = [one for one in made.stated if not _open(one)]
        return made


def named_sizes(options: Options, parameters: Mapping[str, Parameter]) -> dict[str, tuple[OfInput, ...]]:
    """The axes of inputs that the user gave the name of a parameter: `--input x=8,3,size,size`."""
    found: dict[str, tuple[OfInput, ...]] = {}
    for name, given in options.inputs.items():
        for axis, size in enumerate(given.sizes or ()):
            if isinstance(size, str) and size in parameters:
                found[size] = (*found.get(size, ()), OfInput(name, str(axis)))
    return found


def _declared(graph: Graph, options: Options) -> Graph:
    """The graph with the shapes of inputs that the user gave."""
    nodes = dict(graph.nodes)
    for name in inputs(graph, options):
        given = options.inputs[name]
        axes = tuple(given.sizes) if given.sizes is not None else (None,) * given.rank
        nodes[name] = replace(nodes[name], attributes={**nodes[name].attributes, "shape": DeclaredShape(axes)})
    return replace(graph, nodes=nodes) if options.inputs else graph


def _open(one: Stated) -> bool:
    """Whether a requirement stands on something that was not understood: the inputs of a graph are the user's, and nothing else is the world's."""
    return any(atom.origin is Origin.WORLD for atom in symbols(one.requirement.predicate))


def _advised(found: Found) -> Iterator[Stated]:
    """What the operators advise, although they run without."""
    for record in found.program.records:
        if isinstance(record, Computed) and (advice := record.applied.op.advice) is not None:
            yield from (Stated(one, record.span) for one in advice(record.applied.arguments))
