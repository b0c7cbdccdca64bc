"""`grader site`: gathers the pages, runs Sphinx on them, proves what was built."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from grader.course import Course, CourseError
from grader.site.pages import gather
from grader.site.proofs import prove_links, prove_no_leak


def make_site(course: Course) -> Path:
    """Builds the site in build/site and returns its front page.

    Raises:
        Leak: a page shows a solution; the site is removed.
        CourseError: the course has no docs/site, Sphinx is missing or warns of something, or a link leads nowhere.
    """
    settings = course.root / "docs" / "site"
    if not (settings / "conf.py").is_file():
        raise CourseError(f"{settings} holds no conf.py: a site is built for the course that this grader came with")
    pages, site = course.build / "site-pages", course.build / "site"
    gather(course, pages)
    shutil.rmtree(site, ignore_errors=True)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"),
            *("-c", str(settings), "-d", str(course.build / "site-doctrees"), "-E", str(pages), str(site)),
        ],
        cwd=course.root,
        capture_output=True,
        text=True,
    )
    if "No module named sphinx" in done.stderr:
        raise CourseError("Sphinx is missing: pip install -c constraints.txt -e '.[site]'")
    if done.returncode:
        raise CourseError(f"Sphinx warns of something in the pages ({pages}):\n{done.stderr.strip()[:5000]}")
    try:
        prove_no_leak(course, site)
    except CourseError:
        shutil.rmtree(site)  # nobody publishes it by mistake
        raise
    prove_links(site)
    return site / "index.html"
