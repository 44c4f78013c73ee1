"""IMDB reviews as padded rows of word numbers with their lengths."""
import numpy as np
import tensorflow.compat.v1 as tf


class Reviews:
    def __init__(self, sequences, labels, max_length):
        self.max_length = max_length
        self.lengths = np.array([min(len(s), max_length) for s in sequences], dtype=np.int32)
        self.words = tf.keras.preprocessing.sequence.pad_sequences(sequences, maxlen=max_length, padding="post", truncating="post")
        self.labels = labels.astype(np.int32)

    def __len__(self):
        return len(self.labels)

    def iterate(self, batch_size, shuffle=False):
        indices = np.random.permutation(len(self)) if shuffle else np.arange(len(self))
        for i in range(0, len(self), batch_size):
            rows = indices[i:i + batch_size]
            yield self.words[rows], self.lengths[rows], self.labels[rows]


def load(vocab_size, max_length):
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.imdb.load_data(num_words=vocab_size)
    return Reviews(x_train, y_train, max_length), Reviews(x_test, y_test, max_length)
