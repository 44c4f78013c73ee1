"""Pictures of digits or clothes, scaled to [-1, 1], in batches."""

import numpy as np
import tensorflow as tf

SOURCES = {"mnist": tf.keras.datasets.mnist, "fashion": tf.keras.datasets.fashion_mnist}


def load_images(name, limit=None):
    (images, _), _ = SOURCES[name].load_data()
    if limit is not None:
        images = images[:limit]
    images = images.reshape(images.shape[0], 28, 28, 1).astype("float32")
    return (images - 127.5) / 127.5


def flip(image):
    return tf.image.random_flip_left_right(image)


def make_dataset(name, batch_size, buffer_size=60000, augment=False, limit=None):
    images = load_images(name, limit)
    print(f"{len(images)} pictures, brightest {np.max(images):.1f}")
    dataset = tf.data.Dataset.from_tensor_slices(images)
    dataset = dataset.shuffle(buffer_size)
    if augment:
        dataset = dataset.map(flip, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.batch(batch_size).prefetch(tf.data.AUTOTUNE)
