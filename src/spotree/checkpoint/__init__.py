"""Where a long run stands, in a file: what is written now and then, and read when the run goes on."""

from spotree.checkpoint.checkpoint import Checkpoint as Checkpoint
from spotree.checkpoint.checkpoint import load_checkpoint as load_checkpoint
from spotree.checkpoint.lock import Lock as Lock
from spotree.checkpoint.schema import ArrayClaim as ArrayClaim
from spotree.checkpoint.schema import Layout as Layout
from spotree.checkpoint.writer import CheckpointWriter as CheckpointWriter
