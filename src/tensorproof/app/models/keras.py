"""`tensorproof check` on saved models of Keras: the program that builds the model is checked, and findings stand at its layers."""

from __future__ import annotations

from time import perf_counter

from tensorproof.app.check import check_source
from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.frontends import keras
from tensorproof.frontends.python.modules.source import Source, parse
from tensorproof.terms.records import replace

OURS = frozenset(["call/arguments", "python/type", "python/name", "python/attribute"])
"""What Keras itself wrote into the file is an argument that it takes: a refusal of it tells of our models."""


def saved(path: str, options: Options) -> keras.SavedModel:
    """The model of a file, with the shapes of inputs that the user gave."""
    shapes = {}
    for name, given in options.inputs.items():
        sizes = given.sizes if given.sizes is not None else (None,) * given.rank
        shapes[name] = tuple(size if isinstance(size, int) else None for size in sizes)
    read = keras.read(path, shapes)
    unknown = next((name for name in shapes if name not in read.inputs), None)
    if unknown is not None:
        raise BadInput(f"--input {unknown}: the model has no such input; it has {', '.join(read.inputs) or 'none'}")
    return read


def source_of(path: str, model: keras.SavedModel) -> Source:
    """The program that builds a model, as text for the Python front end."""
    return parse(path, model.text)


def check_keras(path: str, options: Options) -> Program:
    """Build the model abstractly; each finding stands at the layer that its line builds or calls."""
    start = perf_counter()
    model = saved(path, options)
    found = check_source(source_of(path, model), Options(time_limit=options.time_limit))
    gaps = [replace(gap, span=at_layer(path, model, gap.span)) for gap in found.gaps]
    if not model.inputs:
        gaps.append(Gap("the model", Span(path, 1, 1, 1, 2), "it was saved before it was built, and has no input"))
    shown: list[Diagnostic] = []
    for one in found.diagnostics:
        if one.code in OURS:
            gaps.append(Gap(one.code, at_layer(path, model, one.span), one.message))
        else:
            trail = tuple(replace(step, span=at_layer(path, model, step.span)) for step in one.trail)
            shown.append(replace(one, span=at_layer(path, model, one.span), trail=trail, fix="", label=""))
    errors = any(one.severity is Severity.ERROR for one in shown)
    verdict = Verdict.INVALID if errors else Verdict.UNKNOWN if gaps or found.verdict is not Verdict.VALID else Verdict.VALID
    counts = {one.value: int(one is verdict) for one in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    return Program(path, "", verdict, counts, found.calls, gaps, perf_counter() - start, shown, open=found.open)


def at_layer(path: str, model: keras.SavedModel, span: Span) -> Span:
    """The layer that a line of the program stands for."""
    return Span(path, 1, 1, 1, 2, model.nodes.get(span.line, model.name))
