"""Tokenizers trained, encoding and decoding, behind one protocol, held to the reference libraries."""
