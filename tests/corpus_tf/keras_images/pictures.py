"""The pictures: read from a folder, augmented, in batches."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

AUTOTUNE = tf.data.AUTOTUNE


def augmentation():
    return keras.Sequential(
        [
            layers.RandomFlip("horizontal"),
            layers.RandomRotation(0.1),
            layers.RandomZoom(0.2),
            layers.RandomContrast(0.2),
        ],
        name="augmentation",
    )


def load(opt):
    """Training and validation batches with one-hot labels, and the names of the classes."""
    train, val = keras.utils.image_dataset_from_directory(
        opt.data,
        validation_split=0.2,
        subset="both",
        seed=opt.seed,
        label_mode="categorical",
        image_size=(opt.side, opt.side),
        batch_size=opt.batch_size,
    )
    names = train.class_names
    augment = augmentation()
    train = train.map(lambda x, y: (augment(x, training=True), y), num_parallel_calls=AUTOTUNE)
    if opt.smoothing > 0:
        train = train.map(lambda x, y: (x, y * (1.0 - opt.smoothing) + opt.smoothing / len(names)))
    return train.prefetch(AUTOTUNE), val.prefetch(AUTOTUNE), names
