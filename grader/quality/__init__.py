"""The grader graded: mutants, right ways, expected tables from many seeds, error rates."""
