"""Parts of the proof that may change its time, never its answer."""

from dataclasses import dataclass

from spotree.errors import InvalidProblemError

RULES = ("state", "tree")


@dataclass(frozen=True, slots=True)
class ProofOptions:
    """What a proof makes use of; everything, unless it is switched off.

    Attributes
    ----------
    rules
        Branching rules: "state" (what one group of states does, best first) and "tree" (the next split or leaf of a
        partial tree, depth first). They run side by side; the first to finish wins.
    regret
        Sharpen the bound by the regret that every tree must pay under its least visits.
    floors
        Raise the least visits by what every improving tree must pay to a state.
    filter
        Remove an action where no improving tree takes it.
    solo
        Leaves that no improving tree has are known to all regions (rule "tree").
    symmetries
        Symmetries of the model are sought, and regions that are images of others proved once (rule "tree").
    levels
        Where the proof does not end in most of the time, spend the rest on levels between the best tree and the bound.
    before_floors
        Seconds that the rules may try before floors are sought.
    listed
        Numbers up to which a certificate lists all values and visits of a region; later ones it tells in brief.
    """

    rules: tuple[str, ...] = RULES
    regret: bool = True
    floors: bool = True
    filter: bool = True
    solo: bool = True
    symmetries: bool = True
    levels: bool = True
    before_floors: float = 0.4
    listed: int = 0

    def __post_init__(self) -> None:
        for rule in self.rules:
            if rule not in RULES:
                raise InvalidProblemError(f"branching rule {rule!r} is unknown; choose 'state', 'tree' or both")
