"""Drawings of a tree: DOT, Mermaid, SVG, PNG."""
