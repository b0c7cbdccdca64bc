"""Kernels that outlive their notebook, and papermill's engine that runs a notebook in one."""
