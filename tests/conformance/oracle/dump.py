"""Runs every sample and error input of torch's op_db and module_db on the CPU and keeps what happened.

python tests/conformance/oracle/dump.py [--out FILE] [--entry GLOB] [--spellings FILE]
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import enum
import fnmatch
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracle.record import Made, Name, Record, Tensor, cache_path, write
from oracle.spelling import public_name, resolve, spelled

PREFERRED = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16, torch.bfloat16, torch.float64, torch.uint8)
SECOND = (torch.int64, torch.complex64, torch.bool, torch.float16)
MOST_SECOND = 6
"""Samples per further dtype: they try promotion and dtype lists, not shapes."""
MOST_INTEGERS, MOST_FLOATS = 4096, 64


def encode(value: Any) -> Any:
    """A torch value as plain data of `oracle.record`."""
    if isinstance(value, torch.Tensor):
        return encode_tensor(value)
    if isinstance(value, torch.dtype):
        return Name("dtype", str(value))
    if isinstance(value, torch.device):
        return Name("device", str(value))
    if isinstance(value, torch.layout | torch.memory_format):
        return Name(type(value).__name__, str(value))
    if isinstance(value, bool | int | float | complex | str | slice | range) or value is None or value is ...:
        return float(value) if isinstance(value, float) else value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, list):
        return [encode(v) for v in value]
    if isinstance(value, tuple):  # torch.Size and the named results as well
        return tuple(encode(v) for v in value)
    if isinstance(value, dict):
        return {k: encode(v) for k, v in value.items()}
    if type(value).__module__ == "numpy":
        return encode_numpy(value)
    return encode_object(value)


def encode_object(value: Any) -> Any:
    if isinstance(value, torch.nn.functional.ScalingType | torch.nn.functional.SwizzleType):
        return Name("constant", f"torch.nn.functional.{type(value).__name__.removeprefix('_')}.{value.name}")
    if dataclasses.is_dataclass(value):
        changed = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if getattr(value, f.name) != f.default}
        return Made(f"torch.nn.{type(value).__name__}", (), encode(changed))
    if isinstance(value, torch.nn.Module) and hasattr(value, "made_with"):
        args, kwargs = value.made_with
        return Made(f"torch.nn.{type(value).__name__}", args, kwargs)
    name = public_name(value) if callable(value) else None
    return Name("function", name) if name else Name("opaque", getattr(value, "__qualname__", type(value).__name__))


def remember_arguments(module: type[torch.nn.Module]) -> None:
    """Modules that samples pass as arguments keep what they were made with: nothing in torch does."""
    plain = module.__init__

    def init(self: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        self.made_with = (encode(args), encode(kwargs))

    module.__init__ = init


def encode_numpy(value: Any) -> Any:
    if value.ndim == 0:
        return value.item()
    contents = tuple(value.ravel().tolist()) if value.size <= MOST_INTEGERS else None
    return Tensor(tuple(value.shape), str(value.dtype), layout="numpy", contents=contents)


def encode_tensor(t: torch.Tensor) -> Tensor:
    dtype = str(t.dtype).removeprefix("torch.")
    layout = str(t.layout).removeprefix("torch.") if t.layout is not torch.strided else "strided"
    if t.is_nested:
        return Tensor((), dtype, layout="nested")
    strides = None if layout != "strided" or t.is_contiguous() else tuple(t.stride())
    most = MOST_INTEGERS if not (t.is_floating_point() or t.is_complex()) else MOST_FLOATS
    contents = None
    if layout == "strided" and t.device.type == "cpu" and t.numel() <= most and not t.is_quantized:
        contents = tuple(t.detach().resolve_conj().resolve_neg().flatten().tolist())
    return Tensor(tuple(t.shape), dtype, strides, str(t.device), layout, t.requires_grad, contents)


def outputs_of(value: Any) -> Any:
    """Shapes and dtypes of a result; contents are dropped, Python numbers stay."""
    if isinstance(value, torch.Tensor):
        t = encode_tensor(value)
        return Tensor(t.shape, t.dtype, t.strides, t.device, t.layout)
    if isinstance(value, list):
        return [outputs_of(v) for v in value]
    if isinstance(value, tuple) and not isinstance(value, torch.Size | torch.nn.utils.rnn.PackedSequence):
        return tuple(outputs_of(v) for v in value)
    return encode(value)


def failure(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"


class Dump:
    """Collects the records and, in `notes`, what could not be recorded: what → why."""

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}

    def dtypes(self, op: Any) -> Iterator[tuple[Any, bool]]:
        supported = op.supported_dtypes("cpu") or op.dtypes
        first = next((d for d in PREFERRED if d in supported), next(iter(sorted(supported, key=str)), torch.float32))
        yield first, True
        for other in SECOND:
            if other in supported and other is not first:
                yield other, False

    def samples(self, op: Any) -> Iterator[Record]:
        entry = op.formatted_name
        spelling, adapt = spelled(entry, op.name)
        try:
            function = resolve(spelling)
        except AttributeError:
            self.notes[entry] = f"{spelling} is no public name"
            return
        for dtype, primary in self.dtypes(op):
            label = str(dtype).removeprefix("torch.")
            torch.manual_seed(0)
            try:
                samples = []
                for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
                    samples.append(sample)
                    if not primary and len(samples) >= MOST_SECOND:
                        break
            except Exception as error:
                self.note(entry, primary, f"making samples: {failure(error)}")
                continue
            for index, sample in enumerate(samples):
                arguments = (sample.input, *sample.args)
                try:
                    args, kwargs = adapt(*arguments, **sample.kwargs)
                    record = Record("op_db", "sample", entry, index, spelling, label, primary, encode(args), encode(kwargs))
                    outputs = None if function is op.op else outputs_of(op.op(*arguments, **sample.kwargs))
                    result = outputs_of(function(*args, **kwargs))
                except Exception as error:
                    self.note(f"{entry}#{index}", primary, f"calling: {failure(error)}")
                    continue
                if outputs is not None and outputs not in (result, result[:2] if isinstance(result, tuple) else None):
                    print(f"{entry}#{index}: {spelling} gives {result}, the entry {outputs}", file=sys.stderr)
                yield replace_outputs(record, result)

    def note(self, what: str, primary: bool, why: str) -> None:
        if primary:
            self.notes[what] = why

    def errors(self, op: Any) -> Iterator[Record]:
        if op.error_inputs_func is None:
            return
        entry = op.formatted_name
        spelling, adapt = spelled(entry, op.name)
        torch.manual_seed(0)
        try:
            function = resolve(spelling)
            inputs = list(op.error_inputs("cpu"))
        except Exception as error:
            self.notes[f"{entry} error inputs"] = f"making: {failure(error)}"
            return
        for index, given in enumerate(inputs):
            sample = given.sample_input
            arguments = (sample.input, *sample.args)
            try:
                args, kwargs = adapt(*arguments, **sample.kwargs)
            except Exception as error:
                self.notes[f"{entry} error input {index}"] = f"the fault is not in {spelling}: {failure(error)}"
                continue
            error = {"error_type": type_name(given.error_type), "error_regex": str(given.error_regex)}
            dtype = next((str(a.dtype).removeprefix("torch.") for a in arguments if isinstance(a, torch.Tensor)), "float32")
            record = Record("op_db", "error", entry, index, spelling, dtype, True, encode(args), encode(kwargs), **error)
            text = raised(lambda args=args, kwargs=kwargs: function(*args, **kwargs))
            if text is None:
                self.notes[f"{entry} error input {index}"] = f"runs on the CPU: {record}"
                continue
            yield with_text(record, text)

    def modules(self, info: Any) -> Iterator[Record]:
        spelling = f"torch.nn.{info.module_cls.__name__}"
        for training in (True, False) if info.train_and_eval_differ else (True,):
            # FractionalMaxPool draws its random samples in float64 whatever it is asked for
            dtype = torch.float64 if "FractionalMaxPool" in spelling else torch.float32
            torch.manual_seed(0)
            inputs = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=False, training=training)
            for index, given in enumerate(inputs):
                init, call = given.constructor_input, given.forward_input
                base = self.module_record(spelling, "sample", index, str(dtype).removeprefix("torch."), init, call, training)
                try:
                    module = info.module_cls(*init.args, **init.kwargs).train(training)
                    result = module(*call.args, **call.kwargs) if call is not None else None
                    state = {k: outputs_of(v) for k, v in module.state_dict().items()}
                except Exception as error:
                    self.notes[f"{base.entry}#{index}"] = failure(error)
                    continue
                yield replace_outputs(base, outputs_of(result), state)

    def module_errors(self, info: Any) -> Iterator[Record]:
        if info.module_error_inputs_func is None:
            return
        spelling = f"torch.nn.{info.module_cls.__name__}"
        inputs = info.module_error_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=True)
        for index, given in enumerate(inputs):
            init, call = given.module_error_input.constructor_input, given.module_error_input.forward_input
            stage = "construction" if given.error_on.name == "CONSTRUCTION_ERROR" else "call"
            error = {"error_type": type_name(given.error_type), "error_regex": str(given.error_regex), "stage": stage}
            record = self.module_record(spelling, "error", index, "float32", init, call, True, **error)
            text = raised(lambda init=init, call=call: info.module_cls(*init.args, **init.kwargs)(*call.args, **call.kwargs))
            if text is None:
                self.notes[f"{record.entry} error input {index}"] = f"runs on the CPU: {record}"
                continue
            yield with_text(record, text)

    def module_record(self, spelling: str, kind: str, index: int, dtype: str, init: Any, call: Any, training: bool, **rest: Any) -> Record:
        args, kwargs = (encode(call.args), encode(call.kwargs)) if call is not None else ((), {})
        entry = spelling.removeprefix("torch.") + ("" if training else "_eval")
        init_args = {"init": encode(init.args), "init_kwargs": encode(init.kwargs), "training": training}
        return Record("module_db", kind, entry, index, spelling, dtype, True, args, kwargs, **init_args, **rest)


def replace_outputs(record: Record, outputs: Any, state: dict[str, Any] | None = None) -> Record:
    fields = {name: getattr(record, name) for name in Record.__slots__}
    return Record(**{**fields, "outputs": outputs, "state": state or {}})


def with_text(record: Record, text: str) -> Record:
    return Record(**{**{name: getattr(record, name) for name in Record.__slots__}, "error_text": text})


def raised(act: Callable[[], Any]) -> str | None:
    try:
        act()
    except Exception as error:
        return failure(error)
    return None


def type_name(error_type: Any) -> str:
    return " | ".join(t.__name__ for t in error_type) if isinstance(error_type, tuple) else error_type.__name__


def dump(pattern: str) -> tuple[list[Record], dict[str, str]]:
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db

    for module in (torch.nn.TransformerEncoderLayer, torch.nn.PairwiseDistance):
        remember_arguments(module)
    records: list[Record] = []
    run = Dump()
    slow: list[tuple[float, str]] = []
    for op in op_db:
        if fnmatch.fnmatch(op.formatted_name, pattern):
            start = time.perf_counter()
            records += run.samples(op)
            records += run.errors(op)
            slow.append((time.perf_counter() - start, op.formatted_name))
    for info in module_db:
        if fnmatch.fnmatch(f"nn.{info.module_cls.__name__}", pattern):
            records += run.modules(info)
            records += run.module_errors(info)
    print("slowest:", ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(slow, reverse=True)[:6]))
    return records, run.notes


def spellings(records: list[Record]) -> str:
    """Spelling, entries, samples and error inputs: the most sampled first."""
    entries: dict[str, set[str]] = collections.defaultdict(set)
    samples: collections.Counter[str] = collections.Counter()
    errors: collections.Counter[str] = collections.Counter()
    for r in records:
        entries[r.spelling].add(r.entry)
        (samples if r.kind == "sample" else errors)[r.spelling] += 1
    lines = [f"{'spelling':55s} entries samples errors"]
    for name in sorted(entries, key=lambda n: (-len(entries[n]), -samples[n], n)):
        lines.append(f"{name:55s} {len(entries[name]):7d} {samples[name]:7d} {errors[name]:6d}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=cache_path())
    parser.add_argument("--entry", default="*")
    parser.add_argument("--spellings", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    start = time.perf_counter()
    with torch.no_grad():
        records, notes = dump(options.entry)
    write(records, options.out, notes)
    count = collections.Counter((r.table, r.kind) for r in records)
    print(f"{len(records)} records in {time.perf_counter() - start:.0f} s → {options.out}: {dict(count)}; set aside: {len(notes)}")
    if options.spellings:
        options.spellings.write_text(spellings(records))


if __name__ == "__main__":
    main()
