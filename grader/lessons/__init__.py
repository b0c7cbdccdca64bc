"""A lesson as its author wrote it: notebook, checks, bank of answers, and the known mistakes that the bank gives."""
