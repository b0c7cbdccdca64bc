"""The course's models: recurrent language models, the Transformer, BERT. One file a model; what they share has files of its own."""
