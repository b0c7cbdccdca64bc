"""A course of one small lesson, and what an instructor does with it in formgrader, for tests.

The student hands in what tries to run scripts in the browser of whoever looks at it. Each script says its name to the
window on top; `Window` keeps what was said there, which dialogs were opened and what was asked of which server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
from browser import WAIT_S
from nbformat.v4 import new_code_cell, new_markdown_cell
from playwright.sync_api import Browser, Dialog, Page, Request, Response, Route, expect

from etude.lesson import table
from grader.course import Course
from grader.release import build

WEEK, LESSON = "week1_counting", "counting"
COURSE = f"""title = "Small"
[limits]
cell_seconds = 30
notebook_seconds = 60
[[weeks]]
name = "{WEEK}"
title = "Counting"
[[weeks.lessons]]
name = "{LESSON}"
title = "Counting words"
paper = "none"
link = "https://example.org"
minutes = 5
"""
CONFIG = """from pathlib import Path
from grader.course import Course
from grader.nbgrader.config import configuration
c = get_config()
c.merge(configuration(Course(Path(__file__).parent)))
"""
NOTEBOOK = f"""# %% [markdown]
# # Counting <span style="color: teal">words</span>

# %% tags=["parameters"]
profile, seed, device, out = "smoke", 0, "cpu", "results"

# %% tags=["setup"]
from collections import Counter
import etude
from etude import check
run = etude.start("{WEEK}/{LESSON}", profile=profile, seed=seed, device=device, out=out)

# %% exercise="most_common"
def most_common(words):
    ### BEGIN SOLUTION
    return Counter(words).most_common(1)[0][0]
    ### END SOLUTION

# %%
check("most_common")

# %% exercise="distinct"
def distinct(words):
    ### BEGIN SOLUTION
    return len(set(words))
    ### END SOLUTION

# %%
check("distinct")

# %% [markdown] answer="why" points=4
# ### BEGIN SOLUTION
# Words that are rare say more than words that are common.
# ### END SOLUTION
"""
CHECKS = """from etude.lesson.checks import equal, exercise

@exercise("most_common", points=3)
def test_the_word_that_occurs_most_often(student):
    equal(student.most_common(["a", "b", "b"]), "b", given="a b b")

@exercise("distinct", points=2)
def test_each_word_counts_once(student):
    equal(student.distinct(["a", "b", "b"]), 2, given="a b b")
"""
FILES = {"notebook.py": NOTEBOOK, "checks.py": CHECKS, "hidden.py": "", "bank.py": ""}
ANSWERS = {
    "most_common": "def most_common(words):\n    return max(words, key=words.count)",  # right: 3 points
    "distinct": "def distinct(words):\n    return len(words)",  # wrong
}
SCORE, POINTS = 3, 9
STUDENT = "mallory"
WRITTEN = "Rare words tell texts apart."
HONEST = "I *looked* at `<unk>` too: 1 < 2."


def small_course(root: Path) -> Course:
    """The course at `root`, its week released."""
    source = root / "solutions" / WEEK / LESSON
    source.mkdir(parents=True)
    (root / "course.toml").write_text(COURSE, encoding="utf-8")
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    for name, text in FILES.items():
        (source / name).write_text(text, encoding="utf-8")
    table.write(source / "expected.csv", [])
    course = Course(root)
    build.build(course, course.lessons(), say=lambda text: None)
    return course


def script(name: str) -> str:
    """JavaScript that gives its name away, from whatever frame it runs in."""
    return f"top.postMessage('ran {name}', '*')"


def _in_html(name: str) -> str:
    return f"&lt;script&gt;{script(name)}&lt;/script&gt;"


# Name → a cell of text, which formgrader turns into HTML.
TEXTS = {
    "script": f"<script>{script('script')}</script>",
    "dialog": f"<script>alert(1); {script('dialog')}</script>",
    "img-onerror": f'Some *text* <img src="data:," onerror="{script("img-onerror")}"> and more.',
    "svg-onload": f'<svg onload="{script("svg-onload")}"></svg>',
    "svg-script": f"<svg><script>{script('svg-script')}</script></svg>",
    "animation": f'<svg><animate attributeName="x" dur="1s" onbegin="{script("animation")}"></svg>',
    "details": f'<details open ontoggle="{script("details")}">a</details>',
    "frame-srcdoc": f'<iframe srcdoc="{_in_html("frame-srcdoc")}"></iframe>',
    "frame-data": f'<iframe src="data:text/html,{_in_html("frame-data")}"></iframe>',
    "object": f'<object data="data:text/html,{_in_html("object")}"></object>',
    "link": f"[my notes](javascript:{script('link').replace(' ', '%20')})",
    "link-html": f'<a href="javascript:{script("link-html")}">my notes</a>',
    "mermaid": f"```mermaid\n<script>{script('mermaid')}</script>\n```",
    "fenced": f"```\n$$\n```\n$$\n<script>{script('fenced')}</script>",
}
# Name → what a cell displays.
OUTPUTS = {
    "output-script": {"text/html": f"<script>{script('output-script')}</script>"},
    "output-onerror": {"text/html": f'<img src="data:," onerror="{script("output-onerror")}">'},
    "output-javascript": {"application/javascript": script("output-javascript")},
    "output-markdown": {"text/markdown": f"<script>{script('output-markdown')}</script>"},
}
# Bundles that formgrader's page has no use for today: they must not get as far as the page.
UNUSED = {
    "svg": {"image/svg+xml": f'<svg xmlns="http://www.w3.org/2000/svg" onload="{script("svg")}"></svg>'},
    "widget": {"application/vnd.jupyter.widget-view+json": {"model_id": "0", "version_major": 2, "version_minor": 0}},
    "vega": {"application/vnd.vegalite.v5+json": {"mark": "bar", "data": {"url": "https://example.org/data.json"}}},
}
SCRIPTS = [*TEXTS, *OUTPUTS]
# A message of the kernel's own, forged: a number that is none, with which nbconvert refuses the notebook.
FORGED = """kernel = get_ipython().kernel
content = {"code": "", "execution_count": "<b>1</b>"}
sent = kernel.session.send(kernel.iopub_socket, "execute_input", content, parent=kernel.get_parent())"""
PRINTED = f"<script>{script('printed')}</script>"
BEACON = "/formgrader?path=submitted"  # what a page must not ask for: formgrader would load the folder's configuration


def hand_in(course: Course) -> None:
    """Hands in ANSWERS as mallory, with a script in the answer in words, and with all of the above around it."""
    notebook = nbformat.read(course.lesson(LESSON).released, as_version=4)
    answers = {**ANSWERS, "why": f"{WRITTEN} {TEXTS['script']}"}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    shown = [f"display({bundle!r}, raw=True)" for bundle in (*OUTPUTS.values(), *UNUSED.values())]
    # formgrader looks for the score's field by its id: the first element that has it
    notebook.cells.insert(0, new_markdown_cell("# why"))
    notebook.cells += map(new_markdown_cell, [*TEXTS.values(), f"![a plot]({BEACON})", HONEST])
    notebook.cells += map(new_code_cell, [*shown, FORGED, f"print({PRINTED!r})"])
    path = course.root / "submitted" / STUDENT / WEEK / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


@dataclass
class Window:
    """A page of the instructor's browser, and what it did: scripts that gave their names, dialogs, requests."""

    page: Page
    server: str
    dialogs: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ran(self) -> set[str]:
        return set(self.page.evaluate("window.ran"))

    def strange(self) -> list[str]:
        """Requests for anything but formgrader's own pages and files, and for MathJax."""
        own = urlsplit(self.server).netloc
        return [
            url
            for url in self.asked
            if (there := urlsplit(url)).scheme in ("http", "https")
            and (there.query.startswith("path=") or not there.path.startswith("/formgrader/") or there.netloc != own)
            and "/mathjax/" not in there.path
        ]

    def settle(self) -> None:
        """Follows the scripts among the links, and waits until nothing more is on its way."""
        self.page.evaluate("document.querySelectorAll('a[href^=\"javascript:\"]').forEach(link => link.click())")
        self.page.wait_for_load_state("networkidle")


@contextmanager
def window(chromium: Browser, server: str) -> Iterator[Window]:
    """A new window, in which nothing but the server can be reached."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    context.add_init_script(
        "window.ran = []; addEventListener('message', event =>"
        " String(event.data).startsWith('ran ') && window.ran.push(event.data.slice(4)))"
    )
    opened = Window(context.new_page(), server)

    def pass_on(route: Route, request: Request) -> None:
        opened.asked.append(request.url)
        forbidden = not request.url.startswith((server, "file:", "data:")) or BEACON in request.url
        route.abort() if forbidden else route.continue_()

    def put_away(dialog: Dialog) -> None:
        opened.dialogs.append(dialog.message)
        dialog.dismiss()

    context.route("**/*", pass_on)
    opened.page.on("dialog", put_away)
    try:
        yield opened
    finally:
        context.close()


class Formgrader:
    """Formgrader's pages on a student's submission, used as an instructor uses them."""

    def __init__(self, opened: Window, week: str = WEEK, student: str = STUDENT) -> None:
        self.window, self.page = opened, opened.page
        self.week, self.student = week, student

    def press(self, button: str) -> tuple[str, str]:
        """Presses a button (autograde, generate-feedback) of the student's row; what formgrader says, and the row then."""
        self.page.goto(f"{self.window.server}/formgrader/manage_submissions/{self.week}")
        row = self.page.locator("#main-table tr", has=self.page.locator(".student-id", has_text=self.student))
        row.locator(f".{button} a").click()
        said = self.page.locator(".modal-body p")
        expect(said).to_be_visible(timeout=WAIT_S * 1000)
        expect(row.locator(".status")).not_to_be_empty()
        return said.inner_text(), row.inner_text()

    def open(self, submission: str) -> None:
        """The page on which a submission is graded by hand, with everything on it loaded."""
        self.page.goto(f"{self.window.server}/formgrader/submissions/{submission}/")
        self.page.wait_for_function("formgrader.grades?.loaded && formgrader.comments?.loaded")
        self.window.settle()

    def type(self, field: str, text: str) -> None:
        """Types into a score or a comment of the page and leaves it, which stores it."""
        place = self.page.locator(f"#{field}")
        place.fill(text)

        def stored(response: Response) -> bool:
            return response.request.method == "PUT" and response.ok

        with self.page.expect_response(stored):
            place.blur()
