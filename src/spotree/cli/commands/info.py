"""Commands `info` and `models`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from spotree.cli.model_argument import with_model
from spotree.cli.output import AsJson, show_facts, show_json, show_table
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.mdp.model import MDP, Sense


def models(as_json: AsJson = False) -> None:
    """List the models that ship with spotree."""
    from spotree.models import describe, names

    described = {name: describe(name) for name in names()}
    if as_json:
        show_json("models", {"models": described})
    else:
        show_table(["name", "what it is"], [[name, text] for name, text in described.items()])


@with_model
def info(mdp: "MDP", as_json: AsJson = False) -> None:
    """Show sizes, rewards, features, actions, and the best and the random policy's return of a model."""
    from spotree.results.metrics import Figures, aim_text

    facts = describe_mdp(mdp)
    figures = Figures(facts["optimum"], facts["random_value"], sense=mdp.sense, error=facts["optimum_error"])
    if as_json:
        show_json("info", facts)
        return
    show_facts(
        [
            ("model", shown(facts["name"])),
            *([("in the file", _counts_text(facts["file"]))] if facts["file"] else []),
            ("states", f"{facts['states']:,}, of which {facts['relevant_states']:,} leave a choice"),
            ("choices", f"{facts['choices']:,} with {facts['transitions']:,} transitions"),
            ("discount", f"{facts['discount']:g}"),
            ("aim", aim_text(mdp.sense, mdp.notes)),
            _per_choice(facts),
            ("missing action", _missing_text(facts)),
            ("features", [_feature_text(feature) for feature in facts["features"]]),
            ("actions", ", ".join(map(shown, facts["actions"]))),
            ("splits", f"{facts['candidate_splits']:,} distinct over the states that leave a choice"),
            ("best policy", f"{figures.text(figures.optimum)}  (error below {figures.error:.1e})"),
            ("random policy", figures.text(figures.random)),
            ("notes", [_note_text(name, note, mdp.sense) for name, note in facts["notes"].items()]),
        ]
    )


def describe_mdp(mdp: "MDP") -> dict[str, Any]:
    """Everything `spotree info` says, as plain values."""
    from spotree.evaluation import optimum, random_return
    from spotree.mdp.transforms import relevant_states
    from spotree.trees.ranks import rank_rows
    from spotree.trees.splits import candidate_splits

    relevant = relevant_states(mdp)
    best = optimum(mdp)
    offered = mdp.reward_of_choice[mdp.choice_action >= 0]
    return {
        "name": mdp.name,
        "file": None if mdp.in_file is None else asdict(mdp.in_file),
        "states": mdp.num_states,
        "relevant_states": int(relevant.sum()),
        "choices": mdp.num_choices,
        "transitions": mdp.num_transitions,
        "discount": mdp.discount,
        "sense": mdp.sense,
        "smallest_reward": float(offered.min()),
        "largest_reward": float(offered.max()),
        "missing": mdp.missing,
        "missing_reward": mdp.missing_reward,
        "missing_pairs": int((~mdp.available).sum()),
        "features": [
            {"name": name, "values": len(column), "smallest": float(column[0]), "largest": float(column[-1])}
            for name, column in zip(mdp.feature_names, rank_rows(mdp.features).values, strict=True)
        ],
        "actions": list(mdp.action_names),
        "candidate_splits": len(candidate_splits(mdp.features, relevant)),
        "optimum": best.value,
        "optimum_error": best.error,
        "random_value": random_return(mdp),
        "notes": dict(mdp.notes),
    }


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name if count != 1 else name[:-1]}" for name, count in counts.items())


def _per_choice(facts: dict[str, Any]) -> tuple[str, str]:
    ends = sorted(_sign(facts) * facts[name] + 0.0 for name in ("smallest_reward", "largest_reward"))
    return _word(facts), f"{ends[0]:.6g} to {ends[1]:.6g} per choice"


def _word(facts: dict[str, Any]) -> str:
    return "cost" if facts["sense"] == "min" else "reward"


def _sign(facts: dict[str, Any]) -> int:
    return -1 if facts["sense"] == "min" else 1


def _missing_text(facts: dict[str, Any]) -> str:
    if facts["missing_pairs"] == 0:
        return "none: every action is available in every state"
    rules = {
        "random": "acts as a uniformly random available one",
        "end": f"ends the episode with {_word(facts)} {_sign(facts) * facts['missing_reward']:zg}",
        "stay": "stays in the state with no reward",
        "forbid": "is forbidden: a tree that takes it in a state it can reach is not allowed",
    }
    return f"{rules[facts['missing']]} ({facts['missing_pairs']:,} state-action pairs)"


def _note_text(name: str, note: str, sense: "Sense") -> str:
    from spotree.results.metrics import reward_text, reward_word

    if name == "reward":
        name, note = reward_word(sense), reward_text(sense, note)
    return shown(f"{name}: {note}", LONGEST_LINE)


def _feature_text(feature: dict[str, Any]) -> str:
    return (
        f"{shown(feature['name'])}: {feature['values']} values, {feature['smallest']:g} to {feature['largest']:g}"
    )
