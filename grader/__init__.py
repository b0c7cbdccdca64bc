"""The instructor's package: builds lessons, runs submissions in a sandbox and grades them.

Importing jsonschema, which every reader of notebooks does, parses the grammar of RFC 3987 where a package for it is
installed: a second of each process's start, for a check of addresses that no notebook needs. Here it goes without.
"""

import sys

if "jsonschema" not in sys.modules and "rfc3987_syntax" not in sys.modules:
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
    import jsonschema  # noqa: F401

    del sys.modules["rfc3987_syntax"]
