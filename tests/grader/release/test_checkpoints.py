"""The course's checkpoints: as recipes and code would give them today, made again when these change, and what depends on them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import relu
from typer.testing import CliRunner

from etude import (
    pretrained,
    pretrained_electra,
    pretrained_gpt,
    pretrained_variants,
    recipes,
    recipes_electra,
    recipes_gpt,
    recipes_variants,
)
from etude.models.gpt_checkpoints import load_gpt
from etude.recipes import Recipe
from etude.recipes_gpt import GPTRecipe
from etude.recipes_variants import ElmoRecipe
from grader.cli import app
from grader.course import CourseError
from grader.lessons import source
from grader.release import checkpoints

SMALL_GPT = GPTRecipe(
    "en", words=3000, pieces=300, layers=1, width=16, heads=2, length=24, batch_size=4, steps=6, warmup=2
)
SMALL_ELMO = ElmoRecipe("en", words=3000, pieces=400, layers=1, width=8, length=24, batch_size=4, steps=6, warmup=2)
SMALL = Recipe("en", words=3000, pieces=400, layers=1, width=16, heads=2, length=24, batch_size=4, steps=6, warmup=2)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A recipe of seconds, whose checkpoint goes to a folder of its own; returns its name."""
    monkeypatch.setattr(recipes, "RECIPES", {"small": SMALL})
    monkeypatch.setattr(pretrained, "folder_of", lambda name: tmp_path / "models" / name)
    return "small"


@pytest.mark.parametrize("name", checkpoints.names())
def test_every_checkpoint_is_what_its_recipe_and_the_code_of_today_would_give(name: str) -> None:
    assert checkpoints.fresh(name), f"run `grader pretrain {name}` and commit data/models/{name}"
    made = (
        (recipes.RECIPES, pretrained),
        (recipes_gpt.GPT_RECIPES, pretrained_gpt),
        (recipes_variants.VARIANT_RECIPES, pretrained_variants),
        (recipes_electra.ELECTRA_RECIPES, pretrained_electra),
    )
    next(module for table, module in made if name in table).load(name)


def test_a_gpt_is_made_once_and_is_old_when_its_recipe_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes_gpt, "GPT_RECIPES", {"small-gpt": SMALL_GPT})
    monkeypatch.setattr(pretrained, "folder_of", lambda name: tmp_path / name)
    assert not checkpoints.fresh("small-gpt")
    checkpoints.make("small-gpt", tmp_path / "state", "grader pretrain small-gpt")
    assert checkpoints.fresh("small-gpt")
    assert load_gpt(tmp_path / "small-gpt").config.vocab_size == SMALL_GPT.pieces
    monkeypatch.setattr(recipes_gpt, "GPT_RECIPES", {"small-gpt": replace(SMALL_GPT, steps=7)})
    assert not checkpoints.fresh("small-gpt")


def test_an_elmo_is_made_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes_variants, "VARIANT_RECIPES", {"small-elmo": SMALL_ELMO})
    monkeypatch.setattr(pretrained, "folder_of", lambda name: tmp_path / name)
    assert not checkpoints.fresh("small-elmo")
    checkpoints.make("small-elmo", tmp_path / "state", "grader pretrain small-elmo")
    assert checkpoints.fresh("small-elmo")
    assert pretrained_variants.load_elmo(tmp_path / "small-elmo").config.width == 8


def test_a_checkpoint_is_made_once_and_is_old_when_its_recipe_changes(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not checkpoints.fresh(small)
    history = checkpoints.make(small, tmp_path / "state", "grader pretrain small")
    made = json.loads((tmp_path / "models" / "small" / "made.json").read_text(encoding="utf-8"))
    assert made["command"] == "grader pretrain small"
    assert made["loss_of_last_steps"] == pytest.approx(sum(history.losses) / 6, abs=1e-3)
    assert checkpoints.fresh(small)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "models" / "small").iterdir()}
    assert set(modes.values()) == {0o644}, f"a sandbox reads them under another user's name: {modes}"
    assert not list((tmp_path / "state").glob("*")), "the state of a training that came to its end is not needed"
    monkeypatch.setattr(recipes, "RECIPES", {"small": replace(SMALL, steps=7)})
    assert not checkpoints.fresh(small)


@pytest.mark.parametrize("ask", [checkpoints.fresh, lambda name: checkpoints.make(name, Path("state"), "")])
def test_a_name_that_is_none_is_refused_with_those_that_there_are(ask: object) -> None:
    with pytest.raises(CourseError, match="no recipe 'bert-large'; there are world-en, world-ko"):
        ask("bert-large")  # type: ignore[operator]


def test_the_command_says_which_checkpoints_are_as_they_should_be(small: str) -> None:
    said = CliRunner().invoke(app, ["pretrain", "--list"])
    assert said.exit_code == 0
    assert "small: old or missing. Next: grader pretrain small" in said.output
    wrong = CliRunner().invoke(app, ["pretrain", "smal"])
    assert wrong.exit_code == 1
    assert "no recipe 'smal'" in wrong.output


def test_a_lesson_depends_on_the_checkpoints_that_it_names(tmp_path: Path) -> None:
    for folder in ("plain", "naming"):
        (tmp_path / folder).mkdir()
    plain = relu.write(tmp_path / "plain")
    assert source.data_read(plain) == []
    naming = relu.NOTEBOOK.replace("import math\n", 'import math\nNAME = "world-en"\n')
    read = source.data_read(relu.write(tmp_path / "naming", notebook=naming))
    assert [path.name for path in read] == ["config.json", "model.safetensors", "tokenizer.json"]
    assert {path.parent for path in read} == {pretrained.folder_of("world-en")}
