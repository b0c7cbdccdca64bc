"""`etude doctor` tells what a machine has, only a missing necessity fails; `etude data` lists and fetches."""

import csv
import hashlib
import importlib.util
import json
import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner, Result

from etude import doctor, fonts
from etude.cli import app
from etude.corpora import datasets

TEXT = b"one two\n"
FIND_CONSTRAINTS = doctor.constraints_file  # the fixture below replaces it


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache, a font, no pins, two corpora of which one has no address, and a wide terminal."""
    rows = [
        {"name": "a/x.txt", "file": "a/x.txt", "url": "http://127.0.0.1:1/x.txt", "licence": "none [unsure]"},
        {"name": "b/y.txt", "file": "b/y.txt", "url": "", "licence": "MIT"},
    ]
    digest = hashlib.sha256(TEXT).hexdigest()
    same = {"member": "", "sha256": digest, "bytes": len(TEXT), "packed_sha256": digest, "packed_bytes": len(TEXT)}
    with (tmp_path / "registry.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0], *same, "language"])
        writer.writeheader()
        writer.writerows({**row, **same, "language": "en"} for row in rows)
    monkeypatch.setattr(datasets, "REGISTRY", tmp_path / "registry.csv")
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(fonts, "korean_font", lambda: "Some Gothic")
    monkeypatch.setattr(doctor, "constraints_file", lambda: None)
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy>=1", "nothing-such>=2; extra == 'dev'"])
    monkeypatch.delenv("ETUDE_MIRROR", raising=False)
    monkeypatch.setenv("ETUDE_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def finding(name: str) -> doctor.Finding:
    return next(found for found in doctor.examine() if found.name == name)


def test_a_machine_with_every_necessity_is_ready_though_no_corpus_is_here() -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "This machine is ready." in result.stdout
    assert "0 of 2" in result.stdout
    assert "absent corpora: not here: a, b." in result.stdout


def test_a_missing_package_makes_the_machine_unfit_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["nothing-such>=2", "numpy"])
    result = run("doctor")
    assert result.exit_code == 1
    assert 'missing nothing-such: pip install "nothing-such>=2"' in result.stdout
    assert "Something necessary is missing." in result.stdout


def test_a_package_older_than_required_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy>=9999"])
    assert finding("numpy").status == "missing"
    assert finding("numpy").remedy == 'pip install --upgrade "numpy>=9999"'


def test_etude_itself_not_installed_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> None:
        raise metadata.PackageNotFoundError("etude")

    monkeypatch.setattr(metadata, "requires", absent)
    assert finding("etude").status == "missing"


def test_a_version_other_than_the_tested_one_is_told_and_does_not_fail(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = machine / "constraints.txt"
    monkeypatch.setattr(doctor, "constraints_file", lambda: pins)
    pins.write_text("# comment\nNumPy==0.0.1  # why\n", encoding="utf-8")
    assert finding("numpy").status == "differs"
    assert "tested with 0.0.1" in run("doctor").stdout
    assert run("doctor").exit_code == 0
    pins.write_text(f"numpy=={metadata.version('numpy')}\n", encoding="utf-8")
    assert (finding("numpy").status, finding("numpy").value) == ("ok", f"{metadata.version('numpy')}, as tested")


def test_a_build_tag_does_not_make_a_version_differ(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "constraints_file", lambda: machine / "constraints.txt")
    (machine / "constraints.txt").write_text("numpy==1.2.3\n", encoding="utf-8")
    monkeypatch.setattr(metadata, "version", lambda _: "1.2.3+cpu")
    assert finding("numpy").status == "ok"


def test_a_torch_that_does_not_load_makes_the_machine_unfit_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("doctor")
    assert result.exit_code == 1
    assert "cannot be imported" in result.stdout


def test_an_old_python_makes_the_machine_unfit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_version_tuple", lambda: ("3", "10", "9"))
    assert finding("Python").status == "missing"


def test_a_gpu_is_named_with_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Some GPU")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (3 * 2**30, 8 * 2**30))
    assert finding("device").value == "cuda: Some GPU, 3.0 of 8.0 GiB free"


def test_memory_is_told_with_psutil_with_sysconf_and_not_at_all_where_there_is_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = SimpleNamespace(available=2**30, total=4 * 2**30)
    monkeypatch.setitem(sys.modules, "psutil", SimpleNamespace(virtual_memory=lambda: memory))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "psutil")
    assert finding("memory").value == "1.0 of 4.0 GiB free"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    counts = {"SC_PAGE_SIZE": 2**20, "SC_AVPHYS_PAGES": 512, "SC_PHYS_PAGES": 2048}
    monkeypatch.setattr(os, "sysconf", counts.__getitem__, raising=False)
    assert finding("memory").value == "0.5 of 2.0 GiB free"
    monkeypatch.delattr(os, "sysconf")
    assert finding("memory").value.startswith("unknown")


def test_without_a_korean_font_the_hint_is_shown_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "korean_font", lambda: None)
    result = run("doctor")
    assert fonts.hint() in result.stdout
    assert result.exit_code == 0


def test_corpora_in_the_mirror_count_as_here_and_a_mirror_that_is_no_folder_is_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine / "mirror" / "a").mkdir(parents=True)
    (machine / "mirror" / "a" / "x.txt").write_bytes(TEXT)
    monkeypatch.setenv("ETUDE_MIRROR", str(machine / "mirror"))
    assert finding("corpora").value == "1 of 2: a"
    monkeypatch.setenv("ETUDE_MIRROR", str(machine / "nowhere"))
    assert (finding("mirror").status, finding("mirror").remedy) == ("absent", "correct or unset ETUDE_MIRROR")


def test_json_holds_the_same_findings_and_the_same_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["nothing-such"])
    result = run("doctor", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["healthy"] is False
    assert {"section", "name", "value", "status", "remedy"} == set(report["findings"][0])
    assert [entry["name"] for entry in report["findings"] if entry["status"] == "missing"] == ["nothing-such"]


def test_pins_come_from_the_checkout_before_the_current_folder(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "__file__", str(machine / "checkout" / "etude" / "doctor.py"))
    monkeypatch.chdir(machine)
    assert FIND_CONSTRAINTS() is None
    (machine / "constraints.txt").touch()
    assert FIND_CONSTRAINTS() == machine / "constraints.txt"
    (machine / "checkout").mkdir()
    (machine / "checkout" / "constraints.txt").touch()
    assert FIND_CONSTRAINTS() == machine.resolve() / "checkout" / "constraints.txt"


@pytest.mark.parametrize("command", [["doctor"], ["data", "list"], ["data", "fetch"], []])
def test_every_help_shows_an_example(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert f"etude {' '.join(command)}".strip() in result.stdout.split("Examples:")[1]


def test_help_answers_without_loading_torch_or_matplotlib() -> None:
    program = "import sys; from etude import cli, doctor; sys.exit(bool({'torch', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_list_shows_each_file_with_its_licence_as_written_and_whether_it_is_here(machine: Path) -> None:
    (machine / "cache" / "b").mkdir(parents=True)
    (machine / "cache" / "b" / "y.txt").write_bytes(TEXT)
    rows = [line.split() for line in run("data", "list").stdout.splitlines()]
    assert ["a/x.txt", "0", "en", "none", "[unsure]", "no"] in rows
    assert ["b/y.txt", "0", "en", "MIT", "yes"] in rows
    assert "a/x.txt" not in run("data", "list", "b").stdout


def test_list_and_fetch_answer_an_unknown_name_with_a_sentence() -> None:
    for command in ("list", "fetch"):
        result = run("data", command, "nothing")
        assert result.exit_code == 1
        assert "No corpus is called 'nothing'" in result.stderr


def test_fetch_goes_on_after_a_file_that_cannot_be_had_and_fails_at_the_end(machine: Path) -> None:
    (machine / "cache" / "b").mkdir(parents=True)
    (machine / "cache" / "b" / "y.txt").write_bytes(TEXT)
    result = run("data", "fetch", "a", "b")
    assert result.exit_code == 1
    assert "ETUDE_OFFLINE forbids the network" in result.stderr
    assert "[2/2] b/y.txt" in result.stdout
    assert "1 of 2 files could not be fetched." in result.stderr


def test_fetch_all_leaves_out_what_only_a_mirror_has_until_there_is_one(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine / "cache" / "a").mkdir(parents=True)
    (machine / "cache" / "a" / "x.txt").write_bytes(TEXT)
    result = run("data", "fetch", "--all")
    assert result.exit_code == 0
    assert "only a mirror has them: b/y.txt" in result.stdout
    (machine / "mirror" / "b").mkdir(parents=True)
    (machine / "mirror" / "b" / "y.txt").write_bytes(TEXT)
    monkeypatch.setenv("ETUDE_MIRROR", str(machine / "mirror"))
    assert "[2/2] b/y.txt" in run("data", "fetch", "--all").stdout


@pytest.mark.parametrize("arguments", [[], ["a", "--all"]])
def test_fetch_wants_either_names_or_all(arguments: list[str]) -> None:
    result = run("data", "fetch", *arguments)
    assert result.exit_code == 2
    assert "--all" in result.stderr
