"""What the header of a certificate must say, checked once and before its streams are unpacked."""

from typing import Any

from spotree.common.untrusted import ClaimError, list_of, number, one_of, optional, record, text, whole
from spotree.errors import InvalidProblemError
from spotree.trees.serialize import claimed_tree, fits_names, tree_entry

DEEPEST = 64
LARGEST = 2**31 - 1
MOST_SYMMETRIES = 64

_HEADER = record(
    {
        "chunks": whole(0, 10**6),
        "model": text(),
        "fingerprint": text(64),
        "states": whole(1),
        "actions": whole(1),
        "depth": whole(0, DEEPEST),
        "max_leaves": optional(whole(1)),
        "value": number(),
        "bound": number(infinite=True),  # inf: nothing was proved
        "margin": number(0),
        "rule": one_of("state", "tree", "level"),
        "tree": tree_entry,
        "group_state": list_of(whole(0)),
        "split_feature": list_of(whole(0)),
        "split_threshold": list_of(number()),
    },
    {
        "feature_names": list_of(text()),
        "action_names": list_of(text()),
        "symmetry_state": list_of(whole(0)),
        "symmetry_action": list_of(whole(0)),
        "symmetry_feature": list_of(whole(-LARGEST, LARGEST)),
    },
)


def check_header(header: dict[str, Any]) -> None:
    """Complain about the first entry that no certificate has."""
    _HEADER("", header)
    try:
        tree = claimed_tree(header["tree"])
    except InvalidProblemError as error:
        raise ClaimError(f"tree: {error}") from None
    most = header["max_leaves"]
    if tree.depth > header["depth"] or (most is not None and tree.num_leaves > most):
        raise ClaimError(
            f"the tree has depth {tree.depth} and {tree.num_leaves} leaves, the certificate is about depth"
            f" {header['depth']} and {most or 2 ** header['depth']} leaves"
        )
    if int(tree.action.max()) >= header["actions"]:
        raise ClaimError(f"the tree takes action {tree.action.max()}, but there are {header['actions']}")
    for kind in ("feature_names", "action_names"):
        if len(set(header.get(kind, []))) < len(header.get(kind, [])):
            raise ClaimError(f"{kind} has a name twice")
    if {"feature_names", "action_names"} <= header.keys():
        fits_names(tree, header["feature_names"], header["action_names"])
    if len(header["split_feature"]) != len(header["split_threshold"]):
        raise ClaimError(
            f"{len(header['split_feature'])} split_feature, {len(header['split_threshold'])} split_threshold"
        )
    if len(header["group_state"]) > header["states"]:
        raise ClaimError(f"group_state has {len(header['group_state'])} groups of {header['states']} states")
    check_symmetries(header)
    for group, state in enumerate(header["group_state"]):
        if state >= header["states"]:
            raise ClaimError(f"group_state[{group}] is {state}, but there are {header['states']} states")


def check_symmetries(header: dict[str, Any]) -> None:
    """Flat lists of images, as long as there are symmetries; that they are permutations is for the checkers to see."""
    count, rest = divmod(len(header.get("symmetry_state", [])), header["states"])
    actions, features = len(header.get("symmetry_action", [])), len(header.get("symmetry_feature", []))
    each = header["feature_names"] if "feature_names" in header else features // max(count, 1) * [""]
    if count > MOST_SYMMETRIES:
        raise ClaimError(f"symmetry_state lists {count} symmetries; a certificate has at most {MOST_SYMMETRIES}")
    if rest or actions != count * header["actions"] or features != count * len(each):
        raise ClaimError(
            f"symmetry_state, symmetry_action and symmetry_feature have {count * header['states'] + rest}, {actions}"
            f" and {features} images; each symmetry has {header['states']}, {header['actions']} and {len(each)}"
        )
    for name, most in (("symmetry_state", header["states"] - 1), ("symmetry_action", header["actions"] - 1)):
        highest = max(header.get(name, []), default=0)
        if highest > most:
            raise ClaimError(f"{name} leads to {highest}, but the last one is {most}")
    if not all(1 <= abs(image) <= len(each) for image in header.get("symmetry_feature", [])):
        raise ClaimError(f"symmetry_feature leads beyond the {len(each)} features")
