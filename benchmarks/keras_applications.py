"""Checks every model builder of `keras.applications`, with weights=None and its default input: proved, not understood, false alarms, seconds.

    python benchmarks/keras_applications.py ENVIRONMENT [--truth PYTHON] [BUILDER …]

ENVIRONMENT is a Python environment whose Keras is read (it is not imported). With `--truth` that interpreter builds the same models and their output shapes
are compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.environment import site_packages
from tensorproof.frontends.python.modules.source import parse

BUILDERS = (
    "ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtSmall", "ConvNeXtTiny", "ConvNeXtXLarge", "DenseNet121", "DenseNet169", "DenseNet201", "EfficientNetB0",
    "EfficientNetB1", "EfficientNetB2", "EfficientNetB3", "EfficientNetB4", "EfficientNetB5", "EfficientNetB6", "EfficientNetB7", "EfficientNetV2B0",
    "EfficientNetV2B1", "EfficientNetV2B2", "EfficientNetV2B3", "EfficientNetV2L", "EfficientNetV2M", "EfficientNetV2S", "InceptionResNetV2", "InceptionV3",
    "MobileNet", "MobileNetV2", "MobileNetV3Large", "MobileNetV3Small", "NASNetLarge", "NASNetMobile", "ResNet50", "ResNet50V2", "ResNet101",
    "ResNet101V2", "ResNet152", "ResNet152V2", "VGG16", "VGG19", "Xception",
)  # fmt: skip
PROGRAM = """import keras
from keras import applications

model = applications.{name}(weights=None)
shape = tuple(model.output_shape)
count = len(model.layers)
weights = model.count_params()
"""
TRUTH = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import keras
for name in sys.argv[1:]:
    model = getattr(keras.applications, name)(weights=None)
    print(json.dumps([name, model.output_shape, len(model.layers), model.count_params()]), flush=True)
    del model
    keras.backend.clear_session()
"""


def main(arguments: list[str]) -> int:
    environment, *rest = arguments
    truth: dict[str, list[object]] = {}
    if rest[:1] == ["--truth"]:
        python, rest = rest[1], rest[2:]
        wanted = rest or list(BUILDERS)
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "truth.py"
            script.write_text(TRUTH, encoding="utf-8")
            for line in subprocess.run([python, str(script), *wanted], capture_output=True, text=True, check=False).stdout.splitlines():
                name, *figures = json.loads(line)
                truth[name] = figures
    site = site_packages(environment)
    proved = unknown = alarms = differ = 0
    started = time.perf_counter()
    print(f"{'builder':20} {'verdict':8} {'seconds':>7} {'layers':>6} {'weights':>10}")
    for name in rest or BUILDERS:
        source = parse("program.py", PROGRAM.format(name=name))
        before = time.perf_counter()
        program = check_source(source, Options(environment=environment))
        seconds = time.perf_counter() - before
        errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
        last = explore(source, (), (), site).last if name in truth else None
        ours = [last.bound_on.get(line) for line in (5, 6, 7)] if last is not None else []
        words = ""
        if errors:
            alarms += 1
            words = errors[0].message
        elif program.verdict is Verdict.VALID:
            proved += 1
            wanted_shape = truth.get(name)
            if wanted_shape is not None and ours != [tuple(wanted_shape[0]), *wanted_shape[1:]]:  # type: ignore[arg-type]
                differ += 1
                words = f"Keras: {wanted_shape}, here: {ours}"
        else:
            unknown += 1
            words = "; ".join(dict.fromkeys(f"{g.callee} ({g.reason})" for g in program.gaps))[:160]
        count, weights = (ours[1], ours[2]) if ours else ("", "")
        print(f"{name:20} {program.verdict.value:8} {seconds:7.2f} {count!s:>6} {weights!s:>10}  {words}", flush=True)
    total = proved + unknown + alarms
    print(f"{proved} of {total} proved, {unknown} unknown, {alarms} false alarms, {differ} differ from Keras; {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
