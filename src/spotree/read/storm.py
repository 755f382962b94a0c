"""PRISM, JANI and DRN through stormpy (imported here alone), which builds the model and hands it over as UMB."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spotree.errors import MissingExtraError, ReadError, SpotreeError
from spotree.mdp import MDP
from spotree.read.actions import needs_commands
from spotree.read.choose import choose
from spotree.read.drn import features_of_drn
from spotree.read.explicit import ExplicitModel, Kind
from spotree.read.options import Constant, ReadOptions
from spotree.read.umb import load_umb


def read_prism(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a PRISM file."""
    return _read_symbolic(
        path, options, lambda stormpy: stormpy.parse_prism_program(str(path), prism_compatibility=True)
    )


def read_jani(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a JANI file; locations and transient variables are no features."""
    return _read_symbolic(path, options, lambda stormpy: stormpy.parse_jani_model(str(path))[0])


def read_drn(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a DRN file; the features stand in its comments or in state-valuations.json beside it."""
    options.refuse("a DRN file, whose constants are fixed", "constants")
    with _storm(path) as stormpy:
        parsing = stormpy.io.DirectEncodingParserOptions()
        parsing.build_choice_labeling = True
        built = stormpy.build_model_from_drn(str(path), options=parsing)
        _check_type(path, built)
        model = _as_umb(stormpy, built, by_origin=False)
    variables, where = features_of_drn(path, model.num_states)
    mdp = choose(replace(model, variables=variables), options, str(path))
    return replace(mdp, notes={**mdp.notes, "features": f"from {where}"})


def _read_symbolic(path: Path, options: ReadOptions, parse: Callable[[Any], Any]) -> MDP:
    with _storm(path) as stormpy:
        program = parse(stormpy)
        _check_type(path, program)
        known = {constant.name: constant.defined for constant in program.constants}
        _check_constants(path, options.constants, known)
        text = ",".join(f"{name}={_spelled(value)}" for name, value in options.constants.items())
        program, _ = stormpy.instantiate_constants(program, text)
        _check_initial(path, program)
        building = stormpy.BuilderOptions()
        building.set_exploration_checks()  # without them an update out of a variable's range wraps around
        building.set_build_all_reward_models()
        building.set_build_all_labels()
        building.set_build_state_valuations()
        building.set_build_choice_labels()
        building.set_build_choice_origins(options.actions == "commands")
        built = stormpy.build_model(program, options=building)
        model = _as_umb(stormpy, built, by_origin=False)
        if options.actions == "commands" and needs_commands(model):
            model = _with_commands(stormpy, model, built, program)
        constants = _values(program)
    model = _without_transient(model, program)
    mdp = choose(model, options, str(path), constants)
    given = {"constants": text.replace(",", ", ")} if text else {}
    return replace(mdp, notes={**mdp.notes, **given, **_guards(program, mdp.action_names)})


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


def _check_initial(path: Path, program: Any) -> None:
    """Storm does not look whether a variable begins within its range."""
    for name, start, low, high in _ranges(program):
        if start is None or low is None or high is None:
            continue
        first, least, most = (bound.evaluate_as_int() for bound in (start, low, high))
        if not least <= first <= most:
            raise ReadError(f"{path}: the variable {name!r} begins at {first}, out of its range [{least}..{most}]")


def _ranges(program: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, initial value and both bounds of the integer variables, as expressions; None where there is none."""
    if hasattr(program, "modules"):
        for part in (program, *program.modules):
            own = part.global_integer_variables if part is program else part.integer_variables
            for variable in own:
                bounds = variable.lower_bound_expression, variable.upper_bound_expression
                free = program.has_initial_states_expression  # then the expression says where it begins
                yield variable.name, None if free else variable.initial_value_expression, *bounds
        return
    for part in (program.global_variables, *(automaton.variables for automaton in program.automata)):
        for variable in part:
            if variable.type.is_bounded_type:
                yield variable.name, variable.init_expression, variable.type.lower_bound, variable.type.upper_bound


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


def _guards(program: Any, action_names: tuple[str, ...]) -> dict[str, str]:
    """What the numbered commands among the actions stand for: their guards."""
    if not hasattr(program, "modules"):
        return {}
    guards = {
        f"{module.name}#{number + 1}": str(command.guard_expression)
        for module in program.modules
        for number, command in enumerate(module.commands)
    }
    text = "; ".join(f"{name} is {guards[name]}" for name in action_names if name in guards)
    return {"commands": text} if text else {}


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


@contextmanager
def _storm(path: Path) -> Iterator[Any]:
    """stormpy, silent; what it raises becomes one line about the file."""
    try:
        import stormpy
        import stormpy.developer as developer
    except ImportError:
        raise MissingExtraError("stormpy", "prism", f"reading {path.name}") from None
    level = developer.get_log_level()
    developer.set_log_level(developer.LogLevel.OFF)
    try:
        yield stormpy
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
