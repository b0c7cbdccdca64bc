"""Tokenizers trained, encoding and decoding, held to the reference libraries."""
