"""The GitHub Action's script against a stand-in of GitHub's API."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from conftest import ARMS


class Api(BaseHTTPRequestHandler):
    """Comments of pull request 7 of repository `me/mine`."""

    comments = []
    calls = []

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.calls.append(self.command)
        assert self.headers["Authorization"] == "Bearer secret"
        if self.command == "GET":
            assert self.path.startswith("/repos/me/mine/issues/7/comments?")
            # The second page is shorter than the first.
            page = int(self.path.rsplit("=", 1)[1])
            reply = self.comments[100 * (page - 1) : 100 * page]
        elif self.command == "POST":
            assert self.path == "/repos/me/mine/issues/7/comments"
            reply = {"id": 1000 + len(self.comments), **body}
            self.comments.append(reply)
        else:
            (reply,) = [one for one in self.comments if self.path.endswith(f"/issues/comments/{one['id']}")]
            reply.update(body)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def api(project, monkeypatch):
    Api.comments = [{"id": number, "body": "somebody else's"} for number in range(100)]
    Api.calls = []
    server = HTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    project.write("event.json", '{"pull_request": {"number": 7}}')
    variables = {
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
        "GITHUB_REPOSITORY": "me/mine",
        "GITHUB_EVENT_PATH": "event.json",
        "GITHUB_STEP_SUMMARY": "page.md",
        "INPUT_SPEC": "arms.toml",
        "INPUT_TOKEN": "secret",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield Api
    server.shutdown()


def test_one_comment_is_written_and_then_changed(project, api):
    project.write("arms.toml", ARMS)
    said = project.python("-m", "fairtrial.action")
    assert "::notice title=Fairtrial::" in said and "Improved" in said
    assert api.calls == ["GET", "GET", "POST"] and "Improved" in api.comments[-1]["body"]
    assert "Improved" in (project.path / "page.md").read_text()
    assert "<testsuite" in (project.path / "fairtrial.xml").read_text()
    project.write("arms.toml", ARMS.replace("lift = 140", "lift = 60"))
    said = project.python("-m", "fairtrial.action", code=1)
    assert "::error title=Fairtrial::" in said and "Regressed" in said
    assert api.calls[3:] == ["GET", "GET", "PATCH"]
    assert len(api.comments) == 101 and "Regressed" in api.comments[-1]["body"]


def test_an_api_that_fails_decides_nothing(project, api, monkeypatch):
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    project.write("arms.toml", ARMS)
    assert "::warning title=Fairtrial::the comment could not be written" in project.python("-m", "fairtrial.action")
    project.write("arms.toml", "nonsense = 1\n")
    assert "::error title=Fairtrial::the run could not be made" in project.python("-m", "fairtrial.action", code=2)


def test_trials_do_not_get_the_token(project, api):
    project.write("arms.toml", ARMS.replace("'echo", "'env > $FAIRTRIAL_METRICS.env; echo"))
    project.python("-m", "fairtrial.action")
    seen = [file.read_text() for file in project.path.rglob("*.env")]
    assert seen and not any("secret" in text for text in seen)
    assert api.calls[-1] == "POST"


#: Ends, or says nothing, where a run is asked for.
BROKEN = """\
#!/bin/sh
[ "$1" = run ] && {ending}
exec {program} "$@"
"""


@pytest.mark.parametrize("ending, code", [("kill -9 $$", 137), ("exit 0", 3), ("exit 1", 1)])
def test_a_run_without_an_answer_is_not_judged_by_an_older_one(project, api, monkeypatch, ending, code):
    from fairtrial.command import program

    project.write("arms.toml", ARMS)
    project.python("-m", "fairtrial", "run", "arms.toml")
    project.write("broken", BROKEN.format(ending=ending, program=program()))
    (project.path / "broken").chmod(0o755)
    monkeypatch.setenv("FAIRTRIAL_BIN", str(project.path / "broken"))
    said = project.python("-m", "fairtrial.action", code=code)
    assert "::error title=Fairtrial::the run could not be made" in said and "Improved" not in said
    assert api.calls == []
