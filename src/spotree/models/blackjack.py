"""Blackjack: draw cards against a dealer, hand after hand."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

Hand = tuple[int, int, int]  # has the player skipped, the player's total, the dealer's total

CARDS = Counter([2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11])  # the thirteen ranks; an ace counts 11
BUST = 22
DEAL: Hand = (0, 0, 0)


def blackjack() -> MDP:
    """An endless deck; the player sees both totals, and the next hand follows at once.

    The player is dealt two cards, the dealer one. "Draw" adds a card, "Skip" hands over to the dealer, who draws up
    to 17 or more. Every total above 21 is written 22. The action matters only until the player skips or goes bust.

    Kept from OMDT, though a casino plays otherwise: an ace never counts 1 (two aces are bust at once), a tie is
    lost, every win with 21 over a dealer who stands pays 1.5, but a dealer's bust always pays 1.
    """

    def outcomes(hand: Hand, action: str) -> Iterator[tuple[float, Hand, float]]:
        skipped, player, dealer = hand
        if hand == DEAL:
            for (first, a), (second, b), (shown, c) in product(CARDS.items(), repeat=3):
                yield a * b * c / 13**3, (0, min(first + second, BUST), shown), 0.0
        elif _is_over(hand):
            yield 1.0, DEAL, _payoff(player, dealer)
        else:
            for card, ways in CARDS.items():
                if skipped or action == "Skip":
                    yield ways / 13, (1, player, min(dealer + card, BUST)), 0.0
                else:
                    yield ways / 13, (0, min(player + card, BUST), dealer), 0.0

    return mdp_from_rules(
        start={DEAL: 1.0},
        outcomes=outcomes,
        features=lambda hand: hand,
        feature_names=("skipped", "player_total", "dealer_total"),
        action_names=("Skip", "Draw"),
    )


def _is_over(hand: Hand) -> bool:
    skipped, player, dealer = hand
    return player == BUST or (skipped == 1 and dealer >= 17)


def _payoff(player: int, dealer: int) -> float:
    if player == BUST:
        return -1.0
    if dealer == BUST:
        return 1.0
    if player > dealer:
        return 1.5 if player == 21 else 1.0
    return -1.0
