"""BERT on real tasks: examples become batches (`encode`), a head is trained (`tune`), answers are scored (`score`)."""
