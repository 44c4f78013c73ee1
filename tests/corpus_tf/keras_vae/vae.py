"""A variational autoencoder for digits: convolutional encoder and decoder by the functional API, trained by a model of our own."""

import os

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

LATENT = 8
EPOCHS = 5
BATCH = 128


class Sampling(layers.Layer):
    """Draws a latent vector for each picture."""

    def call(self, inputs):
        mean, log_var = inputs
        batch = tf.shape(mean)[0]
        dim = tf.shape(mean)[1]
        epsilon = tf.random.normal(shape=(batch, dim))
        return mean + tf.exp(0.5 * log_var) * epsilon


def conv_block(x, filters, stride):
    x = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.LeakyReLU(negative_slope=0.2)(x)


def make_encoder():
    inputs = keras.Input(shape=(28, 28, 1), name="image")
    x = conv_block(inputs, 32, 2)
    x = conv_block(x, 64, 2)
    skip = x
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    x = layers.Add()([x, skip])
    x = layers.Flatten()(x)
    x = layers.Dense(32, activation="relu")(x)
    mean = layers.Dense(LATENT, name="mean")(x)
    log_var = layers.Dense(LATENT, name="log_var")(x)
    z = Sampling()([mean, log_var])
    return keras.Model(inputs, [mean, log_var, z], name="encoder")


def make_decoder():
    latent = keras.Input(shape=(LATENT,), name="latent")
    x = layers.Dense(7 * 7 * 64, activation="relu")(latent)
    x = layers.Reshape((7, 7, 64))(x)
    x = layers.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(x)
    picture = layers.Conv2DTranspose(1, 3, padding="same", activation="sigmoid")(x)
    return keras.Model(latent, picture, name="decoder")


class VAE(keras.Model):
    def __init__(self, encoder, decoder, beta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.decoder = decoder
        self.beta = beta
        self.total_tracker = keras.metrics.Mean(name="loss")
        self.picture_tracker = keras.metrics.Mean(name="picture_loss")
        self.kl_tracker = keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total_tracker, self.picture_tracker, self.kl_tracker]

    def call(self, pictures):
        mean, log_var, z = self.encoder(pictures)
        return self.decoder(z)

    def losses_of(self, pictures):
        mean, log_var, z = self.encoder(pictures)
        restored = self.decoder(z)
        per_pixel = keras.losses.binary_crossentropy(pictures, restored)
        picture_loss = tf.reduce_mean(tf.reduce_sum(per_pixel, axis=(1, 2)))
        kl = -0.5 * (1 + log_var - tf.square(mean) - tf.exp(log_var))
        kl_loss = tf.reduce_mean(tf.reduce_sum(kl, axis=1))
        return picture_loss, kl_loss

    def train_step(self, data):
        with tf.GradientTape() as tape:
            picture_loss, kl_loss = self.losses_of(data)
            total = picture_loss + self.beta * kl_loss
        gradients = tape.gradient(total, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        self.total_tracker.update_state(total)
        self.picture_tracker.update_state(picture_loss)
        self.kl_tracker.update_state(kl_loss)
        return {m.name: m.result() for m in self.metrics}


def load_pictures():
    (train, _), (test, _) = keras.datasets.mnist.load_data()
    pictures = np.concatenate([train, test], axis=0)
    return np.expand_dims(pictures, -1).astype("float32") / 255.0


def latent_grid(decoder, side=5):
    """Pictures decoded from a grid over the first two latent axes."""
    canvas = np.zeros((28 * side, 28 * side))
    values = np.linspace(-2.0, 2.0, side)
    for i, y in enumerate(values):
        for j, x in enumerate(values):
            z = np.zeros((1, LATENT), dtype="float32")
            z[0, 0], z[0, 1] = x, y
            decoded = decoder.predict(z, verbose=0)
            canvas[i * 28 : (i + 1) * 28, j * 28 : (j + 1) * 28] = decoded[0].reshape(28, 28)
    return canvas


def main():
    keras.utils.set_random_seed(1)
    encoder, decoder = make_encoder(), make_decoder()
    encoder.summary()
    decoder.summary()
    pictures = load_pictures()
    if os.environ.get("FEW"):
        pictures = pictures[:256]
    vae = VAE(encoder, decoder, beta=0.5)
    vae.compile(optimizer=keras.optimizers.Adam(learning_rate=1e-3))
    history = vae.fit(pictures, epochs=EPOCHS, batch_size=BATCH)
    print("last loss", history.history["loss"][-1])
    means, _, _ = vae.encoder.predict(pictures[:500], batch_size=100)
    print("latent spread", means.std(axis=0))
    restored = vae(pictures[:16])
    print("restored", restored.shape, "error", float(tf.reduce_mean(tf.abs(restored - pictures[:16]))))
    print("grid", latent_grid(decoder).shape)


if __name__ == "__main__":
    main()
