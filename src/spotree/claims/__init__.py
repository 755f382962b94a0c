"""Files are claims: what they say is checked against what is there before anyone spends memory on it."""

from spotree.claims.documents import json_bytes as json_bytes
from spotree.claims.documents import regular_bytes as regular_bytes
from spotree.claims.documents import regular_size as regular_size
from spotree.claims.limits import COMPRESSED as COMPRESSED
from spotree.claims.limits import refuse_large_table as refuse_large_table
from spotree.claims.schema import Check as Check
from spotree.claims.schema import ClaimError as ClaimError
from spotree.claims.schema import anything as anything
from spotree.claims.schema import in_short as in_short
from spotree.claims.schema import list_of as list_of
from spotree.claims.schema import named as named
from spotree.claims.schema import number as number
from spotree.claims.schema import one_of as one_of
from spotree.claims.schema import optional as optional
from spotree.claims.schema import record as record
from spotree.claims.schema import text as text
from spotree.claims.schema import truth as truth
from spotree.claims.schema import whole as whole
from spotree.claims.zips import DAMAGED as DAMAGED
from spotree.claims.zips import Zip as Zip
