"""What students get: released notebooks, the search for leaks, and the tables of known mistakes."""
