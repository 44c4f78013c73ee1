"""A bidirectional recurrent classifier with attention over time."""
import tensorflow.compat.v1 as tf


class SentimentModel:
    def __init__(self, config, num_classes=2):
        self.config = config
        self.num_classes = num_classes
        self.words = tf.placeholder(tf.int32, [None, config.max_length], name="words")
        self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
        self.labels = tf.placeholder(tf.int32, [None], name="labels")
        self.keep_prob = tf.placeholder_with_default(1.0, shape=(), name="keep_prob")
        outputs, state = self.encode(self.embed())
        context = self.attend(outputs)
        self.logits = self.classify(context, state)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=self.logits))
        self.predictions = tf.argmax(self.logits, axis=1, output_type=tf.int32)
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(self.predictions, self.labels), tf.float32))
        self.train_op = self.optimize()

    def embed(self):
        with tf.device("/cpu:0"):
            table = tf.get_variable("embedding", [self.config.vocab_size, self.config.embedding_size], initializer=tf.random_uniform_initializer(-1.0, 1.0))
            embedded = tf.nn.embedding_lookup(table, self.words)
        return tf.nn.dropout(embedded, keep_prob=self.keep_prob)

    def make_cell(self):
        size = self.config.hidden_size
        cell = tf.nn.rnn_cell.GRUCell(size) if self.config.cell == "gru" else tf.nn.rnn_cell.LSTMCell(size)
        return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=self.keep_prob)

    def encode(self, inputs):
        with tf.variable_scope("encoder"):
            forward = tf.nn.rnn_cell.MultiRNNCell([self.make_cell() for _ in range(self.config.num_layers)])
            backward = tf.nn.rnn_cell.MultiRNNCell([self.make_cell() for _ in range(self.config.num_layers)])
            (out_fw, out_bw), (state_fw, state_bw) = tf.nn.bidirectional_dynamic_rnn(
                forward, backward, inputs, sequence_length=self.lengths, dtype=tf.float32)
            last_fw, last_bw = state_fw[-1], state_bw[-1]
            if self.config.cell == "lstm":
                last_fw, last_bw = last_fw.h, last_bw.h
            return tf.concat([out_fw, out_bw], axis=2), tf.concat([last_fw, last_bw], axis=1)

    def attend(self, outputs):
        size = outputs.get_shape()[2].value
        with tf.variable_scope("attention"):
            w = tf.get_variable("w", [size, 50])
            b = tf.get_variable("b", [50], initializer=tf.zeros_initializer())
            u = tf.get_variable("u", [50])
        hidden = tf.tanh(tf.tensordot(outputs, w, axes=1) + b)
        scores = tf.tensordot(hidden, u, axes=1)
        mask = tf.sequence_mask(self.lengths, maxlen=self.config.max_length, dtype=tf.float32)
        alphas = tf.nn.softmax(scores + (1.0 - mask) * -1e9)
        return tf.reduce_sum(outputs * tf.expand_dims(alphas, -1), axis=1)

    def classify(self, context, state):
        features = tf.nn.dropout(tf.concat([context, state], axis=-1), keep_prob=self.keep_prob)
        with tf.variable_scope("softmax"):
            w = tf.get_variable("w", [4 * self.config.hidden_size, self.num_classes])
            b = tf.get_variable("b", [self.num_classes])
        return tf.matmul(features, w) + b

    def optimize(self):
        step = tf.train.get_or_create_global_step()
        variables = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.loss, variables), self.config.max_grad_norm)
        return tf.train.AdamOptimizer(1e-3).apply_gradients(zip(grads, variables), global_step=step)
