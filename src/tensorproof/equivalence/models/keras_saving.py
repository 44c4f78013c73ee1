"""The ways in which Keras and TensorFlow save a layer or a model and load it."""

from __future__ import annotations

from tensorproof.equivalence.models.saving import FOLDER, Method

NOT_SUBCLASSED = frozenset({"JSON with weights", "clone with weights", ".h5 file"})
"""What Keras says it does for sequential and functional models alone."""
METHODS = (
    Method("config with weights", "other = type(layer).from_config(layer.get_config())\n{weights}"),
    Method("serialized object", "other = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))\n{weights}"),
    Method("weights", "{fresh}\n{weights}"),
    Method("deepcopy", "import copy\nother = copy.deepcopy(layer)"),
    Method("JSON with weights", "other = keras.models.model_from_json(layer.to_json())\n{weights}", models=True),
    Method("clone with weights", "other = keras.models.clone_model(layer)\n{weights}", models=True),
    Method("pickle", "import pickle\nother = pickle.loads(pickle.dumps(layer))", models=True),
    Method(".keras file", f'{FOLDER}layer.save(path + "/m.keras")\nother = keras.saving.load_model(path + "/m.keras")', models=True),
    Method(".h5 file", f'{FOLDER}layer.save(path + "/m.h5")\nother = keras.saving.load_model(path + "/m.h5")', models=True),
    Method(
        ".weights.h5 file",
        f'{FOLDER}layer.save_weights(path + "/m.weights.h5")\n{{fresh}}\n{{build}}\nother.load_weights(path + "/m.weights.h5")',
        models=True,
    ),
    Method(
        "sharded weights",
        f'{FOLDER}layer.save_weights(path + "/m.weights.json", max_shard_size=1)\n{{fresh}}\n{{build}}\nother.load_weights(path + "/m.weights.json")',
        models=True,
    ),
    Method(
        "checkpoint",
        f'{FOLDER}saved = tf.train.Checkpoint(model=layer).write(path + "/c")\n{{fresh}}\n{{build}}\ntf.train.Checkpoint(model=other).read(saved)',
        costly=True,
    ),
    Method(
        "SavedModel",
        f'{FOLDER}layer.export(path + "/e", verbose=False, input_signature=[tf.TensorSpec([None, *x.shape[1:]], x.dtype)])\n'
        'loaded = tf.saved_model.load(path + "/e")\nother = loaded.serve',
        models=True, weights=False, costly=True,
    ),
)  # fmt: skip
LOSSES = tuple(method for method in METHODS if method.name in ("config with weights", "serialized object"))
