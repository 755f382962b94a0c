"""Public functions that assemble a run: solve, smallest, frontier, simplify, certify, check."""
