"""Old and private homes of Keras names: `tf.keras.layers.Dense`, `keras.layers.core.Dense` and `keras.src.layers.Dense` are one class."""

from __future__ import annotations

from functools import cache

from tensorproof.libraries.results.facts import others


def _home(name: str) -> str:
    from tensorproof.libraries.tensorflow.version1.aliases import home  # which no program of torch needs

    return home(name)


@cache
def canonical(name: str) -> str:
    """The one name of something in a library that has moved or is known under several."""
    if name.startswith("torch.nn.modules.") and name.rpartition(".")[2][:1].isupper():
        return "torch.nn." + name.rpartition(".")[2]
    changed = True
    while changed:
        changed = False
        for old, new in others("keras/trees").items():
            if name == old or name.startswith(old + "."):
                name = new + name[len(old) :]
                changed = True
                break
    for old in ("tf.losses.", "tf.metrics."):  # classes of TensorFlow 2; the functions of TensorFlow 1 are written small
        if name.startswith(old) and name[len(old) :][:1].isupper() and name != "tf.losses.Reduction":
            name = "keras." + name.removeprefix("tf.")
    if not name.startswith("keras."):
        return _home(name) if name.startswith("tf") else name
    parts = name.split(".")
    modules = others("keras/modules")
    for length in range(len(parts), 1, -1):
        place = modules.get(".".join(parts[:length]))
        if place is not None:
            name = ".".join([place, *parts[length:]])
            break
    return others("keras/names").get(name, name)
