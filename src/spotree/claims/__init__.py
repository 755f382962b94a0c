"""Files are claims: what they say is checked against what is there before anyone spends memory on it."""

from spotree.claims.documents import json_bytes, regular_bytes, regular_size
from spotree.claims.limits import COMPRESSED, ZIPPED, Limit, refuse_large_table
from spotree.claims.schema import (
    Check,
    ClaimError,
    anything,
    in_short,
    list_of,
    named,
    number,
    one_of,
    optional,
    record,
    text,
    truth,
    whole,
)
from spotree.claims.zips import DAMAGED, Zip

__all__ = [
    "COMPRESSED",
    "DAMAGED",
    "ZIPPED",
    "Check",
    "ClaimError",
    "Limit",
    "Zip",
    "anything",
    "in_short",
    "json_bytes",
    "list_of",
    "named",
    "number",
    "one_of",
    "optional",
    "record",
    "refuse_large_table",
    "regular_bytes",
    "regular_size",
    "text",
    "truth",
    "whole",
]
