"""What lies here is handed in by tests/grader/quality/test_attacks.py: pytest must neither import the attacks nor run the lesson's checks."""

collect_ignore_glob = ["*.py", "lesson/*.py"]
