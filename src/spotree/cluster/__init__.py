"""Work on many machines: who does it, and what happens when one of them is lost."""
