"""The sections [predictor] and [fit] of a `tacit.toml`: what is trained, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tacit.app.section_values import Places, Section, value_problems
from tacit.errors import BadFile, BadInput, TacitError, did_you_mean, listed

if TYPE_CHECKING:
    from tacit.app.project import Project
    from tacit.app.settings import SettingsFile
    from tacit.learning.dpl import DPL
    from tacit.predictors.protocol import Predictor

NONE = "none"  # TOML has no word for it
NOT_IN_A_FILE = "sklearn"  # a predictor that is made from an object


def section_problems(
    predictor: Mapping[str, Any], fit: Mapping[str, Any], place: Places
) -> Iterator[TacitError]:
    """Everything that is wrong with the two sections, each at its place."""
    if predictor:
        yield from _predictor_problems(predictor, place)
    if fit:
        section = Section("fit", fit_keys(), _check_fit)
        yield from value_problems(section, {k: fit_value(k, v) for k, v in fit.items()}, place)


def _predictor_problems(predictor: Mapping[str, Any], place: Places) -> Iterator[TacitError]:
    """A kind that does not exist; other settings are looked at when the predictor is made."""
    kind = predictor.get("kind", "linear")
    if kind not in predictor_kinds():
        yield BadFile(
            f"there is no predictor {kind!r}; there are: {listed(predictor_kinds())}",
            place=place("predictor", "kind"),
            remedy=did_you_mean(str(kind), predictor_kinds()),
        )


def predictor_kinds() -> list[str]:
    """The predictors that a word can name."""
    from tacit.predictors.registry import KINDS

    return [kind for kind in KINDS if kind != NOT_IN_A_FILE]


def fit_keys() -> dict[str, Any]:
    """What may stand under [fit], with its default."""
    from tacit.learning.em_config import DEFAULT

    return {field.name: getattr(DEFAULT, field.name) for field in fields(DEFAULT)} | {
        "random_state": 0
    }


def _check_fit(key: str, value: Any) -> None:
    """Refuse a value that means nothing."""
    from tacit.learning.em_config import EMConfig

    if key != "random_state":
        EMConfig(**{key: value})


def fit_value(key: str, value: Any) -> Any:
    """A value of [fit] as `DPL` takes it."""
    return None if key == "sharpness" and value == NONE else value


def predictor_kind(file: SettingsFile, asked: str | None) -> str:
    """The kind of predictor that the command line asks for, or else the settings."""
    kind = asked or str(file.settings.predictor.get("kind", "linear"))
    if kind not in predictor_kinds():
        raise BadInput(
            f"there is no predictor '{kind}'; there are: {listed(predictor_kinds())}",
            remedy=did_you_mean(kind, predictor_kinds()),
        )
    return kind


def project_model(
    project: Project, file: SettingsFile, kind: str, rounds: int | None = None
) -> DPL:
    """The model that the settings ask for: a predictor for each label function that has text."""
    from tacit.learning.dpl import DPL

    if not project.program.labels:
        raise BadInput(
            f"{project.program_file} declares no label function, so there is nothing to learn",
            remedy="declare one, such as: label sentiment(review) = neg | pos",
        )
    settings = {key: fit_value(key, own) for key, own in file.settings.fit.items()}
    if rounds is not None:
        settings["rounds"] = rounds
    read = {reference.table for reference in project.task.text}
    functions = [f.name for f in project.program.labels.values() if f.domain in read]
    if not functions:
        first = next(iter(project.program.labels.values())).domain
        raise BadInput(
            f"{project.file} does not say what the predictor reads",
            place=file.place("text"),
            remedy=f'name a column of texts, such as text = "{first}.text"',
        )
    seed = settings.get("random_state", 0)
    return DPL({name: project_predictor(file, kind, seed) for name in functions}, **settings)


def project_predictor(file: SettingsFile, kind: str, seed: int = 0) -> Predictor:
    """A predictor of a kind, with the settings of [predictor] where these are for this kind."""
    from tacit.predictors.registry import predictor_named

    given: dict[str, Any] = dict(file.settings.predictor)
    if given.pop("kind", "linear") != kind:
        given = {}
    try:
        return predictor_named(kind, **({"random_state": seed} | given))
    except TacitError as error:
        named = [key for key in given if f"'{key}'" in error.message or f"{key}=" in error.message]
        if named:
            error.place = file.place("predictor", named[0], part="key")
        raise
