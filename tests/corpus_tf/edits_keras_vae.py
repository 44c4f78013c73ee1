"""Edits that break the autoencoder: file, old text, new text, the line where the error must be told (None: any). Each was run under TensorFlow 2.21."""

DRIVER = "vae.py"
EDITS = [
    ("vae.py", "layers.Dense(7 * 7 * 64, activation", "layers.Dense(7 * 7 * 32, activation", "x = layers.Reshape((7, 7, 64))(x)"),
    ("vae.py", "layers.Reshape((7, 7, 64))", "layers.Reshape((8, 8, 64))", "x = layers.Reshape((8, 8, 64))(x)"),
    ("vae.py", 'log_var = layers.Dense(LATENT, name="log_var")', 'log_var = layers.Dense(LATENT + 1, name="log_var")', None),
    ("vae.py", "latent = keras.Input(shape=(LATENT,)", "latent = keras.Input(shape=(LATENT * 2,)", None),
    ("vae.py", 'Conv2D(64, 3, padding="same", activation="relu")(x)', 'Conv2D(64, 3, activation="relu")(x)', "x = layers.Add()([x, skip])"),
    ("vae.py", 'return np.expand_dims(pictures, -1).astype("float32")', 'return np.expand_dims(pictures, 0).astype("float32")', None),
    ("vae.py", "layers.Conv2DTranspose(32, 3, strides=2,", "layers.Conv2DTranspose(32, 3, strides=3,", None),
    ("vae.py", "z[0, 0], z[0, 1] = x, y", "z[0, 0], z[0, LATENT] = x, y", "z[0, 0], z[0, LATENT] = x, y"),
    ("vae.py", "decoded[0].reshape(28, 28)", "decoded.reshape(28, 1)", None),
    ("vae.py", "tf.reduce_sum(per_pixel, axis=(1, 2))", "tf.reduce_sum(per_pixel, axis=(1, 2, 3))", None),
    ("vae.py", "        super().__init__(**kwargs)\n        self.encoder = encoder", "        self.encoder = encoder", None),
    ("vae.py", "return keras.Model(latent, picture, name", "return keras.Model(keras.Input((LATENT,)), picture, name", None),
]
