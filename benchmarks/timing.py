"""The paper's timing study: one improvement step, four ways, seconds and the gap reached.

Policy: the first action everywhere. Weights: softmax of its discounted occupancy, normalised to sum to 1 (raw
occupancy sums to 1 / (1 - discount), and its softmax leaves most states weights down to 1e-40: --raw). Depth 3,
relative gap 0.01. The protocols are in the paper's set-up; for wlan that set-up is a guess.

    python benchmarks/timing.py --time-limit 60 --plot timing.png
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import spotree
from spotree.evaluation import action_values, occupancy, policy_value

MODELS = (
    "system_administrator_1",
    "system_administrator_2",
    "tictactoe_vs_random",
    "tiger_vs_antelope",
    "csma_2_2_paper",
    "csma_2_4_paper",
    "firewire_paper",
    "wlan0_paper",
    "wlan1_paper",
)
METHODS = {"HiGHS": "milp", "rsbb serial": "rsbb", "rsbb parallel": "rsbb", "exact": "exact"}  # to engine


@dataclass(frozen=True, slots=True)
class Cell:
    """One method on one model, over all repeats."""

    model: str
    method: str
    seconds: tuple[float, ...]
    gap: float
    status: str

    @property
    def text(self) -> str:
        spread = f" ± {np.std(self.seconds):.2g}" if len(self.seconds) > 1 else ""
        return f"{np.mean(self.seconds):.3g}{spread} s, gap {self.gap:.2g}"


def first_step(model: str, raw: bool) -> tuple[np.ndarray, np.ndarray]:
    """Features and gains of the step that the study times."""
    mdp = spotree.load(model)
    policy = np.zeros(mdp.num_states, dtype=np.int32)
    visits = occupancy(mdp, policy) * (1.0 if raw else 1 - mdp.discount)
    weight = np.exp(visits - visits.max())
    return mdp.features, (weight / weight.sum())[:, None] * action_values(mdp, policy_value(mdp, policy))


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    for model in options.models:
        features, gain = first_step(model, options.raw)
        for method in options.methods:
            runs = [timed_step(features, gain, method, options) for _ in range(options.repeats)]
            step = runs[0][1]
            gap = step.gap
            yield Cell(model, method, tuple(seconds for seconds, _ in runs), gap, step.status.name.lower())


def timed_step(
    features: np.ndarray, gain: np.ndarray, method: str, options: argparse.Namespace
) -> tuple[float, spotree.StepResult]:
    began = time.perf_counter()
    step = spotree.improve(
        features,
        gain,
        options.depth,
        engine=METHODS[method],
        time_limit=options.time_limit,
        threads=1 if method == "rsbb serial" else options.threads,
        gap_tolerance=options.gap,
    )
    return time.perf_counter() - began, step


def table(found: list[Cell], methods: list[str]) -> str:
    """A Markdown table: a line per model, a column per method."""
    at = {(cell.model, cell.method): cell.text for cell in found}
    lines = [f"| model | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    models = dict.fromkeys(cell.model for cell in found)
    lines += [f"| {model} | {' | '.join(at[model, method] for method in methods)} |" for model in models]
    return "\n".join(lines)


def plot(found: list[Cell], methods: list[str], options: argparse.Namespace) -> None:
    """Bars of seconds, hatched where the gap was not reached in time."""
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise spotree.errors.MissingExtraError("matplotlib", "plot", "the plot") from missing
    models = list(dict.fromkeys(cell.model for cell in found))
    figure, axes = pyplot.subplots(figsize=(12, 4.5), layout="constrained")
    width = 0.8 / len(methods)
    for place, method in enumerate(methods):
        chosen = [cell for cell in found if cell.method == method]
        bars = axes.bar(
            np.arange(len(models)) + (place - (len(methods) - 1) / 2) * width,
            [np.mean(cell.seconds) for cell in chosen],
            width,
            yerr=[np.std(cell.seconds) for cell in chosen] if options.repeats > 1 else None,
            label=method,
        )
        for bar, cell in zip(bars, chosen, strict=True):
            bar.set_hatch("//" if cell.status.endswith("limit") else "")
    axes.axhline(options.time_limit, color="grey", linestyle=":", label="time limit")
    axes.set_yscale("log")
    axes.set_ylabel("seconds")
    axes.set_xticks(np.arange(len(models)), [model.replace("_", " ") for model in models], rotation=20, ha="right")
    axes.set_title(f"One improvement step, depth {options.depth}, gap {options.gap:g} (hatched: gap not reached)")
    figure.legend(loc="outside right upper")
    figure.savefig(options.plot, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS, metavar="MODEL")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--gap", type=float, default=0.01)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per cell and repeat")
    parser.add_argument("--repeats", type=int, default=1, help="the paper takes 5")
    parser.add_argument("--threads", type=int, default=None, help="all cores if not given")
    parser.add_argument("--raw", action="store_true", help="softmax of the occupancy as it is, not normalised")
    parser.add_argument("--plot", type=Path, default=None, help="where to write the figure (png, svg, pdf)")
    options = parser.parse_args()
    found = []
    for cell in cells(options):
        print(f"{cell.model}, {cell.method}: {cell.text}, {cell.status}", flush=True)
        found.append(cell)
    print(f"\n{table(found, options.methods)}")
    if options.plot is not None:
        plot(found, options.methods, options)
        print(f"\nfigure: {options.plot}")


if __name__ == "__main__":
    main()
