"""Pages of reports in a real browser: one browser and one set of pages for all tests of this folder."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spotree
from spotree.report.data import report_data
from spotree.report.page import page

FEATURES = (
    "<script>alert(1)</script>",
    "\"quoted\" 'single' & &amp; <b>",
    "\x1b[31mred\x1b[0m",
    "two\nlines",
    "\u202eturned round",
    "long_" * 40,
    "عدد العناصر في الصف",
    "排队的车辆数量",
    "🚦🚗 lights",
)
ACTIONS = (
    "<img src=x onerror=alert(2)>",
    "x" * 200,
    "توقف",
    "前进",
    "🛑",
    "a\u2028b\x00c",
    "</script><script>alert(3)</script>",
)


def hostile_model() -> spotree.MDP:
    """One whose names would break a careless page."""
    chance = np.random.default_rng(0)
    states, actions = 64, len(ACTIONS)
    return spotree.build_mdp(
        chance.dirichlet(np.full(states, 0.05), size=(actions, states)),
        chance.normal(size=(states, actions)),
        0.9,
        initial=np.full(states, 1 / states),
        features=chance.integers(0, 3, size=(states, len(FEATURES))).astype(float),
        feature_names=FEATURES,
        action_names=ACTIONS,
        name="</title><script>alert(4)</script>\u202e" + "m" * 200,
    )


def cost_model() -> spotree.MDP:
    """Costs, and states that do not offer every action."""
    chance = np.random.default_rng(1)
    states, actions = 30, 3
    available = chance.random((states, actions)) < 0.7
    available[:, 0] = True
    return spotree.build_mdp(
        chance.dirichlet(np.full(states, 0.1), size=(actions, states)) * available.T[:, :, None],
        chance.random((states, actions)),
        0.95,
        available=available,
        features=chance.integers(0, 4, size=(states, 3)).astype(float),
        sense="min",
        name="costs",
    )


CASES = {  # name: a shipped model or a maker of one, depth, rounds
    "tictactoe": ("tictactoe_vs_random", 4, 4),
    "deep": ("tictactoe_vs_random", 6, 1),
    "tiger": ("tiger_vs_antelope", 4, 4),
    "lake": ("frozenlake_8x8", 3, 2),
    "leaf": ("frozenlake_4x4", 0, 1),
    "stock": ("inventory_management", 3, 1),
    "xor": ("xor", 3, 1),
    "hostile": (hostile_model, 4, 1),
    "costs": (cost_model, 3, 1),
}


@dataclass(frozen=True)
class Case:
    """A model, an answer, and the page that shows it."""

    mdp: spotree.MDP
    solution: spotree.Solution
    path: Path

    @cached_property
    def data(self) -> dict[str, Any]:
        return report_data(self.solution, self.mdp)


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, (model, depth, rounds) in CASES.items():
        mdp = spotree.load(model) if isinstance(model, str) else model()
        solution = spotree.solve(mdp, depth, max_rounds=rounds, threads=1, seed=0)
        found[name] = Case(mdp, solution, folder / f"{name}.html")
        found[name].path.write_text(page(found[name].data))
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's chromium, without a window and without a network of its own."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the page is tested in a browser by selenium")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("the page is tested in a browser: chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-dev-shm-usage"):
        options.add_argument(f"--{flag}")
    for flag in ("disable-background-networking", "disable-component-update", "disable-sync", "disable-extensions"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield browser
    browser.quit()


class Reader:
    """Somebody who opens a page and looks."""

    def __init__(self, browser: Any, cases: dict[str, Case]) -> None:
        self.browser, self.cases = browser, cases

    def open(self, name: str, width: int = 1440, height: int = 900, dark: bool = False) -> Case:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.media("", dark)
        self.browser.get(self.cases[name].path.as_uri())
        return self.cases[name]

    def media(self, kind: str, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": [scheme]})

    def ask(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return list(self.browser.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.one(selector).text)

    def press(self, key: str) -> None:
        self.browser.switch_to.active_element.send_keys(key)

    def lit(self) -> list[int]:
        """The nodes on the path that is lit, from the root."""
        return sorted(int(node.get_attribute("id")[5:]) for node in self.all("#tree .node.lit"))


@pytest.fixture
def reader(chromium: Any, cases: dict[str, Case]) -> Iterator[Reader]:
    """A reader; whatever the test did, the page made no error and asked nobody for anything."""
    chromium.get_log("performance")
    yield Reader(chromium, cases)
    assert chromium.get_log("browser") == []
    log = [entry["message"] for entry in chromium.get_log("performance")]
    asked = [entry for entry in log if '"Network.requestWillBeSent"' in entry]
    assert all('"url":"file:///' in entry for entry in asked)
    assert chromium.execute_script("return performance.getEntriesByType('resource').length") == 0
