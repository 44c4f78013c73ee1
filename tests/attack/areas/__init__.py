"""The areas of the attack: each file draws programs of one."""

from __future__ import annotations

from typing import NamedTuple

from tests.attack.areas import (
    arrays,
    autograd,
    branches,
    einops,
    exceptions,
    indices,
    keras_graphs,
    keras_losses,
    keras_models,
    keras_training,
    loaders,
    loops,
    losses,
    mixing,
    modes,
    modules,
    networks,
    numbers,
    objects,
    optimizers,
    python,
    sampling,
    sequences,
    shapes,
    states,
    strides,
    tf_functions,
    tf_pipelines,
    transforms,
)  # fmt: skip
from tests.attack.drawing import Scene


class Area(NamedTuple):
    name: str
    draw: Scene
    share: float = 1.0
    """How many of its programs are drawn, beside the others."""
    needs: str = "torch"
    """The library without which nothing of it runs."""
    isolated: bool = False
    """Each program runs in a process of its own, since it changes the libraries."""

    @property
    def tensorflow(self) -> bool:
        return self.needs == "tensorflow"


AREAS = (
    Area("shapes", shapes.draw),
    Area("einops", einops.draw, 0.3, "einops"),
    Area("autograd", autograd.draw),
    Area("modules", modules.draw),
    Area("losses", losses.draw),
    Area("loaders", loaders.draw),
    Area("python", python.draw),
    Area("objects", objects.draw),
    Area("strides", strides.draw),
    Area("branches", branches.draw),
    Area("loops", loops.draw),
    Area("networks", networks.draw),
    Area("numbers", numbers.draw),
    Area("transforms", transforms.draw),
    Area("modes", modes.draw),
    Area("exceptions", exceptions.draw),
    Area("mixing", mixing.draw),
    Area("arrays", arrays.draw),
    Area("optimizers", optimizers.draw),
    Area("sequences", sequences.draw),
    Area("indices", indices.draw),
    Area("sampling", sampling.draw),
    Area("states", states.draw),
    Area("tf_functions", tf_functions.draw, 0.5, "tensorflow"),
    Area("tf_pipelines", tf_pipelines.draw, 0.5, "tensorflow"),
    Area("keras", keras_models.draw, 0.3, "tensorflow"),
    Area("keras_graphs", keras_graphs.draw, 0.3, "tensorflow"),
    Area("keras_losses", keras_losses.draw, 0.3, "tensorflow"),
    Area("keras_training", keras_training.draw, 0.3, "tensorflow"),
)
