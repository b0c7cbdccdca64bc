"""Zips as a learning platform packs them, and where they are taken in: for the tests of the intake."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from grader.classes.uploads import submissions, take_in
from grader.course import Lesson

NOTEBOOK = b'{"cells": []}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The class's folder, with neighbours that a path with `..` would reach."""
    folder = tmp_path / "outer" / "class"
    folder.mkdir(parents=True)
    return folder


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def taken(home: Path, lessons: list[Lesson], data: bytes) -> tuple[dict[str, bytes], list[str]]:
    """Student → what is now handed in, and what was left out. Fails if a file appeared anywhere else."""
    source = home.parents[1] / "upload.zip"
    source.write_bytes(data)
    before = everything(home)
    left_out: list[str] = []
    try:
        left_out = take_in(source, lessons, home)
    finally:
        new = everything(home) - before
        assert all(path.is_relative_to(home / "submitted") for path in new), new
    found = submissions(lessons, home)
    handed_in = {item.path for item in found if item.path.is_file()}
    assert handed_in == new
    return {item.student: item.path.read_bytes() for item in found if item.path in handed_in}, left_out


def everything(home: Path) -> set[Path]:
    return {path for path in home.parents[1].rglob("*") if not path.is_dir()}


@pytest.fixture
def lessons(word2vec: Lesson) -> list[Lesson]:
    return [word2vec]
