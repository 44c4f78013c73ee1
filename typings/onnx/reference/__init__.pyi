from collections.abc import Mapping, Sequence
from typing import Any

from onnx import ModelProto

class ReferenceEvaluator:
    def __init__(self, proto: ModelProto) -> None: ...
    def run(self, output_names: Sequence[str] | None, feed_inputs: Mapping[str, object]) -> list[Any]: ...
