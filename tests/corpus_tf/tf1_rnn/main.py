import numpy as np
import tensorflow.compat.v1 as tf

import options
import reviews
from model import SentimentModel

tf.disable_v2_behavior()


def run_epoch(sess, model, data, batch_size, train_op=None, keep_prob=1.0):
    losses, accuracies = [], []
    for words, lengths, labels in data.iterate(batch_size, shuffle=train_op is not None):
        feed_dict = {model.words: words, model.lengths: lengths, model.labels: labels}
        if train_op is not None:
            feed_dict[model.keep_prob] = keep_prob
        fetches = {"loss": model.loss, "accuracy": model.accuracy}
        if train_op is not None:
            fetches["train"] = train_op
        results = sess.run(fetches, feed_dict)
        losses.append(results["loss"])
        accuracies.append(results["accuracy"])
    return np.mean(losses), np.mean(accuracies)


def main():
    config = options.parse()
    train, test = reviews.load(config.vocab_size, config.max_length)
    with tf.Graph().as_default(), tf.Session() as sess:
        model = SentimentModel(config)
        sess.run(tf.global_variables_initializer())
        best = 0.0
        for epoch in range(config.epochs):
            loss, accuracy = run_epoch(sess, model, train, config.batch_size, model.train_op, config.keep_prob)
            print("epoch {}: loss {:.4f}, accuracy {:.4f}".format(epoch + 1, loss, accuracy))
            _, test_accuracy = run_epoch(sess, model, test, config.batch_size)
            if test_accuracy > best:
                best = test_accuracy
        print("best test accuracy", best)


if __name__ == "__main__":
    main()
