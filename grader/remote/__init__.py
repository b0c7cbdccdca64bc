"""A student's names, called from the grader's process: values as bytes, a connection with limits, server and client."""
