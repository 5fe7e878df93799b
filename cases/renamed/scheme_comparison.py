"""The name that version 0.2 had for `cases.studies.scheme_comparison`."""

import sys

from cases.studies.scheme_comparison import compare, table

if __name__ == "__main__":
    print("cases.scheme_comparison is now cases.studies.scheme_comparison", file=sys.stderr)
    print(table(compare()))
