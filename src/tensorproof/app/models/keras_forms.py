"""Program forms of saved models of Keras: the program that builds the model, with the layers in place of its lines."""

from __future__ import annotations

from collections.abc import Iterator

from tensorproof.app.models.form import ModelForm
from tensorproof.app.models.keras import at_layer, saved, source_of
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.frontends import keras
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.program.form import Computed, Loop, Record
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType


def keras_forms(path: str, options: Options) -> Iterator[ModelForm]:
    """The forms of the paths of that program."""
    model = saved(path, options)
    names: dict[int, list[str]] = {}
    kept: list[object] = []

    def ended(m: Interpreter) -> None:
        for variable, value in m.modules.main.space.items():
            if isinstance(value, TensorType) and variable in model.variables:
                names.setdefault(id(value), []).append(model.variables[variable])
                kept.append(value)

    for one in explore(source_of(path, model), ended=ended, record=True).paths:
        if one.program is not None:
            gaps = [replace(gap, span=at_layer(path, model, gap.span)) for gap in (*one.gaps, *one.later)]
            yield ModelForm([_at_layers(path, model, record) for record in one.program.records], names, gaps, kept)


def _at_layers(path: str, model: keras.SavedModel, record: Record) -> Record:
    if isinstance(record, Loop):
        return replace(record, body=tuple(_at_layers(path, model, one) for one in record.body), span=at_layer(path, model, record.span))
    return replace(record, span=at_layer(path, model, record.span)) if isinstance(record, (Computed, Gap)) else record
