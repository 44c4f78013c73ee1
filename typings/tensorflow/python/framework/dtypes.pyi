from tensorflow import as_dtype as as_dtype
