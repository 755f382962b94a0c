"""Small decision-tree policies for Markov decision processes."""
