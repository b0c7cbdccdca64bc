"""What students get, generated from solutions/ by `grader build`: travels with the package so that Colab has it too."""
