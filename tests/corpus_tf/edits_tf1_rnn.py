"""Edits that break the classifier: file, old text, new text, the line where the error must be told (None: any). Each was run under TensorFlow 2.21."""

DRIVER = "main.py"
EDITS = [
    ("model.py", 'w = tf.get_variable("w", [4 * self.config.hidden_size, self.num_classes])', 'w = tf.get_variable("w", [2 * self.config.hidden_size, self.num_classes])',
     "return tf.matmul(features, w) + b"),
    ("model.py", "tf.concat([out_fw, out_bw], axis=2)", "tf.concat([out_fw, out_bw], axis=1)", None),
    ("model.py", "embedded = tf.nn.embedding_lookup(table, self.words)", "embedded = tf.nn.embedding_lookup(table, self.words)[:, 0]", None),
    ("model.py", 'u = tf.get_variable("u", [50])', 'u = tf.get_variable("u", [64])', "scores = tf.tensordot(hidden, u, axes=1)"),
    ("model.py", "outputs * tf.expand_dims(alphas, -1), axis=1)", "outputs * alphas, axis=1)", None),
    ("model.py", "forward, backward, inputs, sequence_length=self.lengths, dtype=tf.float32)", "forward, backward, inputs, sequence_length=self.lengths)", None),
    ("model.py", 'self.labels = tf.placeholder(tf.int32, [None], name="labels")', 'self.labels = tf.placeholder(tf.int32, [None, 2], name="labels")', None),
    ("reviews.py", "yield self.words[rows], self.lengths[rows], self.labels[rows]", "yield self.words[rows], self.lengths[rows], self.labels[i]", None),
    ("model.py", "tf.sequence_mask(self.lengths, maxlen=self.config.max_length, dtype=tf.float32)", "tf.sequence_mask(self.lengths, maxlen=100, dtype=tf.float32)", None),
    ("main.py", "feed_dict = {model.words: words, model.lengths: lengths, model.labels: labels}", "feed_dict = {model.words: words, model.lengths: lengths}", None),
    ("model.py", "return tf.concat([out_fw, out_bw], axis=2), tf.concat([last_fw, last_bw], axis=1)", "return tf.concat([out_fw, out_bw], axis=2), last_fw", None),
    ("reviews.py", "maxlen=max_length, padding", "maxlen=100, padding", None),
]  # fmt: skip
