"""Reviews as padded rows of word numbers."""

from keras.datasets import imdb
from keras.utils import pad_sequences


def load_reviews(vocabulary, length):
    (x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=vocabulary)
    x_train = pad_sequences(x_train, maxlen=length, padding="post", truncating="post")
    x_test = pad_sequences(x_test, maxlen=length, padding="post", truncating="post")
    return (x_train, y_train), (x_test, y_test)
