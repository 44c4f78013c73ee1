"""The parts of a small transformer encoder."""

import keras
from keras import layers, ops


class PositionalEmbedding(layers.Layer):
    """Words and their places, added."""

    def __init__(self, vocabulary, length, width, **kwargs):
        super().__init__(**kwargs)
        self.vocabulary, self.length, self.width = vocabulary, length, width
        self.words = layers.Embedding(vocabulary, width, mask_zero=True)
        self.places = layers.Embedding(length, width)

    def call(self, tokens):
        places = ops.arange(0, ops.shape(tokens)[-1])
        return self.words(tokens) + self.places(places)

    def compute_mask(self, tokens, mask=None):
        return ops.not_equal(tokens, 0)

    def get_config(self):
        config = super().get_config()
        config.update({"vocabulary": self.vocabulary, "length": self.length, "width": self.width})
        return config


class FeedForward(layers.Layer):
    def __init__(self, hidden, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.hidden, self.rate = hidden, rate

    def build(self, input_shape):
        width = input_shape[-1]
        self.inner = layers.Dense(self.hidden, activation="gelu")
        self.outer = layers.Dense(width)
        self.dropout = layers.Dropout(self.rate)
        self.scale = self.add_weight(shape=(width,), initializer="ones", trainable=True, name="scale")
        super().build(input_shape)

    def call(self, x, training=None):
        y = self.outer(self.inner(x))
        return self.dropout(y, training=training) * self.scale


class EncoderBlock(layers.Layer):
    """Attention and a perceptron, each with a residual connection."""

    def __init__(self, width, heads, hidden, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        if width % heads:
            raise ValueError(f"{width} features do not divide into {heads} heads")
        self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads, dropout=rate)
        self.forward = FeedForward(hidden, rate)
        self.norm_1 = layers.LayerNormalization(epsilon=1e-6)
        self.norm_2 = layers.LayerNormalization(epsilon=1e-6)
        self.supports_masking = True

    def call(self, x, training=None, mask=None):
        padding = None
        if mask is not None:
            padding = ops.cast(mask[:, None, :], "bool")
        attended = self.attention(x, x, attention_mask=padding, training=training)
        x = self.norm_1(x + attended)
        return self.norm_2(x + self.forward(x, training=training))


class LearnedPooling(layers.Layer):
    """A weighted mean over the words."""

    def build(self, input_shape):
        self.score = self.add_weight(shape=(input_shape[-1], 1), initializer="glorot_uniform", name="score")

    def call(self, x):
        weights = ops.softmax(ops.matmul(x, self.score), axis=1)
        return ops.sum(x * weights, axis=1)


def build_classifier(vocabulary, length, width=64, heads=4, hidden=128, blocks=2, classes=2, rate=0.1):
    tokens = keras.Input(shape=(length,), dtype="int32", name="tokens")
    x = PositionalEmbedding(vocabulary, length, width, name="embedding")(tokens)
    x = layers.Dropout(rate)(x)
    for i in range(blocks):
        x = EncoderBlock(width, heads, hidden, rate, name=f"block_{i}")(x)
    mean = layers.GlobalAveragePooling1D()(x)
    learned = LearnedPooling()(x)
    x = layers.Concatenate()([mean, learned])
    x = layers.Dense(width, activation="relu")(x)
    x = layers.Dropout(rate)(x)
    outputs = layers.Dense(classes, activation="softmax", name="sentiment")(x)
    return keras.Model(tokens, outputs, name="classifier")
