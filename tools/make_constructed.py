"""Writes bindings/constructed/*.txt: which values the constructors of a library's classes and the words of its functions refuse, as the library says.

python tools/make_constructed.py keras|torch|tf
"""

from __future__ import annotations

import ast
import importlib
import inspect
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from tensorproof.bindings import constructed

FOLDER = Path(constructed.__file__).parent
HOMES = {"keras": ("layers", "losses", "metrics", "regularizers", "constraints", "initializers"), "torch": ("nn",)}
BASES = {"keras": "", "torch": "torch.nn.Module"}
OWN: dict[str, dict[str, Any]] = {"Discretization": {"num_bins": 3}, "CategoryEncoding": {"num_tokens": 4}, "RandomPosterization": {"factor": 4}}
"""Classes that need an argument with a default."""
SOURCES = {
    "keras": tuple(
        f"keras.src.{part}"
        for part in ("layers", "losses", "metrics", "initializers", "regularizers", "constraints", "utils", "backend.common", "backend.config")
    ),
    "torch": ("torch.nn",),
}
CONTEXTS = 8
ASKED = ("(+)", "[+]", "(+,+)", "[+,+]", "[.+,.+]")
"""The sequences that are tried with as many values of the other arguments as numbers are."""
NOT_TRIED = {
    "name",
    "dtype",
    "trainable",
    "device",
    "activity_regularizer",
    "autocast",
    "weights",
    "vocabulary",
    "kwargs",
    "fn",
    "parameters",
    "quantization_config",
    "idf_weights",
}
NEEDED: dict[str, Any] = {
    "units": 3, "filters": 4, "kernel_size": 3, "rate": 0.5, "input_dim": 5, "output_dim": 3, "equation": "abc,cd->abd", "output_shape": (None, 4),
    "pool_size": 2, "output_size": 2, "dims": (2, 1), "target_shape": (6,), "n": 2, "num_heads": 2, "key_dim": 3, "mask_value": 0.0, "stddev": 0.5,
    "groups": 2, "num_bins": 3, "height": 4, "width": 4, "factor": 0.1, "head_dim": 4, "num_query_heads": 4, "num_key_value_heads": 2, "size": 2,
    "value_range": (0, 255), "height_factor": 0.1, "width_factor": 0.1, "cropping": 1, "num_classes": 3, "target_class_ids": [0], "recall": 0.5,
    "precision": 0.5, "specificity": 0.5, "sensitivity": 0.5, "axes": 1, "num_tokens": 4, "in_features": 4, "out_features": 3, "in_channels": 4,
    "out_channels": 4, "in1_features": 3, "in2_features": 4, "num_features": 4, "num_embeddings": 5, "embedding_dim": 3, "normalized_shape": (4,),
    "num_groups": 2, "num_channels": 4, "input_size": 4, "hidden_size": 3, "embed_dim": 4, "d_model": 4, "nhead": 2, "upscale_factor": 2,
    "downscale_factor": 2, "padding": 1, "lambd": 0.5, "threshold": 0.5, "value": 0.5, "min_val": -1.0, "max_val": 1.0, "cutoffs": [2, 4], "n_classes": 9,
    "unflattened_size": (2, 2), "dim": 1, "scale_factor": 2, "normalization": 2,
}  # fmt: skip
WHOLE, REAL = (-3, -1, 0, 1, 2, 5, 100), (-2.5, -0.5, 0.0, 0.1, 0.5, 1.0, 1.5, 30.0)
FEW = ((1, 2, 3, 4), (3, 2, 1, 5), (2, 2, 2, 2))
WORDS = ("foo", "nearst")

FUNCTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "linalg.diag": ("align", {"diagonal": [[1.0, 2.0]]}), "linalg.diag_part": ("align", {"input": [[1.0, 2.0]]}),
    "linalg.set_diag": ("align", {"input": [[1.0, 2.0]], "diagonal": [1.0]}),
    "nn.conv2d": ("padding", {"input": [[[[1.0]]]], "filters": [[[[1.0]]]], "strides": 1}),
    "nn.conv1d": ("padding", {"input": [[[1.0]]], "filters": [[[1.0]]], "stride": 1}),
    "nn.conv3d": ("padding", {"input": [[[[[1.0]]]]], "filters": [[[[[1.0]]]]], "strides": [1] * 5}),
    "nn.depthwise_conv2d": ("padding", {"input": [[[[1.0]]]], "filter": [[[[1.0]]]], "strides": [1] * 4}),
    "nn.convolution": ("padding", {"input": [[[[1.0]]]], "filters": [[[[1.0]]]]}),
    "nn.max_pool": ("padding data_format", {"input": [[[[1.0]]]], "ksize": 1, "strides": 1, "padding": "SAME"}),
    "nn.max_pool2d": ("padding data_format", {"input": [[[[1.0]]]], "ksize": 1, "strides": 1, "padding": "SAME"}),
    "nn.max_pool1d": ("padding", {"input": [[[1.0]]], "ksize": 1, "strides": 1}), "nn.avg_pool1d": ("padding", {"input": [[[1.0]]], "ksize": 1, "strides": 1}),
    "nn.max_pool3d": ("padding", {"input": [[[[[1.0]]]]], "ksize": 1, "strides": 1}),
    "nn.avg_pool": ("padding data_format", {"input": [[[[1.0]]]], "ksize": 1, "strides": 1, "padding": "SAME"}),
    "nn.avg_pool2d": ("padding data_format", {"input": [[[[1.0]]]], "ksize": 1, "strides": 1, "padding": "SAME"}),
    "nn.avg_pool3d": ("padding", {"input": [[[[[1.0]]]]], "ksize": 1, "strides": 1}),
    "nn.pool": ("padding pooling_type", {"input": [[[[1.0]]]], "window_shape": (1, 1), "pooling_type": "MAX", "padding": "SAME"}),
    "nn.max_pool_with_argmax": ("padding", {"input": [[[[1.0]]]], "ksize": 1, "strides": 1}),
    "nn.space_to_depth": ("data_format", {"input": [[[[1.0], [1.0]], [[1.0], [1.0]]]], "block_size": 2}),
    "nn.depth_to_space": ("data_format", {"input": [[[[1.0, 1.0, 1.0, 1.0]]]], "block_size": 2}),
    "sort": ("direction", {"values": [1, 2]}), "argsort": ("direction", {"values": [1, 2]}), "meshgrid": ("indexing", {}),
    "image.resize": ("method", {"images": [[[1.0]]], "size": (1, 1)}), "image.crop_and_resize": (
        "method", {"image": [[[[1.0]]]], "boxes": [[0.0, 0.0, 1.0, 1.0]], "box_indices": [0], "crop_size": (1, 1)}),
    "image.resize_with_pad": ("method", {"image": [[[1.0]]], "target_height": 1, "target_width": 1}),
    "image.extract_patches": ("padding", {"images": [[[[1.0]]]], "sizes": [1] * 4, "strides": [1] * 4, "rates": [1] * 4}),
    "pad": ("mode", {"tensor": [1.0, 2.0], "paddings": [[0, 0]]}), "searchsorted": ("side", {"sorted_sequence": [1, 2], "values": [1]}),
    "strings.length": ("unit", {"input": "a"}), "strings.substr": ("unit", {"input": "a", "pos": 0, "len": 1}),
    "strings.lower": ("encoding", {"input": "a"}), "strings.upper": ("encoding", {"input": "a"}),
    "strings.unicode_transcode": ("output_encoding errors", {"input": "a", "input_encoding": "UTF-8", "output_encoding": "UTF-8"}),
    "signal.dct": ("norm", {"input": [1.0, 2.0]}),
}  # fmt: skip
"""Functions of TensorFlow with the arguments that are words, and a call."""

CANDIDATES = [
    "ASCENDING",
    "DESCENDING",
    "LEFT_RIGHT",
    "RIGHT_LEFT",
    "LEFT_LEFT",
    "RIGHT_RIGHT",
    "SAME",
    "VALID",
    "EXPLICIT",
    "FULL",
    "NHWC",
    "NCHW",
    "NDHWC",
    "NCDHW",
    "NWC",
    "NCW",
    "HWCN",
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
    "BYTE",
    "UTF8_CHAR",
    "UTF-8",
    "UTF-16-BE",
    "UTF-32-BE",
    "UTF-16",
    "UTF-16-LE",
    "UTF-32",
    "left",
    "right",
    "xy",
    "ij",
    "CONSTANT",
    "REFLECT",
    "SYMMETRIC",
    "EDGE",
    "ortho",
    "in",
    "cm",
    "grayscale",
    "rgb",
    "strict",
    "replace",
    "ignore",
    "MAX",
    "AVG",
    "SUM",
    "utf-8",
]
_KERNELS = ("UnimplementedError", "NotFoundError")
"""By these TensorFlow says that it has the word, and no kernel for it."""


def values() -> dict[str, list[Any]]:
    """The values that are tried, by their kind."""
    rows: list[Any] = [()]
    for n in (1, 2, 3, 4):
        rows += [few[:n] for few in FEW[: 1 + (n < 4)]]
        odds = ((0,), (-1,), (1.5,), ("a",), (None,)) if n < 4 else ()
        rows += [(one,) * n for (one,) in odds]
        rows += [(*FEW[0][: n - 1], one) for (one,) in odds if 1 < n < 4]
    rows += [(0, 255), (0, 1), (-0.5, 0.5), (-0.1, 0.2), (0.5, 1.5), (0.0, 1.0), (0.0, 255.0), (0.1, 1.0), (0.2, 0.1), (0.9, 0.999)]
    rows += [((1, 2), (2, 1)), ((1, 2), (3,)), ((1,), (2, 3)), ((1, 2), 3), (3, (1, 2)), ((1, 2), (1, 2), (2, 1)), ((1, 2), (1,), (1, 2)), ((0, 0), (0, 1))]
    plain: list[Any] = [None, True, False, *WHOLE, *REAL, *WORDS, *rows, *(_listed(row) for row in rows)]
    found: dict[str, list[Any]] = defaultdict(list)
    for value in plain:
        found[constructed.kind(value)].append(value)
    return {of: several for of, several in found.items() if of}


def _listed(row: Any) -> Any:
    return [_listed(one) for one in row] if isinstance(row, tuple) else row


def classes(library: str, home: str) -> Iterator[tuple[str, Any]]:
    module = importlib.import_module(f"{library}.{home}")
    for name in sorted(dir(module)):
        found = getattr(module, name)
        if inspect.isclass(found) and not name.startswith("_") and (library == "keras" or issubclass(found, importlib.import_module("torch.nn").Module)):
            yield name, found


def failing(make: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """The class of the exception of a construction; nothing where it succeeds."""
    try:
        make(**arguments)
    except Exception as error:
        return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins" or "errors_impl" in c.__module__)
    return ""


@cache
def words_of(library: str) -> list[str]:
    """The words that stand in the sources of a library: what a list of words may hold."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        if name.startswith(SOURCES[library]) and path.endswith(".py"):
            text = Path(path).read_text(encoding="utf-8")
            found |= {n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    plain = {word for word in found if re.fullmatch(r"[A-Za-z][\w.+-]{0,24}", word)}
    return sorted({w for word in plain for w in (word, word.upper(), word.lower())})


class Tried:
    """One class: its arguments, a call that succeeds, and what each argument takes."""

    known: ClassVar[dict[str, str]] = {}
    """Lines by the argument and by what it takes alone: classes that agree in this are taken to agree in all."""

    def __init__(self, name: str, made: Any, tried: dict[str, list[Any]]) -> None:
        self.name, self.made, self.tried = name, made, tried
        parameters = [
            p for p in inspect.signature(made.__init__).parameters.values() if p.name != "self" and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]
        self.needed = {p.name: NEEDED[p.name] for p in parameters if p.default is p.empty and p.name in NEEDED}
        self.needed |= OWN.get(name, {})
        self.missing = [p.name for p in parameters if p.default is p.empty and p.name not in NEEDED]
        ends = ("_initializer", "_regularizer", "_constraint", "activation", "initializer", "regularizer")
        self.names = [p.name for p in parameters if p.name not in NOT_TRIED and not p.name.endswith(ends)]
        self.words = words_of(made.__module__.partition(".")[0])

    def works(self) -> bool:
        return not self.missing and not failing(self.made, self.needed)

    def lines(self) -> Iterator[tuple[str, str]]:
        for n in OWN.get(self.name, ()):
            left = {m: v for m, v in self.needed.items() if m != n}
            instead = [m for m in self.names if any(not failing(self.made, {**left, m: v}) for v in (2, 0.5, [0.5], (0.1, 0.2)))]
            yield "!", f"{failing(self.made, left)} {' '.join(instead)}"
        rand = random.Random(self.name)
        own = OWN.get(self.name, {})
        without = {m: v for m, v in self.needed.items() if m not in own}

        def wrong(n: str, v: Any) -> str:
            return (
                failing(self.made, {**self.needed, n: v})
                and (failing(self.made, {**without, n: v}) if own else "yes")
                and failing(self.made, {**self.needed, n: v})
            )

        alone = {n: {of: [wrong(n, v) for v in several] for of, several in self.tried.items()} for n in self.names}
        words = {n: [w for w in self.words if not failing(self.made, {**self.needed, n: w})] if all(alone[n]["'"]) else [] for n in self.names}
        good = {n: [v for of, several in self.tried.items() for v, f in zip(several, alone[n][of]) if not f] + words[n] * 3 for n in self.names}
        contexts: list[dict[str, Any]] = []
        for _ in range(8 * CONTEXTS):
            given = {n: rand.choice(good[n]) for n in self.names if good[n] and rand.random() < 0.4}
            if len(contexts) < CONTEXTS and given and not failing(self.made, {**self.needed, **given}):
                contexts.append(given)
        flat = [v for several in self.tried.values() for v in several]
        for n in self.names:
            key = f"{n} {alone[n]} {words[n]}"
            if key in self.known:
                yield n, self.known[key]
                continue
            others = [(m, v) for m in self.names if m != n for v in [rand.choice(flat), 5, True, [1.0, 2.0]] + words[m][:6]]
            self.known[key] = self._line(n, alone[n], words[n], contexts + [{m: v} for m, v in rand.sample(others, min(len(others), 25))])
            yield n, self.known[key]

    def _line(self, name: str, alone: dict[str, list[str]], words: list[str], contexts: list[dict[str, Any]]) -> str:
        refused: dict[str, list[str]] = defaultdict(list)
        still: list[str] = []
        others: set[str] = set()
        for of, errors in alone.items():
            if not all(errors):
                still += [of] if any(errors) else []
                continue
            tried = contexts[:4] if of[0] in "([" and of not in ASKED else contexts
            with_these = [c for c in tried if not failing(self.made, {**self.needed, **c, name: self.tried[of][0]})]
            single = {next(iter(c)) for c in with_these if len(c) == 1}
            others |= (single or {m for c in with_these for m in c}) - {name}
            refused[errors[0]].append(of)
        if others:  # what decides for one kind may decide for others too
            refused = {f"{error}~{','.join(sorted(others))}": kinds for error, kinds in refused.items()}
        listed = any("'" in kinds for kinds in refused.values())
        taken = (
            {w for w in self.words if any(not failing(self.made, {**self.needed, **c, name: w}) for c in contexts[:3])} if listed and not others else set[str]()
        )
        parts = [f"{error}={constructed.written(kinds, list(self.tried))}" for error, kinds in sorted(refused.items())]
        parts += [f"? {constructed.written(still, list(self.tried))}"] if still else []
        parts += [" ".join(f"'{w}" for w in sorted({*words, *taken}))] if listed and {*words, *taken} else []
        return " | ".join(parts)


def of_functions() -> None:
    """The words of TensorFlow's functions."""
    import tensorflow

    tried = {of: several for of, several in values().items() if of[0] not in "(["}
    found: dict[str, list[str]] = defaultdict(list)
    for name, (arguments, call) in FUNCTIONS.items():
        run: Any = tensorflow
        call = {n: tensorflow.constant(v) if isinstance(v, list) and isinstance(v[0], list) else v for n, v in call.items()}
        for part in name.split("."):
            run = getattr(run, part)
        if name == "meshgrid":
            run = lambda **named: tensorflow.meshgrid([1], [2], **named)
        for argument in arguments.split():
            errors = {of: [failing(run, {**call, argument: v}) for v in several] for of, several in tried.items()}
            candidates = sorted({w for one in CANDIDATES for w in (one, one.lower(), one.upper())})
            words = [w for w in candidates if failing(run, {**call, argument: w}) in ("", *_KERNELS)]
            if not words or not all(errors["'"]):
                print("no words:", name, argument, file=sys.stderr)
                continue
            refused: dict[str, list[str]] = defaultdict(list)
            for of, several in errors.items():
                if all(several):
                    refused[several[0]].append(of)
            parts = [f"{error}={constructed.written(kinds, list(tried))}" for error, kinds in sorted(refused.items())]
            found[" | ".join([*parts, " ".join(f"'{w}" for w in words)])].append(f"{name}.{argument}")
    (FOLDER / "tf.txt").write_text(f"{table(tried, found)}\n", encoding="utf-8")


def main(library: str, only: str = "") -> None:
    if library == "tf":
        return of_functions()
    tried = values()
    found: dict[str, list[str]] = defaultdict(list)
    for home in HOMES[library]:
        print(home, file=sys.stderr, flush=True)
        same: dict[Any, list[str]] = defaultdict(list)
        for name, made in classes(library, home):
            if (not only or only == name) and not name.startswith(("Transformer", "Lazy", "AugMix", "RandAugment")):
                same[made].append(name)
        for made, (name, *others) in same.items():
            print(name, file=sys.stderr, flush=True)
            if library == "keras":
                importlib.import_module("keras").backend.clear_session()
            try:
                one = Tried(name, made, tried)
            except (TypeError, ValueError, OSError):
                continue
            if not one.works():
                print("left out:", home, name, one.missing, file=sys.stderr)
                continue
            for argument, line in one.lines():
                found[line] += [f"{home}.{each}.{argument}" for each in (name, *others)]
        if not only:
            (FOLDER / f"{library}.txt").write_text(f"{table(tried, found)}\n", encoding="utf-8")
    if only:
        print(table(tried, found))


def table(tried: dict[str, list[Any]], found: dict[str, list[str]]) -> str:
    return "\n".join([" ".join(tried), *(f" {' '.join(keys)} : {line}" for line, keys in sorted(found.items()))])


if __name__ == "__main__":
    main(*sys.argv[1:])
