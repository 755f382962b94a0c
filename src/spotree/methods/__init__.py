"""The outer loop: from a model to the best tree found, its value and its bound."""
