"""What a notebook of the course is made of: start, check, record, and the table of expected metrics."""
