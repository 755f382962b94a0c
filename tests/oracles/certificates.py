"""Certificates taken apart and put together again, and what a region's stated value proves, by plain loops."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, read_records
from spotree.mdp.model import MDP


def with_records(certificate: Certificate, records: list[Record]) -> Certificate:
    """The certificate with other regions."""
    words: list[int] = []
    numbers: list[np.ndarray] = [np.zeros(0)]
    for record in records:
        own = [record.number, record.parent, record.first, record.second, len(record.rounds)]
        numbers.append(np.zeros(1))
        for entry in record.rounds:
            brief = entry.value is None
            own += [int(entry.regret) + 2 * brief, len(entry.floors), len(entry.removed)]
            own += [state for state, _, _ in entry.floors] + list(entry.removed)
            own += [entry.sweeps, len(entry.states), *entry.states] if brief else []
            numbers.append(entry.values if brief else entry.value)
            for _, scale, value in entry.floors:
                numbers += [np.array([scale, 0.0]), value]
            numbers += [] if entry.visits is None else [entry.visits]
        own += record.branching
        words += [len(own) + 1, *own]
    return replace(certificate, words=np.array(words, np.int32), numbers=np.concatenate(numbers))


def with_header(certificate: Certificate, **changes: Any) -> Certificate:
    """The certificate with other claims."""
    return replace(certificate, header=copy.deepcopy(certificate.header) | changes)


class Book:
    """Which actions the regions of a certificate of rule "state" allow, as the file says it; no proof is looked at."""

    def __init__(self, mdp: MDP, certificate: Certificate) -> None:
        self.mdp, self.header = mdp, certificate.header
        self.records = read_records(certificate, mdp.num_states)
        self.threshold = max(self.header["bound"], self.header["value"]) + self.header["margin"]
        names = {mdp.features[state].tobytes(): name for name, state in enumerate(self.header["group_state"])}
        self.name_of = np.array([names.get(row.tobytes(), -1) for row in mdp.features])
        self.transition, self.choice_of = mdp.rows.toarray(), mdp.choice_of

    def allowed(self, number: int) -> np.ndarray:
        """[group, action] in the last round of a region."""
        record = self.records[number]
        if record.parent < 0:
            allowed = np.ones((len(self.header["group_state"]), self.mdp.num_actions), bool)
        else:
            allowed = self.allowed(record.parent)
            self.remove(allowed, [pair for entry in self.records[record.parent].rounds for pair in entry.removed])
            _, group, count, *actions = self.records[record.parent].branching
            these = np.isin(np.arange(self.mdp.num_actions), actions[:count])
            allowed[group] &= ~these if record.first else these
        self.remove(allowed, [pair for entry in record.rounds[:-1] for pair in entry.removed])
        return allowed

    def remove(self, allowed: np.ndarray, pairs: list[int]) -> None:
        for pair in pairs:
            allowed[pair // self.mdp.num_actions, pair % self.mdp.num_actions] = False

    def closed_by_value(self, number: int) -> bool:
        """Whether the value of the region's last round bounds all that is allowed at the threshold (lemma 1)."""
        value, allowed = self.records[number].rounds[-1].value, self.allowed(number)
        todo = np.flatnonzero(self.mdp.initial > 0).tolist()
        reached, excess = set(todo), 0.0
        while todo:
            state = todo.pop()
            name = self.name_of[state]
            for action in range(self.mdp.num_actions) if name < 0 else np.flatnonzero(allowed[name]):
                row = self.choice_of[state, action]
                worth = self.mdp.reward_of_choice[row] + self.mdp.discount * self.transition[row] @ value
                excess = max(excess, worth - value[state])
                onward = set(np.flatnonzero(self.transition[row]).tolist()) - reached
                reached |= onward
                todo += onward
        bound = self.mdp.initial @ value + excess / (1 - self.mdp.discount)
        return bool(bound <= self.threshold)
