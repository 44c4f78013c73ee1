from collections.abc import Sequence

class InputSpec:
    arg: object
    target: str | None

class ExportGraphSignature:
    input_specs: Sequence[InputSpec]
