"""Writes the facts of this folder anew from a folder of reference files, and says where our models differ from them.

PYTHONPATH=src:tests python tests/facts/make_facts.py REFERENCE

REFERENCE holds `omdt/*.npz` (OMDT's arrays: `data, indices, indptr` of the CSR matrix [action * states + state, next
state], `reward` [state, action], `initial`, `features` and names), `prism/*.nm` (the PRISM benchmark suite's files),
`cav25/*` (models of that comparison as DRN files) and the three tables that are copied. None of it ships: the tests
need only what is written here.
"""

import csv
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from facts.fingerprint import Arrays, Fingerprint, arrays_of, fingerprint, store
from spotree import load
from spotree.evaluation import optimum, random_return
from spotree.mdp import MDP
from spotree.mdp.transforms import RANDOM_ACTION, with_random_action
from spotree.readers.read import read

HERE = Path(__file__).parent
TABLES = ("omdt_facts.csv", "spot_tables.csv", "cav25_results.csv")
OMDT = {  # ours -> theirs
    **{name: name for name in (
        "blackjack", "frozenlake_4x4", "frozenlake_8x8", "frozenlake_12x12", "inventory_management",
        "system_administrator_1", "system_administrator_2", "system_administrator_tree", "tictactoe_vs_random",
        "tiger_vs_antelope", "traffic_intersection", "xor",
    )},
    "navigation_3d": "3d_navigation",
}  # fmt: skip
CSMA = {"bus": "b", "since_start": "y1", "since_clash": "y2"} | {
    f"{ours}{i}": f"{theirs}{i}"
    for ours, theirs in {"station": "s", "clock": "x", "slots": "bc", "collisions": "cd"}.items()
    for i in (1, 2)
}
FIREWIRE = {
    "wire12": "w12", "oldest12": "y1", "newest12": "y2", "node1": "s1", "clock1": "x1",
    "wire21": "w21", "oldest21": "z1", "newest21": "z2", "node2": "s2", "clock2": "x2",
}  # fmt: skip
WLAN = {"onair1": "c1", "onair2": "c2"} | {
    f"{ours}{i}": f"{theirs}{i}"
    for ours, theirs in {
        "station": "s", "clock": "x", "slot": "slot", "backoff": "backoff", "attempts": "bc"
    }.items()
    for i in (1, 2)
}  # fmt: skip
PROTOCOLS = {  # our file and constants, their file and constants, what their variables are called here
    "csma_2_2": ("csma", {"backoff_limit": 2}, "csma2_2", {}, CSMA),
    "csma_2_4": ("csma", {"backoff_limit": 4}, "csma2_4", {}, CSMA),
    "firewire": ("firewire", {"delay": 3}, "firewire", {"delay": 3}, FIREWIRE),
    "wlan0": ("wlan", {"max_backoff": 0, "max_collisions": 0}, "wlan0", {"COL": 0}, WLAN),
    "wlan1": ("wlan", {"max_backoff": 1, "max_collisions": 0}, "wlan1", {"COL": 0}, WLAN),
}
REWARDS = {"csma": ["time"], "firewire": ["time", "time_sending"], "wlan": ["time", "cost", "collisions"]}
ACTIONS = {"cd": "collide", "rec_": "get_", "snd_": "send_"}  # theirs -> ours
CAV25 = {"firewire-3": "firewire-3/model-random-enabled.drn", "maze-steps": "steps/model-random.drn"}


def protocol(name: str, reward: str) -> MDP:
    """Our file as it stands: an action by label, forbidden where the file does not offer it."""
    file, constants, *_ = PROTOCOLS[name]
    path = Path(str(files("spotree.models") / f"{file}.prism"))
    return read(path, constants=constants, reward=reward, actions="labels", missing="forbid")


def omdt_there(folder: Path, name: str) -> Arrays:
    with np.load(folder / "omdt" / f"{OMDT[name]}.npz") as arrays:
        states, actions = arrays["reward"].shape
        shape = (states * actions, states)
        rows = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        names = arrays["action_names"].tolist()
        return Arrays(
            features=arrays["features"].astype(float),
            feature_names=tuple(arrays["feature_names"].tolist()),
            transitions={action: rows[i * states : (i + 1) * states] for i, action in enumerate(names)},
            reward={action: arrays["reward"][:, i] for i, action in enumerate(names)},
            initial=arrays["initial"],
        )


def protocol_there(folder: Path, name: str, reward: str) -> Arrays:
    """Their file with our names of variables and actions."""
    *_, file, constants, variables = PROTOCOLS[name]
    path = folder / "prism" / f"{file}.nm"
    mdp = read(path, constants=constants, reward=reward, actions="labels", missing="forbid")
    ours = protocol(name, reward).feature_names
    assert {variables[variable] for variable in ours} == set(mdp.feature_names)
    there = arrays_of(mdp)
    return Arrays(
        features=there.features[:, [mdp.feature_names.index(variables[variable]) for variable in ours]],
        feature_names=ours,
        transitions={our_action(action): matrix for action, matrix in there.transitions.items()},
        reward={our_action(action): paid for action, paid in there.reward.items()},
        initial=there.initial,
    )


def our_action(action: str) -> str:
    for theirs, ours in ACTIONS.items():
        action = action.replace(theirs, ours)
    return action


def cav25_there(path: Path) -> dict[str, object]:
    """Sizes and values of a model of the CAV'25 comparison, and how far our random action is from that of the file."""
    whole = read(path)
    mdp = read(path, drop_actions=[RANDOM_ACTION])
    assert set(whole.action_names) - set(mdp.action_names) == {RANDOM_ACTION}
    error = with_random_action(mdp).transition_matrix(RANDOM_ACTION) - whole.transition_matrix(RANDOM_ACTION)
    return {
        "states": mdp.num_states,
        "choices": mdp.num_choices,
        "transitions": mdp.num_transitions,
        "actions": mdp.num_actions,
        "features": mdp.num_features,
        "optimum": f"{optimum(mdp).value:.6f}",
        "optimum_with_random_action": f"{optimum(whole).value:.6f}",
        "random": f"{random_return(mdp):.6f}",
        "random_action_error": f"{abs(error).max():.0e}",
    }


def main(folder: Path) -> None:
    for table in TABLES:
        shutil.copyfile(folder / table, HERE / table)
    found: dict[str, Fingerprint] = {}
    for name in sorted(OMDT):
        found[name] = fingerprint(omdt_there(folder, name))
        report(name, found[name], load(name))
    for name in PROTOCOLS:
        for reward in REWARDS[PROTOCOLS[name][0]]:
            key = f"{name} {reward}"
            found[key] = fingerprint(protocol_there(folder, name, reward))
            report(key, found[key], protocol(name, reward))
    store(found)
    rows = [{"mdp": name, **cav25_there(folder / "cav25" / path)} for name, path in CAV25.items()]
    with (HERE / "cav25_models.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def report(name: str, there: Fingerprint, ours: MDP) -> None:
    differences = fingerprint(arrays_of(ours)).differences(there)
    print(f"{name}: {'; '.join(differences) or 'the same'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tests/facts/make_facts.py REFERENCE")
    main(Path(sys.argv[1]))
