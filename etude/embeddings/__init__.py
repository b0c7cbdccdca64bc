"""Word vectors: fast training, counts, and what their quality is measured by."""
