"""What workers are forked with, so that none imports or reads it anew: all that grades a notebook, and the code that decides a score.

To be imported by the server that forks workers. A module that grades one of this course's lessons imports torch, so it is not here.
"""

from __future__ import annotations

import gc

gc.disable()  # while so much is imported, collections find nothing; each worker enables it again

import IPython.paths  # noqa: E402, F401  # jupyter_client imports it to look for kernels
import jupyter_client.provisioning.factory  # noqa: E402, F401
import papermill.engines  # noqa: E402, F401

import grader.classes.batch  # noqa: E402
import grader.sandbox.provisioner  # noqa: E402
from grader.provenance import code_hash  # noqa: E402

code_hash(*grader.grading.notebook.CODE)
