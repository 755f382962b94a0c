"""PRISM, JANI and DRN through stormpy (imported here alone), which builds the model and hands it over as UMB."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from spotree.errors import MissingExtraError, ReadError, SpotreeError
from spotree.mdp import MDP
from spotree.readers.actions import needs_commands
from spotree.readers.apart import apart
from spotree.readers.choose import choose
from spotree.readers.drn import features_of_drn, refuse_false_counts
from spotree.readers.explicit import ExplicitModel, Kind
from spotree.readers.options import Constant, ReadOptions
from spotree.readers.ranges import check_initial
from spotree.readers.umb import load_umb


def read_prism(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a PRISM file."""
    return _read_symbolic(path, options, _parse_prism(path))


def load_prism(path: Path) -> ExplicitModel:
    """All that a PRISM file without open constants says; sums of many probabilities may be off 1 by rounding."""
    stormpy, options = _stormpy(path), ReadOptions(actions="labels")
    return apart(path, lambda: _build(path, options, _parse_prism(path), stormpy, checked=False)[1])


def read_jani(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a JANI file; locations and transient variables are no features."""
    return _read_symbolic(path, options, lambda stormpy: stormpy.parse_jani_model(str(path))[0])


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


def _read_symbolic(path: Path, options: ReadOptions, parse: Callable[[Any], Any], checked: bool = True) -> MDP:
    stormpy = _stormpy(path)
    text = _given(options)

    def build() -> tuple[ExplicitModel, dict[str, float], dict[str, str]]:
        with _storm(path, stormpy):
            program, model = _build(path, options, parse, stormpy)
            return model, _values(program), _guards(program)

    model, constants, guards = apart(path, build)
    mdp = choose(model, options, str(path), constants)
    given = {"constants": text.replace(",", ", ")} if text else {}
    named = "; ".join(f"{name} is {guards[name]}" for name in mdp.action_names if name in guards)
    return replace(mdp, notes={**mdp.notes, **given, **({"commands": named} if named else {})})


def build_symbolic(path: Path, options: ReadOptions) -> tuple[Any, ExplicitModel]:
    """Storm's own program of a PRISM file, its constants filled in, and the model; in this very process."""
    return _build(path, options, _parse_prism(path), _stormpy(path))


def storm_is_here() -> bool:
    """Whether the extra `prism` is installed."""
    return find_spec("stormpy") is not None


def _build(
    path: Path, options: ReadOptions, parse: Callable[[Any], Any], stormpy: Any, checked: bool = True
) -> tuple[Any, ExplicitModel]:
    with _storm(path, stormpy):
        program = parse(stormpy)
        _check_type(path, program)
        known = {constant.name: constant.defined for constant in program.constants}
        _check_constants(path, options.constants, known)
        program, _ = stormpy.instantiate_constants(program, _given(options))
        check_initial(path, program)
        built = stormpy.build_model(program, options=_building(stormpy, options, checked))
        model = _as_umb(stormpy, built, by_origin=False)
        if options.actions == "commands" and needs_commands(model):
            model = _with_commands(stormpy, model, built, program)
        return program, _without_transient(model, program)


def _parse_prism(path: Path) -> Callable[[Any], Any]:
    return lambda stormpy: stormpy.parse_prism_program(str(path), prism_compatibility=True)


def _given(options: ReadOptions) -> str:
    return ",".join(f"{name}={_spelled(value)}" for name, value in options.constants.items())


def _building(stormpy: Any, options: ReadOptions, checked: bool) -> Any:
    building = stormpy.BuilderOptions()
    building.set_exploration_checks(checked)  # without them an update out of a variable's range wraps around
    building.set_build_all_reward_models()
    building.set_build_all_labels()
    building.set_build_state_valuations()
    building.set_build_choice_labels()
    building.set_build_choice_origins(options.actions == "commands")
    return building


def _check_type(path: Path, model: Any) -> None:
    kind = model.model_type.name
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
    for name in left_open:
        if name not in given:
            raise ReadError(f"{path}: the constant {name!r} has no value; pass constants={{{name!r}: ...}}")


def _spelled(value: Constant) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(program: Any) -> dict[str, float]:
    """Constants by name, for use in a goal expression (stormpy shows those of PRISM programs only)."""
    values = {}
    for constant in program.constants:
        definition = getattr(constant, "definition", None)
        if definition is not None:
            truth = definition.has_boolean_type()
            values[constant.name] = float(
                definition.evaluate_as_bool() if truth else definition.evaluate_as_double()
            )
    return values


def _as_umb(stormpy: Any, built: Any, by_origin: bool) -> ExplicitModel:
    """The built model through an uncompressed UMB file; its actions are the labels, or the commands behind them."""
    exporting = stormpy.io.UmbExportOptions()
    exporting.compression = stormpy.io.CompressionMode.NO_COMPRESSION
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


def _without_transient(model: ExplicitModel, program: Any) -> ExplicitModel:
    """JANI keeps locations and transient variables among the columns: they are no part of the state."""
    transient = {variable.name for variable in getattr(program, "global_variables", ()) if variable.is_transient}
    reasons = dict(model.left_out)
    for name in model.variables:
        if name.startswith("_loc_"):
            reasons[name] = "location"
        elif name in transient:
            reasons[name] = "transient"
    kept = {name: column for name, column in model.variables.items() if name not in reasons}
    return replace(model, variables=kept, left_out=reasons)


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
