"""What `action.yml` runs: `python -m fairtrial.action` runs a spec, judges it, and tells a pull request.

Settings come from variables (`INPUT_SPEC`, `INPUT_RUN`, `INPUT_BASELINE`, `INPUT_STRICT`, `INPUT_TOKEN`), as GitHub passes them. The
answer goes to the job's page, to an annotation, to `fairtrial.xml` (JUnit), and to one comment of the pull request, which is
changed by later runs.
"""

import json
import os
import subprocess
import sys
import urllib.request
from typing import Any, Dict, List, Optional

from .command import program

#: By what the comment is found again; readers do not see it.
MARK = "<!-- fairtrial gate {name} -->"
#: How an exit code of the gate is announced; 2 is wrong input.
LEVELS = {0: "notice", 1: "error", 2: "error", 3: "error", 4: "warning"}
INVALID, INCONCLUSIVE = 3, 4
JUNIT, SUMMARY = "fairtrial.xml", "fairtrial.md"


def main() -> int:
    # Trials get our variables, and the token is none of their business.
    token = os.environ.pop("INPUT_TOKEN", "").strip()
    spec = setting("SPEC")
    run, code = measured(spec, setting("RUN"))
    # 1: trials failed, which the gate judges. More leaves nothing to judge; nor does a run that cannot be named: the
    # newest one is an older one then.
    if code not in (0, 1) or (spec and not run):
        return told(failure(code), "the run could not be made; the log says why")
    for file in (SUMMARY, JUNIT):
        if os.path.exists(file):
            os.remove(file)
    baseline = setting("BASELINE")
    words = ["gate", f"--md={SUMMARY}", f"--junit={JUNIT}", *([f"--baseline={baseline}"] if baseline else [])]
    code = subprocess.run([program(), *words, *([run] if run else [])]).returncode
    if not os.path.exists(SUMMARY):
        return told(code, "there is nothing to judge; the log says why")
    with open(SUMMARY, encoding="utf-8") as file:
        markdown = file.read()
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if page:
        with open(page, "a", encoding="utf-8") as file:
            file.write(markdown)
    comment(markdown, MARK.format(name=spec or run), token)
    said = told(code, markdown.splitlines()[0].lstrip("# "))
    return 0 if code == INCONCLUSIVE and setting("STRICT") != "true" else said


def setting(name: str) -> str:
    return os.environ.get(f"INPUT_{name}", "").strip()


def measured(spec: str, run: str) -> "tuple[str, int]":
    """Runs the spec, if there is one; gives the run to judge."""
    if not spec:
        return run, 0
    ended = subprocess.run([program(), "run", spec, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        return json.loads(ended.stdout)["dir"], ended.returncode
    except (ValueError, KeyError, TypeError):
        return "", ended.returncode


def failure(code: int) -> int:
    """The exit code of a run that cannot be judged, as shells write it: 128 and the signal's number where it was killed."""
    return 128 - code if code < 0 else code or INVALID


def told(code: int, text: str) -> int:
    print(f"::{LEVELS.get(code, 'error')} title=Fairtrial::{text}", flush=True)
    return code


def comment(markdown: str, mark: str, token: str) -> None:
    """Writes the pull request's one comment, or changes it. What goes wrong is said and decides nothing."""
    number = pull_request()
    if number is None or not token:
        return
    issues = f"/repos/{os.environ.get('GITHUB_REPOSITORY', '')}/issues"
    body = {"body": f"{mark}\n{markdown}"}
    try:
        known = known_comment(f"{issues}/{number}/comments", mark, token)
        if known is None:
            ask("POST", f"{issues}/{number}/comments", token, body)
        else:
            ask("PATCH", f"{issues}/comments/{known}", token, body)
    except (OSError, ValueError) as error:
        print(f"::warning title=Fairtrial::the comment could not be written: {error}", flush=True)


def pull_request() -> Optional[int]:
    try:
        with open(os.environ.get("GITHUB_EVENT_PATH", ""), encoding="utf-8") as file:
            return (json.load(file).get("pull_request") or {}).get("number")
    except (OSError, ValueError):
        return None


def known_comment(path: str, mark: str, token: str) -> Optional[int]:
    page = 1
    while True:
        found: List[Dict[str, Any]] = ask("GET", f"{path}?per_page=100&page={page}", token)
        for one in found:
            if (one.get("body") or "").startswith(mark):
                return one["id"]
        if len(found) < 100:
            return None
        page += 1


def ask(method: str, path: str, token: str, body: Optional[Dict[str, Any]] = None) -> Any:
    request = urllib.request.Request(
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


if __name__ == "__main__":
    sys.exit(main())
