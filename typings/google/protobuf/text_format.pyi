from typing import TypeVar

from google.protobuf.message import Message

M = TypeVar("M", bound=Message)

def Parse(text: str, message: M, *, allow_unknown_field: bool = False) -> M: ...
