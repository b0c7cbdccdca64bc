"""The record of the proved grading path holds while nothing of the path has changed, and is never believed half."""

from __future__ import annotations

from pathlib import Path

import proof
import pytest


@pytest.fixture
def path_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One more file of the grading path; the record lies in a folder of its own."""
    file = tmp_path / "more.txt"
    file.write_text("as it was", encoding="utf-8")
    monkeypatch.setattr(proof, "RECORD", tmp_path / "proved.json")
    monkeypatch.setattr(proof, "DATA", (*proof.DATA, str(file)))
    return file


def test_a_proof_holds_until_the_path_changes(path_file: Path) -> None:
    assert not proof.holds()
    proof.write("a command")
    assert proof.holds()
    path_file.write_text("as it is", encoding="utf-8")
    assert not proof.holds()


def test_other_libraries_need_another_proof(path_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof.write("a command")
    monkeypatch.setattr("grader.provenance.libraries", lambda: "torch 9")
    assert not proof.holds()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"path": 1, "libraries": 2}'])
def test_a_record_that_was_cut_or_merged_by_hand_proves_nothing(path_file: Path, content: str) -> None:
    proof.RECORD.write_text(content, encoding="utf-8")
    assert not proof.holds()
