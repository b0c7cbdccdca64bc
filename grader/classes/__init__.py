"""A class: what was uploaded, verdicts side by side, scores stored as they come."""
