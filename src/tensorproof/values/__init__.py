"""The program's objects, its values and the machine's port: what models import from here."""

from __future__ import annotations

from tensorproof.values.heap import AT, MISSING, Cursor, Entries, Key, Row, Space, Table, slot
from tensorproof.values.objects import (
    NOWHERE,
    OPEN,
    Bound,
    Choice,
    Class,
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
)
from tensorproof.values.port import Args, Kwargs, Machine, Value
from tensorproof.values.python_values import BYTES, COUNTED, REAL, TEXT, TIME, WHOLE, Device, Layer, Method, Named, Summary, Unknown, joined_text, whole_of

__all__ = [
    "AT", "BYTES", "COUNTED", "MISSING", "NOWHERE", "OPEN", "REAL", "TEXT", "TIME", "WHOLE", "Args", "Bound", "Choice", "Class", "Cursor", "Device", "Dict",
    "Entries", "Function", "Generator", "Instance", "Iterator", "Key", "Kwargs", "Layer", "List", "Machine", "Method", "Model", "ModuleFile", "Named",
    "Native", "Property", "Record", "Row", "Set", "Space", "Summary", "Table", "Unknown", "Value", "joined_text", "slot", "whole_of",
]  # fmt: skip
