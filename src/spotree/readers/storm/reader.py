"""PRISM, JANI and DRN through stormpy (imported here alone), which builds the model and hands it over as UMB."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.errors import MissingExtraError, ReadError, SpotreeError
from spotree.mdp import MDP
from spotree.readers.actions import needs_commands
from spotree.readers.drn import features_of_drn, refuse_false_counts
from spotree.readers.explicit_model import ExplicitModel, Kind
from spotree.readers.options import Constant, ReadOptions
from spotree.readers.select import choose
from spotree.readers.storm.condition import BUILT_IN, Condition, conditions_of, labels_of, states_of
from spotree.readers.storm.explore import OUT_OF_BOUNDS_BIT, check_sums, explore
from spotree.readers.storm.initial import check_initial
from spotree.readers.storm.isolation import apart
from spotree.readers.storm.program_text import for_storm, parse_jani
from spotree.readers.umb.reader import load_umb


@dataclass(frozen=True, slots=True, eq=False)
class Symbolic:
    """What Storm makes of a program: itself with its constants filled in, its model, and the sets of states asked for.

    `conditions` and `states` have the options `goal` and `avoid` as keys, where they were given.
    """

    program: Any
    model: ExplicitModel
    conditions: Mapping[str, Condition]
    states: Mapping[str, NDArray[np.bool_]]


def read_prism(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a PRISM file."""
    return _read_symbolic(path, options, _parse_prism(path))


def load_prism(path: Path) -> ExplicitModel:
    """All that a PRISM file without open constants says; sums of many probabilities may be off 1 by rounding."""
    stormpy, options = _stormpy(path), ReadOptions(actions="labels")
    return apart(path, lambda: _build(path, options, _parse_prism(path), stormpy, checked=False).model)


def read_jani(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a JANI file; locations and transient variables are no features."""
    return _read_symbolic(path, options, parse_jani(path, options))


def build_symbolic(path: Path, options: ReadOptions) -> Symbolic:
    """What Storm makes of a PRISM file, in this very process."""
    return _build(path, options, _parse_prism(path), _stormpy(path))


def read_drn(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a DRN file; the features stand in its comments or in state-valuations.json beside it."""
    options.refuse("a DRN file, whose constants are fixed", "constants")
    refuse_false_counts(path)
    stormpy = _stormpy(path)

    def build() -> ExplicitModel:
        with _storm(path, stormpy):
            parsing = stormpy.io.DirectEncodingParserOptions()
            parsing.build_choice_labeling = True
            built = stormpy.build_model_from_drn(str(path), options=parsing)
            _check_type(path, built)
            return _as_umb(stormpy, built, by_origin=False)

    model = apart(path, build)
    variables, where = features_of_drn(path, model.num_states)
    mdp = choose(replace(model, variables=variables), options, str(path))
    return replace(mdp, notes={**mdp.notes, "features": f"from {where}"})


def _read_symbolic(path: Path, options: ReadOptions, parse: Callable[..., Any]) -> MDP:
    stormpy = _stormpy(path)
    text = _given(options)

    def build() -> tuple[ExplicitModel, Mapping[str, NDArray[np.bool_]], dict[str, str]]:
        with _storm(path, stormpy):
            built = _build(path, options, parse, stormpy)
            return built.model, built.states, _guards(built.program)

    model, states, guards = apart(path, build)
    mdp = choose(model, options, str(path), states)
    given = {"constants": text.replace(",", ", ")} if text else {}
    named = "; ".join(f"{name} is {guards[name]}" for name in mdp.action_names if name in guards)
    return replace(mdp, notes={**mdp.notes, **given, **({"commands": named} if named else {})})


def storm_is_here() -> bool:
    """Whether the extra `prism` is installed."""
    return find_spec("stormpy") is not None


def _build(
    path: Path, options: ReadOptions, parse: Callable[..., Any], stormpy: Any, checked: bool = True
) -> Symbolic:
    def building(program: Any) -> Any:
        asked = conditions_of(stormpy, path, program, options)
        return _building(stormpy, options, list(asked.values()), checked)

    def exact() -> Any:
        return _instantiated(stormpy, parse(stormpy, exact=True), options)

    with _storm(path, stormpy):
        program = parse(stormpy)
        _check_type(path, program)
        known = {constant.name: constant.defined for constant in program.constants}
        _check_constants(path, options.constants, known)
        program = _instantiated(stormpy, program, options)
        check_initial(path, program)
        program, built = explore(stormpy, path, program, building, exact)
        conditions = conditions_of(stormpy, path, program, options)
        states = {option: states_of(stormpy, path, built, asked) for option, asked in conditions.items()}
        model = _as_umb(stormpy, built, by_origin=False)
        if options.actions == "commands" and needs_commands(model):
            model = _with_commands(stormpy, model, built, program)
        model = _of_the_file(model, program)
        if checked:
            check_sums(path, model)
        return Symbolic(program, model, conditions, states)


def _parse_prism(path: Path) -> Callable[[Any], Any]:
    def parse(stormpy: Any) -> Any:
        text = path.read_text(errors="replace")
        rewritten = for_storm(text)
        if rewritten == text:
            return stormpy.parse_prism_program(str(path), prism_compatibility=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path.name
            file.write_text(rewritten)
            return stormpy.parse_prism_program(str(file), prism_compatibility=True)

    return parse


def _instantiated(stormpy: Any, program: Any, options: ReadOptions) -> Any:
    return stormpy.instantiate_constants(program, _given(options))[0]


def _given(options: ReadOptions) -> str:
    return ",".join(f"{name}={_spelled(value)}" for name, value in options.constants.items())


def _building(stormpy: Any, options: ReadOptions, conditions: Sequence[Condition], checked: bool) -> Any:
    asked = [each for one in conditions for each in (one, one.namesake) if each is not None]
    watched = [formula for one in asked for formula in one.watched]
    building = stormpy.BuilderOptions(watched) if watched else stormpy.BuilderOptions()
    building.set_exploration_checks(checked)  # without them an update out of a variable's range wraps around
    building.set_build_all_reward_models()
    building.set_build_all_labels()
    building.set_build_state_valuations()
    building.set_build_choice_labels()
    building.set_build_choice_origins(options.actions == "commands")
    return building


def _check_type(path: Path, model: Any) -> None:
    try:
        kind = model.model_type.name
    except ValueError:  # one that stormpy has no name for, such as a timed automaton
        kind = "unknown to stormpy"
    if kind not in ("MDP", "DTMC"):
        raise ReadError(f"{path}: a model of type {kind}; only MDPs and DTMCs, in discrete time, can be read")


def _check_constants(path: Path, given: Mapping[str, Constant], known: Mapping[str, bool]) -> None:
    """The constants given are exactly those that the file leaves open."""
    left_open = [name for name, defined in known.items() if not defined]
    listed = ", ".join(left_open) or "none"
    for name in given:
        if name not in known:
            raise ReadError(f"{path}: no constant {name!r}; the file leaves open: {listed}")
        if known[name]:
            raise ReadError(f"{path}: the constant {name!r} has its value in the file; it leaves open: {listed}")
    if unset := [name for name in left_open if name not in given]:
        which = f"the constant {unset[0]!r} has" if len(unset) == 1 else f"the constants {', '.join(unset)} have"
        every = ", ".join(f"{name!r}: {repr(given[name]) if name in given else '...'}" for name in left_open)
        raise ReadError(f"{path}: {which} no value; pass constants={{{every}}}")


def _spelled(value: Constant) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_umb(stormpy: Any, built: Any, by_origin: bool) -> ExplicitModel:
    """The built model through an uncompressed UMB file; its actions are the labels, or the commands behind them."""
    exporting = stormpy.io.UmbExportOptions()
    exporting.compression = stormpy.io.CompressionMode.NO_COMPRESSION
    exporting.value_type = stormpy.io.UmbExportValueType.DOUBLE
    exporting.allow_choice_labeling_as_actions = not by_origin
    exporting.allow_choice_origins_as_actions = by_origin
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.umb"
        stormpy.io.export_to_umb(built, str(file), options=exporting)
        return load_umb(file)


def _with_commands(stormpy: Any, model: ExplicitModel, built: Any, program: Any) -> ExplicitModel:
    """The model whose kinds of choices know their commands as well as their labels."""
    by_origin = _as_umb(stormpy, built, by_origin=True)
    number = len(by_origin.kinds)
    pair, example, kind_of = np.unique(
        model.kind_of * number + by_origin.kind_of, return_index=True, return_inverse=True
    )
    command_of = _command_of(built.choice_origins, program)
    kinds = [
        Kind(model.kinds[both // number].label, command_of(int(choice)))
        for both, choice in zip(pair, example, strict=True)
    ]
    return replace(model, kind_of=kind_of, kinds=tuple(kinds))


def _command_of(origins: Any, program: Any) -> Callable[[int], str]:
    """Choice -> the command behind it as module#number, joined by + where modules move together."""
    if origins.is_prism_choice_origins():
        name = {
            command.global_index: f"{module.name}#{number + 1}"
            for module in program.modules
            for number, command in enumerate(module.commands)
        }
        commands = origins.as_prism_choice_origins().get_command_set
        return lambda choice: "+".join(name[index] for index in commands(choice))
    automata = [automaton.name for automaton in program.automata]
    edges = origins.as_jani_choice_origins().get_edge_index_set

    def edge(code: int) -> str:
        automaton, number = program.decode_automaton_and_edge_index(code)
        return f"{automata[automaton]}#{number + 1}"

    return lambda choice: "+".join(edge(code) for code in edges(choice))


def _guards(program: Any) -> dict[str, str]:
    """What the numbered commands stand for: their guards."""
    return {
        f"{module.name}#{number + 1}": str(command.guard_expression)
        for module in getattr(program, "modules", ())
        for number, command in enumerate(module.commands)
    }


def _of_the_file(model: ExplicitModel, program: Any) -> ExplicitModel:
    """The model without what Storm added for us; locations and transient variables of JANI are no part of the state."""
    transient = {variable.name for variable in getattr(program, "global_variables", ()) if variable.is_transient}
    reasons = dict(model.left_out)
    for name in model.variables:
        if name.startswith("_loc_"):
            reasons[name] = "location"
        elif name in transient:
            reasons[name] = "transient"
    kept = {name: column for name, column in model.variables.items() if name not in (*reasons, OUT_OF_BOUNDS_BIT)}
    known = (*BUILT_IN, *labels_of(program))
    labels = {name: states for name, states in model.labels.items() if name in known}
    return replace(model, variables=kept, left_out=reasons, labels=labels)


def _stormpy(path: Path) -> Any:
    try:
        import stormpy
        import stormpy.developer
    except ImportError:
        raise MissingExtraError("stormpy", "prism", f"reading {path.name}") from None
    return stormpy


@contextmanager
def _storm(path: Path, stormpy: Any) -> Iterator[None]:
    """Storm, silent; what it raises becomes one line about the file."""
    developer = stormpy.developer
    level = developer.get_log_level()
    developer.set_log_level(developer.LogLevel.OFF)
    try:
        yield
    except SpotreeError:
        raise
    except MemoryError:
        raise ReadError(
            f"{path}: Storm ran out of memory; the model has too many states for this machine"
        ) from None
    except Exception as error:  # of Storm's own family, or what its C++ throws as Python's
        message = re.sub(r"^\w+Exception: ", "", " ".join(str(error).split())) or type(error).__name__
        raise ReadError(f"{path}: {message}") from None
    finally:
        developer.set_log_level(level)
