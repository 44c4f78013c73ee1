from onnx import NodeProto

class CheckerContext:
    ir_version: int
    opset_imports: dict[str, int]

class C:
    CheckerContext: type[CheckerContext]

def check_node(node: NodeProto, ctx: CheckerContext) -> None: ...
