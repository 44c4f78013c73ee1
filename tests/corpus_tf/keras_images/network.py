"""A small residual network with separable convolutions."""

from tensorflow import keras
from tensorflow.keras import layers


def block(x, filters, previous):
    """Two separable convolutions, half the size, and a projection of the input beside them."""
    y = layers.Activation("relu")(x)
    y = layers.SeparableConv2D(filters, 3, padding="same")(y)
    y = layers.BatchNormalization()(y)
    y = layers.Activation("relu")(y)
    y = layers.SeparableConv2D(filters, 3, padding="same")(y)
    y = layers.BatchNormalization()(y)
    y = layers.MaxPooling2D(3, strides=2, padding="same")(y)
    residual = layers.Conv2D(filters, 1, strides=2, padding="same")(previous)
    return layers.add([y, residual])


def trunk(side, width, depth=3):
    inputs = keras.Input(shape=(side, side, 3))
    x = layers.Rescaling(1.0 / 255)(inputs)
    x = layers.Conv2D(width, 3, strides=2, padding="same")(x)
    x = layers.BatchNormalization()(x)
    previous = x = layers.Activation("relu")(x)
    for level in range(1, depth + 1):
        previous = x = block(x, width * 2**level, previous)
    x = layers.SeparableConv2D(width * 16, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu", name="features")(x)
    return keras.Model(inputs, x, name="trunk")


def classifier(base, classes, dropout):
    inputs = keras.Input(shape=base.input_shape[1:])
    x = base(inputs)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(dropout)(x)
    if classes == 2:
        outputs = layers.Dense(2, activation="softmax", dtype="float32", name="scores")(x)
    else:
        outputs = layers.Dense(classes, activation="softmax", dtype="float32", name="scores")(x)
    return keras.Model(inputs, outputs, name="classifier")
