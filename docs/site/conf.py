"""Sphinx's configuration of the site. `grader site` gathers the pages (grader/site) and runs Sphinx on them with this file.

Nothing is loaded from a network: formulas become MathML, which browsers draw themselves.
"""

import re
from importlib.metadata import version as version_of

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "Etude"
author = "the authors of Etude"
copyright = "the authors of Etude; code under the MIT licence, texts and pictures under CC BY 4.0"
release = version = version_of("etude")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.apidoc"]
exclude_patterns = ["README.md"]  # the front page includes it
nitpick_ignore_regex = [("py:.*", ".*")]
smartquotes = False  # code in prose stays as it was written

nb_execution_mode = "off"  # outputs are those of recorded runs
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

apidoc_modules = [
    {
        "path": "../../etude",
        "destination": "api",
        "max_depth": 2,
        "module_first": True,
        "exclude_patterns": ["**/cli.py"],
    }
]
autodoc_typehints = "signature"
napoleon_use_ivar = True  # fields have one entry, not a second one from the class's body
autodoc_member_order = "bysource"
default_role = "code"  # docstrings write `names` in single backticks

html_theme = "furo"
html_title = "Etude"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("claims.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}

# In MathML a function's name of two letters and more stands apart from what follows, unless that is in brackets.
NAME = re.compile(r"<mi>([a-z]{2,})</mi>(?!<mo[^>]*>&#x00028;)")

REFERENCE = re.compile(r"`[^`]*`|\||(?<=\w)_(?!\w)")


def _mathml(formula: str, display: str) -> str:
    return NAME.sub(r'<mo form="prefix" lspace="0.167em" rspace="0.167em">\1</mo>', convert(formula, display=display))


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math block">{_mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def _no_markup(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Keeps <|endoftext|> and index_add_ from being read as references: docstrings are prose, with code in backticks."""
    lines[:] = [REFERENCE.sub(lambda found: found[0] if found[0][0] == "`" else f"\\{found[0]}", line) for line in lines]


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", _no_markup)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml"))
