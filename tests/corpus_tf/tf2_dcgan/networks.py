"""The generator and the discriminator."""

import tensorflow as tf
from tensorflow.keras import layers


def make_generator(noise_dim=100, width=64):
    model = tf.keras.Sequential(name="generator")
    model.add(layers.Dense(7 * 7 * width * 4, use_bias=False, input_shape=(noise_dim,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())

    model.add(layers.Reshape((7, 7, width * 4)))
    assert model.output_shape == (None, 7, 7, width * 4)

    model.add(layers.Conv2DTranspose(width * 2, (5, 5), strides=(1, 1), padding="same", use_bias=False))
    assert model.output_shape == (None, 7, 7, width * 2)
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())

    model.add(layers.Conv2DTranspose(width, (5, 5), strides=(2, 2), padding="same", use_bias=False))
    assert model.output_shape == (None, 14, 14, width)
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())

    model.add(layers.Conv2DTranspose(1, (5, 5), strides=(2, 2), padding="same", use_bias=False, activation="tanh"))
    assert model.output_shape == (None, 28, 28, 1)
    return model


class Discriminator(tf.keras.Model):
    """Tells pictures that were drawn from those that were made."""

    def __init__(self, width=64, rate=0.3):
        super().__init__(name="discriminator")
        self.conv1 = layers.Conv2D(width, (5, 5), strides=(2, 2), padding="same")
        self.conv2 = layers.Conv2D(width * 2, (5, 5), strides=(2, 2), padding="same")
        self.act = layers.LeakyReLU(0.2)
        self.dropout = layers.Dropout(rate)
        self.flatten = layers.Flatten()
        self.head = layers.Dense(1)

    def call(self, images, training=False):
        x = self.dropout(self.act(self.conv1(images)), training=training)
        x = self.dropout(self.act(self.conv2(x)), training=training)
        return self.head(self.flatten(x))
