"""Writes saved models with the real library, and mutants of them with what the library says.

    python -m tests.conformance.saved_files torch|keras FOLDER SEED COUNT

`truth.json` in the folder: the results of each file that was saved as it is, and for each mutant whether the library runs it.
"""

from __future__ import annotations

import json
import os
import random
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Place = tuple[Any, ...]


def numbers(value: Any, skip: tuple[str, ...], place: Place = ()) -> Iterator[Place]:
    """Where whole numbers stand in decoded JSON."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in skip:
                yield from numbers(item, skip, (*place, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from numbers(item, skip, (*place, i))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield place


def at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def changed(draw: random.Random, value: Any, places: list[Place]) -> str:
    """Change one whole number, and say which."""
    place = draw.choice(places)
    old = at(value, place)
    new = draw.choice([n for n in (old + 1, old - 1, old * 2, 1, 2, 3, 5) if n != old])
    at(value, place[:-1])[place[-1]] = new
    return f"{place}: {old} becomes {new}"


# --- torch ---


def torch_modules() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Of(nn.Module):
        def __init__(self, function: Callable[..., Any], **parts: nn.Module) -> None:
            super().__init__()
            self.function = function
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, *given: Any) -> Any:
            return self.function(self, *given)

    def written(self: Any, x: Any) -> Any:
        y = x.clone()
        y.view(-1).add_(1)
        y[0] = 0.0
        return y.exp()

    def attention(self: Any, x: Any) -> Any:
        q, k, v = self.project(x).view(2, 9, 3, 4, 8).permute(2, 0, 3, 1, 4)
        return ((q @ k.transpose(-2, -1)).softmax(-1) @ v).transpose(1, 2).reshape(2, 9, 32)

    def branches(self: Any, x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x.exp(), lambda x: x.sqrt(), (x,))

    def losses(self: Any, x: Any, t: Any) -> Any:
        return F.cross_entropy(x, t), F.mse_loss(x, x * 2), torch.logsumexp(x, -1), x.topk(2)[0], x.sort(-1)[1], torch.einsum("ij,kj->ik", x, x), x.cumsum(0)

    def indexed(self: Any, x: Any, i: Any) -> Any:
        return x[i], x[:, 1:3], x.gather(1, i[None].expand(4, -1)), torch.index_select(x, 1, i), torch.stack([x, x]), x.unbind(0)[1], F.pad(x, (1, 2))

    pictures = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, groups=2), nn.GroupNorm(4, 16), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip
    words = nn.Sequential(nn.Embedding(50, 8), nn.Conv1d(7, 4, 3), nn.Tanh())
    up = Of(lambda self, x: torch.cat([F.interpolate(F.avg_pool2d(x, 2), scale_factor=2.0), self.t(F.max_pool2d(x, 2))], 1), t=nn.ConvTranspose2d(3, 5, 2, 2))
    return {
        "dense": (nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.LayerNorm(12), nn.Linear(12, 3), nn.Softmax(-1)), (torch.randn(4, 6),)),
        "pictures": (pictures, (torch.randn(2, 3, 24, 24),)),
        "words": (words, (torch.randint(0, 50, (3, 7)),)),
        "lstm": (nn.LSTM(5, 6, 2, batch_first=True), (torch.randn(2, 4, 5), (torch.zeros(2, 2, 6), torch.zeros(2, 2, 6)))),
        "encoder": (nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (torch.randn(2, 5, 16),)),
        "attention": (Of(attention, project=nn.Linear(32, 96)), (torch.randn(2, 9, 32),)),
        "up": (up, (torch.randn(2, 3, 8, 8),)),
        "losses": (Of(losses), (torch.randn(4, 6), torch.tensor([0, 2, 3, 1]))),
        "indexed": (Of(indexed), (torch.randn(4, 6), torch.tensor([0, 2, 3]))),
        "written": (Of(written), (torch.randn(3, 4),)),
        "branches": (Of(branches), (torch.rand(3, 4),)),
    }


def write_torch(folder: Path, seed: int, count: int) -> dict[str, Any]:
    import torch
    from torch.utils import _pytree as tree

    draw, truth = random.Random(seed), dict[str, Any]()
    for name, (module, given) in torch_modules().items():
        for suffix in ("", "_core"):
            exported = torch.export.export(module.eval(), given, strict=False)
            exported = exported.run_decompositions() if suffix else exported
            torch.export.save(exported, folder / f"{name}{suffix}.pt2")
            results = [t for t in tree.tree_leaves(exported.module()(*given)) if isinstance(t, torch.Tensor)]
            truth[f"{name}{suffix}.pt2"] = [[*t.shape, str(t.dtype)] for t in results]
    saved = sorted(folder.glob("*.pt2"))
    while sum(not isinstance(v, list) for v in truth.values()) < count:
        path, mutant = draw.choice(saved), folder / f"mutant{len(truth)}.pt2"
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        held = next(name for name in members if name.endswith("models/model.json"))
        program = json.loads(members[held])
        node = draw.choice(program["graph_module"]["graph"]["nodes"])
        places = list(numbers(node["inputs"], ("as_graph", "kind", "as_scalar_type", "as_memory_format", "as_layout", "as_device")))
        if not places or ".lstm." in node["target"]:  # ATen's own recurrence looks at few of its sizes: the module has looked before
            continue
        said = f"{path.name}: {node['target']} {changed(draw, node['inputs'], places)}"
        with zipfile.ZipFile(mutant, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, json.dumps(program) if name == held else data)
        try:
            exported = torch.export.load(mutant)
        except Exception:  # what cannot be loaded says nothing of shapes
            mutant.unlink()
            continue
        try:
            positional, named = exported.example_inputs
            exported.module(check_guards=False)(*positional, **named)
            truth[mutant.name] = [True, said]
        except Exception as error:
            truth[mutant.name] = [False, f"{said}: {' '.join(str(error).split())[:200]}"]
        truth[mutant.name] = {"runs": truth[mutant.name][0], "said": truth[mutant.name][1]}
    return truth


# --- Keras ---


def keras_models() -> dict[str, Any]:
    import keras
    from keras import layers as L
    from keras import ops

    def of(sizes: Any, function: Callable[[Any], Any], dtype: str = "float32") -> Any:
        given = [keras.Input(s, dtype=dtype) for s in sizes] if isinstance(sizes, list) else keras.Input(sizes, dtype=dtype)
        return keras.Model(given, function(given))

    def text(x: Any) -> Any:
        x = L.Bidirectional(L.LSTM(4, return_sequences=True))(L.Embedding(30, 6, mask_zero=True)(x))
        return L.GlobalAveragePooling1D()(L.Add()([L.TimeDistributed(L.Dense(8))(x), L.MultiHeadAttention(2, 4)(x, x)]))

    def shared(x: Any) -> Any:
        layer = L.Dense(6)
        return L.Concatenate()([layer(x[0]), layer(x[1])])

    inner = keras.Sequential([keras.Input((8,)), L.Dense(4, kernel_regularizer="l2")])
    pictures = [
        keras.Input((28, 28, 1)), L.Conv2D(8, 3, activation="relu"), L.MaxPooling2D(), L.BatchNormalization(), L.SeparableConv2D(4, 3), L.Flatten(),
        L.Dropout(0.3), L.Dense(10, activation="softmax"),
    ]  # fmt: skip
    return {
        "pictures": keras.Sequential(pictures),
        "text": of((None,), text, "int32"),
        "shared": of([(6,), (6,)], shared),
        "nested": of((8,), lambda x: L.Reshape((2, 2))(inner(x))),
        "merges": of([(4, 6), (4, 6)], lambda x: [L.Multiply()(x), L.Dot(axes=-1)(x), L.Attention()(x), L.Subtract()(x)]),
        "recurrent": of((5, 8), lambda x: [L.GRU(6, return_sequences=True)(x), L.RNN(L.LSTMCell(7))(x), L.ConvLSTM1D(3, 2)(L.Reshape((5, 4, 2))(x))]),
        "images": of((8, 8, 4), lambda x: [L.UpSampling2D(2)(x), L.Conv2DTranspose(3, 3, strides=2)(x), L.Cropping2D(1)(x), L.GroupNormalization(2)(x)]),
        "functions": of((6, 4), lambda x: [x[:, 0], x[..., 1:3], ops.mean(x, axis=1), ops.einsum("bij,bkj->bik", x, x), ops.reshape(x, (-1, 24)) * 2.0]),
        "words": of((7,), lambda x: L.Conv1D(4, 3)(L.Embedding(50, 8)(x)), "int32"),
        "vectors": of((12,), lambda x: [L.RepeatVector(3)(x), L.Permute((2, 1))(L.Reshape((3, 4))(x)), L.Rescaling(0.5)(x)]),
    }


_SKIPPED = ("seed", "shared_object_id", "name", "dtype", "build_config", "inbound_nodes", "compile_config", "output_layers", "input_layers")


def write_keras(folder: Path, seed: int, count: int) -> dict[str, Any]:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import keras

    draw, truth = random.Random(seed), dict[str, Any]()
    for name, model in keras_models().items():
        model.save(folder / f"{name}.keras")
        truth[f"{name}.keras"] = [[*t.shape, t.dtype] for t in model.outputs]
    saved = sorted(folder.glob("*.keras"))
    for i in range(count):
        path, mutant = draw.choice(saved), folder / f"mutant{i}.keras"
        with zipfile.ZipFile(path) as archive:
            config = json.loads(archive.read("config.json"))
        layer = draw.choice([one for one in config["config"]["layers"] if list(numbers(one, _SKIPPED))])
        said = f"{path.name}: {layer['class_name']} {changed(draw, layer, list(numbers(layer, _SKIPPED)))}"
        _without(config, ("build_config", "compile_config"))
        with zipfile.ZipFile(mutant, "w") as archive:
            archive.writestr("config.json", json.dumps(config))
        try:
            keras.saving.deserialize_keras_object(config, safe_mode=False)
            truth[mutant.name] = {"runs": True, "said": said}
        except Exception as error:
            truth[mutant.name] = {"runs": False, "said": f"{said}: {' '.join(str(error).split())[:200]}"}
    return truth


def _without(value: Any, keys: tuple[str, ...]) -> None:
    if isinstance(value, dict):
        for key in keys:
            value.pop(key, None)
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _without(item, keys)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    library, target, chosen, wanted = sys.argv[1:]
    made = (write_torch if library == "torch" else write_keras)(Path(target), int(chosen), int(wanted))
    (Path(target) / "truth.json").write_text(json.dumps(made, default=str))
