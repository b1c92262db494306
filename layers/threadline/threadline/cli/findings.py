"""Findings as a person reads them: right, something to do, or not told."""

from threadline.core.setup import Finding


def told(finding: Finding, of: str = "") -> str:
    """Give the lines of a finding of an app, or of the installation."""
    mark = "!!" if finding.remedy else "ok" if finding.asked else "??"
    what = f"{of} {finding.what}".strip()
    remedy = finding.remedy.replace("\n", "\n      ")
    return f"{mark}  {what}: {finding.seen}" + f"\n      {remedy}" * bool(remedy)
