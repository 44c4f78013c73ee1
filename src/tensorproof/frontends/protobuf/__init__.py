"""Reading protocol buffers without generated code: schemas as tables, one reader for the wire and one for text."""
