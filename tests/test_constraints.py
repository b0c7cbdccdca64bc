"""constraints.txt pins every package that Etude asks for, by a version that a registry has."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LINES = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
PIN = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.!+]+)")


def pins() -> dict[str, Version]:
    """Package → its version; of lines that are no pins nothing is said."""
    return {canonicalize_name(found[1]): Version(found[2]) for line in LINES if (found := PIN.fullmatch(line))}


def asked_for() -> list[Requirement]:
    """All that pyproject.toml asks for, with the extras; etude itself left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    found = [Requirement(text) for group in groups for text in group]
    return [requirement for requirement in found if requirement.name != project["name"]]


def imported(path: Path) -> set[str]:
    """The packages that a file imports, those of Python itself and of the project left out."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"etude", "grader"}


def test_who_installs_the_grader_can_grade_every_lesson() -> None:
    """A developer has more packages than an instructor, so nobody here would miss one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {Requirement(text).name for text in [*project["dependencies"], *project["optional-dependencies"]["grader"]]}
    found = packages_distributions()
    sources = [path for name in ("checks", "hidden", "bank") for path in ROOT.glob(f"solutions/*/*/{name}.py")]
    needed = {name: {canonicalize_name(one) for one in found[name]} for path in sources for name in imported(path)}
    assert {"torch", "sentencepiece", "hypothesis"} <= set(needed)
    assert {name: packages for name, packages in needed.items() if not packages & asked} == {}


def test_every_line_is_a_name_and_a_version_and_no_name_stands_there_twice() -> None:
    assert [line for line in LINES if not PIN.fullmatch(line)] == []
    assert len(pins()) == len(LINES)


def test_an_install_has_every_package() -> None:
    """An editable install does not need the list, so nobody would miss a package that is not in it."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    there = {path.parent.relative_to(ROOT) for name in ("etude", "grader") for path in (ROOT / name).rglob("*.py")}
    assert {".".join(path.parts) for path in there if "templates" not in path.parts} == set(listed) - {
        "etude_data",
        "etude_weeks",
    }


def test_no_version_is_that_of_a_build_for_some_machines() -> None:
    """2.13.0+cpu is on no public registry; 2.13.0 stands for the builds with and without CUDA."""
    assert {name: str(version) for name, version in pins().items() if version.local} == {}


def test_whatever_is_asked_for_is_pinned_to_a_version_that_will_do() -> None:
    found = pins()
    asked = {canonicalize_name(one.name): one.specifier for one in asked_for()}
    assert {"torch", "nbgrader", "atheris"} <= set(asked)
    assert sorted(set(asked) - set(found)) == [], "run `make constraints`"
    assert {name: str(found[name]) for name, wanted in asked.items() if found[name] not in wanted} == {}
