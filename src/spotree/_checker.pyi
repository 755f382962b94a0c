"""The native checker (checker/): certificates of proofs, verified on all cores by code of its own."""

from spotree.common.arrays import Floats, SmallInts

def check(
    *, mdp: object, header: object, words: SmallInts, numbers: Floats, threads: int, look: object
) -> tuple[str, bool, float, float, float, int]: ...
