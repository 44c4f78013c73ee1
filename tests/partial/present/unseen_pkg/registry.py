"""Registries."""

from __future__ import annotations


class Registry:
    def __init__(self, name: str = "") -> None:
        self.members = {}  # type: ignore[var-annotated]

    def register(self, name=None, **options):  # type: ignore[no-untyped-def]
        if callable(name):
            self.members[name.__name__] = name
            return name

        def decorate(thing):  # type: ignore[no-untyped-def]
            self.members[name or thing.__name__] = thing
            return thing

        return decorate

    register_module = register

    def get(self, name):  # type: ignore[no-untyped-def]
        return self.members[name]

    def build(self, name, **options):  # type: ignore[no-untyped-def]
        return self.members[name](**options)


MODELS = Registry("models")


def register_model(thing):  # type: ignore[no-untyped-def]
    return MODELS.register(thing)
