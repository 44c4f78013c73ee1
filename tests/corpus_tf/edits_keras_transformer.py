"""Edits that break the classifier: file, old text, new text, the line where the error must be told (None: any). The first five were run under TensorFlow 2.21."""

DRIVER = "train.py"
EDITS = [
    ("layers.py", "self.outer = layers.Dense(width)", "self.outer = layers.Dense(self.hidden)", None),
    ("layers.py", "shape=(width,), initializer", "shape=(self.hidden,), initializer", "return self.dropout(y, training=training) * self.scale"),
    ("layers.py", "padding = ops.cast(mask[:, None, :], \"bool\")", "padding = ops.cast(mask[:, None, None, :-1], \"bool\")", None),
    ("layers.py", "self.places = layers.Embedding(length, width)", "self.places = layers.Embedding(length, width // 2)", None),
    ("layers.py", "key_dim=width // heads, dropout=rate)", "key_dim=width // heads, output_shape=hidden, dropout=rate)", "x = self.norm_1(x + attended)"),
    ("layers.py", "(input_shape[-1], 1), initializer", "(input_shape[1], 1), initializer", "weights = ops.softmax(ops.matmul(x, self.score), axis=1)"),
    ("layers.py", "mean = layers.GlobalAveragePooling1D()(x)", "mean = x", "x = layers.Concatenate()([mean, learned])"),
    ("train.py", 'loss="sparse_categorical_crossentropy"', 'loss="categorical_crossentropy"', None),
    ("train.py", 'model.get_layer("block_0")', 'model.get_layer("block_2")', 'first_block = keras.Model(model.input, model.get_layer("block_2").output)'),
    ("data.py", "x_test = pad_sequences(x_test, maxlen=length,", "x_test = pad_sequences(x_test, maxlen=length + 1,", None),
    ("train.py", "(chosen == y_test[:100])", "(chosen == y_test[:50])", None),
    ("train.py", '"--heads", type=int, default=4', '"--heads", type=int, default=5', None),
    ("layers.py", 'activation="gelu"', 'activation="geglu"', 'self.inner = layers.Dense(self.hidden, activation="geglu")'),
]
