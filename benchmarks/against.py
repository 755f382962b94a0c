"""This commit beside another: both built side by side, the same public calls in alternation, CPU time as a ratio."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOME = ROOT / "build" / "against"
MODELS = (
    "tictactoe_vs_random",
    "tiger_vs_antelope",
    "system_administrator_1",
    "frozenlake_12x12",
    "firewire_paper",
)


def cases() -> dict[str, Callable[[], Callable[[], object]]]:
    """What is measured, by name: a preparation that is not timed gives the call that is. Public names only."""
    import numpy as np

    import spotree

    def step(name: str, depth: int) -> Callable[[], object]:
        mdp = spotree.load(name)
        gain = spotree.action_values(mdp, spotree.policy_value(mdp, np.zeros(mdp.num_states, np.int32)))
        return lambda: spotree.improve(mdp.features, gain, depth=depth, threads=1)

    def evaluations(name: str) -> Callable[[], object]:
        mdp = spotree.load(name)
        rng = np.random.default_rng(0)
        actions = [np.full(mdp.num_states, a, np.int32) for a in rng.integers(0, mdp.num_actions, 5)]
        return lambda: [spotree.evaluate(mdp, a) for a in actions for _ in range(4)]

    def best(name: str) -> Callable[[], object]:
        mdp = spotree.load(name)
        return lambda: spotree.optimum(mdp)

    def rounds(name: str, depth: int) -> Callable[[], object]:
        mdp = spotree.load(name)
        return lambda: spotree.solve(mdp, depth, time_limit=None, max_rounds=4, seed=1, threads=1)

    def proof(name: str, depth: int) -> Callable[[], object]:
        mdp = spotree.load(name)
        found = spotree.solve(mdp, depth, time_limit=None, max_rounds=3, seed=0, threads=1)

        def prove() -> object:
            done = spotree.certify(mdp, depth, start=found, threads=1, search=0.0, time_limit=60)
            assert done.proved_optimal, f"{name} depth {depth}: {done.status}"
            return done

        return prove

    made: dict[str, Callable[[], Callable[[], object]]] = {}
    for name in MODELS:
        made[f"step {name} 3"] = lambda name=name: step(name, 3)
        made[f"evaluate {name}"] = lambda name=name: evaluations(name)
        made[f"search {name} 3"] = lambda name=name: rounds(name, 3)
    made["step tictactoe_vs_random 4"] = lambda: step("tictactoe_vs_random", 4)
    made["optimum tictactoe_vs_random"] = lambda: best("tictactoe_vs_random")
    made["optimum firewire_paper"] = lambda: best("firewire_paper")
    for name, depth in (
        ("traffic_intersection", 3),
        ("inventory_management", 3),
        ("system_administrator_tree", 3),
        ("system_administrator_1", 2),
    ):
        made[f"proof {name} {depth}"] = lambda name=name, depth=depth: proof(name, depth)
    return made


def measure(name: str, seconds: float) -> None:
    """In a child: the least CPU time of one call, of as many as fit into the time."""
    call = cases()[name]()
    call()
    times: list[float] = []
    began = time.perf_counter()
    while not times or (time.perf_counter() - began < seconds and len(times) < 200):
        before = time.process_time()
        call()
        times.append(time.process_time() - before)
    print(json.dumps(min(times)))


def built(commit: str) -> Path:
    """The sources of a commit with their extension built in place."""
    sha = subprocess.run(
        ["git", "rev-parse", "--short=12", commit], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    home = HOME / sha
    if not (home / "CMakeLists.txt").exists():
        HOME.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", str(home), sha], cwd=ROOT, check=True)
    _build(home)
    return home


def _build(home: Path) -> None:
    tools = Path(sys.executable).parent
    cmake = str(tools / "cmake") if (tools / "cmake").exists() else "cmake"
    setup = ["-S", str(home), "-B", str(home / "build" / "against-dev"), "-DSPOTREE_IN_PLACE=ON"]
    if (tools / "ninja").exists():
        setup += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"]
    for command in (
        [cmake, *setup, f"-DPython_EXECUTABLE={sys.executable}"],
        [cmake, "--build", str(home / "build" / "against-dev")],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def run(home: Path, name: str, seconds: float) -> float:
    """One child on the sources of a commit; an installed spotree stands back."""
    code = (
        "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__];"
        f"sys.path[:0] = [{str(home / 'src')!r}, {str(ROOT / 'benchmarks')!r}];"
        f"import spotree, against; assert spotree.__file__.startswith({str(home)!r}), spotree.__file__;"
        f"against.measure({name!r}, {seconds})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", required=True, help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="alternations")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each child")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--limit", type=float, default=1.05, help="ratios above this are marked")
    asked = parser.parse_args()
    here, there = ROOT, built(asked.base)
    _build(here)
    names = [name for name in cases() if asked.only in name]
    width = max(map(len, names))
    print(f"{'CPU ms':{width}}  {'base':>9}  {'here':>9}  ratio   (median of {asked.rounds} alternations)")
    for name in names:
        pairs = [(run(there, name, asked.seconds), run(here, name, asked.seconds)) for _ in range(asked.rounds)]
        ratio = statistics.median(ours / base for base, ours in pairs)
        base, ours = (1e3 * min(column) for column in zip(*pairs, strict=True))
        mark = "  slower" if ratio > asked.limit else ""
        print(f"{name:{width}}  {base:9.3f}  {ours:9.3f}  {ratio:5.2f}{mark}", flush=True)


if __name__ == "__main__":
    main()
