"""Files are claims: what they say is checked against what is there before anyone spends memory on it."""

from spotree.common.untrusted.files import COMPRESSED as COMPRESSED
from spotree.common.untrusted.files import DAMAGED as DAMAGED
from spotree.common.untrusted.files import Zip as Zip
from spotree.common.untrusted.files import json_bytes as json_bytes
from spotree.common.untrusted.files import refuse_large_table as refuse_large_table
from spotree.common.untrusted.files import regular_bytes as regular_bytes
from spotree.common.untrusted.files import regular_size as regular_size
from spotree.common.untrusted.files import saved_document as saved_document
from spotree.common.untrusted.schema import Check as Check
from spotree.common.untrusted.schema import ClaimError as ClaimError
from spotree.common.untrusted.schema import anything as anything
from spotree.common.untrusted.schema import in_short as in_short
from spotree.common.untrusted.schema import list_of as list_of
from spotree.common.untrusted.schema import named as named
from spotree.common.untrusted.schema import number as number
from spotree.common.untrusted.schema import one_of as one_of
from spotree.common.untrusted.schema import optional as optional
from spotree.common.untrusted.schema import record as record
from spotree.common.untrusted.schema import text as text
from spotree.common.untrusted.schema import truth as truth
from spotree.common.untrusted.schema import whole as whole
