"""Rows of the course's registries (data/*.csv), each held to a pydantic model; a row that makes no sense is named."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.course import CourseError


class Row(BaseModel):
    """A line of a registry. Its columns are the model's fields, in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    id: str


AnyRow = TypeVar("AnyRow", bound=Row)


def read(path: Path, model: type[AnyRow]) -> list[AnyRow]:
    """Reads a registry.

    Raises:
        CourseError: the columns are others, or a row makes no sense; then the error holds the row's id.
    """
    columns = list(model.model_fields)
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.DictReader(file)
        if lines.fieldnames != columns:
            raise CourseError(f"{path}: the columns are {lines.fieldnames}, expected {columns}")
        return [_row(path, model, {name: line[name] or "" for name in columns}) for line in lines]


def _row(path: Path, model: type[AnyRow], line: dict[str, str]) -> AnyRow:
    try:
        return model.model_validate(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise CourseError(f"{path}, {line['id']}: {f'{place}: ' if place else ''}{message}") from None
