"""One submission to one verdict: read, run within its allowance, asked, scored, kept."""
