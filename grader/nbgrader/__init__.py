"""What nbgrader needs to know and to be told: configuration, gradebook, feedback, rubrics, courses of its own."""
