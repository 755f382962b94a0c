"""Checkpoint files of long runs."""

from spotree.checkpoint.checkpoint import ArrayClaim as ArrayClaim
from spotree.checkpoint.checkpoint import Checkpoint as Checkpoint
from spotree.checkpoint.checkpoint import Layout as Layout
from spotree.checkpoint.checkpoint import load_checkpoint as load_checkpoint
from spotree.checkpoint.writer import CheckpointWriter as CheckpointWriter
from spotree.checkpoint.writer import Lock as Lock
