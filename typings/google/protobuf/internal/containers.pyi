from abc import ABCMeta
from collections.abc import MutableSequence
from typing import TypeVar

T = TypeVar("T")

class RepeatedCompositeFieldContainer(MutableSequence[T], metaclass=ABCMeta):
    def add(self) -> T: ...
