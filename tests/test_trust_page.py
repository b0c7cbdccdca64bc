"""docs/trust.md and the README's headline are what the recorded runs say."""

from __future__ import annotations

import importlib.util

from grader.course import Course


def test_the_page_and_the_headline_are_rendered_from_the_recorded_runs() -> None:
    root = Course().root
    spec = importlib.util.spec_from_file_location("render_trust", root / "ci" / "render_trust.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page, headline = module.render()
    assert (root / "docs" / "trust.md").read_text(encoding="utf-8") == page, "run `python ci/render_trust.py`"
    assert headline in (root / "README.md").read_text(encoding="utf-8")
