"""Reads CIFAR-10 and hands out shuffled batches."""
import numpy as np
import tensorflow as tf

IMAGE_SIZE = 32
NUM_CHANNELS = 3
NUM_CLASSES = 10


class DataSet(object):
    def __init__(self, images, labels):
        assert images.shape[0] == labels.shape[0]
        self.images = images.astype(np.float32) / 255.0
        self.labels = self._one_hot(labels.reshape(-1))
        self.num_examples = images.shape[0]

    @staticmethod
    def _one_hot(labels):
        encoded = np.zeros((labels.shape[0], NUM_CLASSES), dtype=np.float32)
        encoded[np.arange(labels.shape[0]), labels] = 1.0
        return encoded

    def next_batch(self, batch_size):
        chosen = np.random.choice(self.num_examples, batch_size, replace=False)
        return self.images[chosen], self.labels[chosen]

    def slice(self, start, stop):
        return self.images[start:stop], self.labels[start:stop]


def load():
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    return DataSet(x_train, y_train), DataSet(x_test, y_test)
