"""The program's objects, its values and the machine's port: what models import from here."""

from __future__ import annotations

from tensorproof.values.heap import AT, MISSING, Cursor, Entries, Key, Row, Space, Table, slot
from tensorproof.values.objects import (
    FIELDS,
    NOWHERE,
    OPEN,
    Bound,
    Choice,
    Class,
    ClassMethod,
    Dict,
    Function,
    Generator,
    Instance,
    Iterator,
    List,
    Model,
    ModuleFile,
    Native,
    Property,
    Record,
    Set,
    StaticMethod,
)
from tensorproof.values.port import Args, Kwargs, Machine, Value
from tensorproof.values.python_values import BYTES, COUNTED, REAL, TEXT, TIME, WHOLE, Device, Layer, Method, Named, Summary, Unknown, joined_text, whole_of
from tensorproof.values.summaries import is_summarised, summarise
from tensorproof.values.tensor_shape import TensorShape

__all__ = [
    "AT", "BYTES", "COUNTED", "FIELDS", "MISSING", "NOWHERE", "OPEN", "REAL", "TEXT", "TIME", "WHOLE", "Args", "Bound", "Choice", "Class", "ClassMethod",
    "Cursor", "Device", "Dict", "Entries", "Function", "Generator", "Instance", "Iterator", "Key", "Kwargs", "Layer", "List", "Machine", "Method", "Model",
    "ModuleFile", "Named", "Native", "Property", "Record", "Row", "Set", "Space", "StaticMethod", "Summary", "Table", "TensorShape", "Unknown", "Value",
    "is_summarised", "joined_text", "slot", "summarise", "whole_of",
]  # fmt: skip
