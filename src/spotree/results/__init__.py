"""Results of runs: Solution, Smallest, progress and metrics."""
