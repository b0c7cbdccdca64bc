"""What the papers claim and what is often misread, each with the check that says so; the report."""
