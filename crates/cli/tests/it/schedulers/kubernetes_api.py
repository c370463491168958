#!/usr/bin/env python3
"""A stand-in for the API of Kubernetes, as far as `kubectl` and our Jobs use it: real `kubectl` talks to it. It does with a
Job what the documentation says of Indexed Jobs with `backoffLimitPerIndex: 0`, and runs the commands of pods as processes of
this machine, in the same paths. `kubernetes_api.py FOLDER` writes `kubeconfig` and pods' logs there and serves until it is told TERM.

The folder's files change what it does: `down` (every answer is 503), `late` (the answer to a Job that was made does not
come), `quota` and `forbidden` (no pod can be made, for these words), `places` (how many pods run at once). What happens to
pods is asked for by POST /happen/WHAT/INDEX: `preempt`, `oom`, `lose`, `delete`."""
import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

folder = sys.argv[1]
lock = threading.RLock()
jobs, pods, events = {}, {}, []
SPACE = "bench"
INDEX = "batch.kubernetes.io/job-completion-index"
THERE = {("namespaces", SPACE), ("serviceaccounts", "runner"), ("persistentvolumeclaims", "shared"), ("secrets", "wandb")}
RESOURCES = {
    "v1": [("namespaces", "Namespace", False), ("pods", "Pod", True), ("serviceaccounts", "ServiceAccount", True),
           ("secrets", "Secret", True), ("persistentvolumeclaims", "PersistentVolumeClaim", True), ("events", "Event", True)],
    "batch/v1": [("jobs", "Job", True)],
    "authorization.k8s.io/v1": [("selfsubjectaccessreviews", "SelfSubjectAccessReview", False)],
    "scheduling.k8s.io/v1": [("priorityclasses", "PriorityClass", False)],
}
KINDS = {name: (kind, version) for version, all in RESOURCES.items() for name, kind, _ in all}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def has(name):
    return os.path.exists(os.path.join(folder, name))


def words_of(name):
    return open(os.path.join(folder, name)).read().strip()


def places():
    return int(words_of("places")) if has("places") else 1000


def ranges(numbers):
    """`0,2-4`"""
    parts, numbers = [], sorted(numbers)
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


class Pod:
    def __init__(self, job, index):
        self.job, self.index, self.process, self.kill_at = job, index, None, None
        self.name = f"{job.name}-{index}-{os.urandom(3).hex()[:5]}"
        self.spec = job.spec["template"]["spec"]
        labels = dict(job.spec["template"]["metadata"]["labels"])
        labels.update({"job-name": job.name, "batch.kubernetes.io/job-name": job.name, INDEX: str(index)})
        self.meta = {"name": self.name, "namespace": SPACE, "labels": labels, "annotations": {INDEX: str(index)},
                     "creationTimestamp": now()}
        self.status = {"phase": "Pending", "conditions": []}
        self.why = None

    def over(self):
        return self.status["phase"] in ("Succeeded", "Failed")

    def container(self, state):
        self.status["containerStatuses"] = [{"name": "trials", "image": self.spec["containers"][0]["image"], "state": state}]

    def start(self):
        container = self.spec["containers"][0]
        if "nodeSelector" in self.spec:
            self.status["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                          "message": "0/3 nodes are available: 3 node(s) didn't match Pod's node selector."}]
            return
        if "nowhere" in container["image"]:
            waiting = {"reason": "ErrImagePull", "message": "rpc error: code = NotFound desc = not found"}
            if time.time() % 2 < 1:
                waiting = {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{container["image"]}"'}
            return self.container({"waiting": waiting})
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "HOSTNAME": f"{self.job.name}-{self.index}",
                       "JOB_COMPLETION_INDEX": str(self.index)}
        environment.update({name: "from-a-secret" for name in ["WANDB_API_KEY"] if "envFrom" in container})
        log = open(os.path.join(folder, self.name + ".log"), "wb")
        self.process = subprocess.Popen(container["command"], cwd=container["workingDir"], env=environment, stdout=log,
                                        stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        self.status.update(phase="Running", startTime=now())
        self.container({"running": {"startedAt": now()}})

    def signal(self, number, all_of_them=False):
        try:
            (os.killpg if all_of_them else os.kill)(self.process.pid, number)
        except (ProcessLookupError, AttributeError):
            pass

    def delete(self):
        if "deletionTimestamp" in self.meta:
            return
        self.meta["deletionTimestamp"] = now()
        # The main process alone is told.
        self.signal(signal.SIGTERM)
        self.kill_at = time.time() + self.spec["terminationGracePeriodSeconds"]
        if self.process is None:
            self.status["phase"] = "Failed"

    def disrupt(self, reason):
        self.status["conditions"].append({"type": "DisruptionTarget", "status": "True", "reason": reason, "message": ""})
        self.delete()

    def look(self):
        limit = self.spec.get("activeDeadlineSeconds")
        if self.process and limit and not self.over() and time.time() > self.deadline(limit) and self.why is None:
            self.why = "DeadlineExceeded"
            self.signal(signal.SIGTERM)
            self.kill_at = time.time() + self.spec["terminationGracePeriodSeconds"]
        if self.kill_at and time.time() > self.kill_at:
            self.signal(signal.SIGKILL, True)
        code = self.process.poll() if self.process else None
        if code is None or self.over():
            return
        self.signal(signal.SIGKILL, True)
        code = code if code >= 0 else 128 - code
        reason = self.why if self.why == "OOMKilled" else "Completed" if code == 0 else "Error"
        self.container({"terminated": {"exitCode": code, "reason": reason}})
        if self.why == "DeadlineExceeded":
            self.status.update(reason=self.why, message="Pod was active on the node longer than the specified deadline")
        self.status["phase"] = "Succeeded" if code == 0 and not self.why else "Failed"

    def deadline(self, limit):
        began = datetime.datetime.strptime(self.status["startTime"], "%Y-%m-%dT%H:%M:%SZ")
        return began.replace(tzinfo=datetime.timezone.utc).timestamp() + limit

    def shown(self):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": self.meta, "spec": self.spec, "status": self.status}


class Job:
    def __init__(self, given):
        self.given, self.spec, self.name = given, given["spec"], given["metadata"]["name"]
        self.meta = dict(given["metadata"], namespace=SPACE, creationTimestamp=now(), uid=os.urandom(8).hex())
        self.completed, self.failed, self.begun, self.conditions = set(), set(), set(), []

    def own(self):
        return [pod for pod in pods.values() if pod.job is self]

    def step(self):
        for pod in self.own():
            pod.look()
            if pod.over() and pod.index not in self.completed | self.failed:
                (self.completed if pod.status["phase"] == "Succeeded" else self.failed).add(pod.index)
            # Its finalizer is gone with that.
            if pod.over() and "deletionTimestamp" in pod.meta:
                del pods[pod.name]
        if "deletionTimestamp" in self.meta:
            for pod in self.own():
                if pod.over():
                    del pods[pod.name]
                else:
                    pod.delete()
            if not self.own():
                del jobs[self.name]
            return
        if len(self.completed | self.failed) == self.spec["completions"]:
            kind = {"type": "Failed", "reason": "FailedIndexes"} if self.failed else {"type": "Complete", "reason": "CompletionsReached"}
            self.conditions = self.conditions or [dict(kind, status="True", message="Job has ended")]
            return
        if self.spec.get("suspend"):
            return
        active = [pod for pod in self.own() if not pod.over()]
        for index in range(self.spec["completions"]):
            if len(active) >= self.spec["parallelism"] or has("quota") or has("forbidden"):
                break
            if index not in self.begun:
                self.begun.add(index)
                pod = Pod(self, index)
                pods[pod.name] = pod
                active.append(pod)
        for pod in active:
            running = sum(1 for other in pods.values() if other.process and not other.over())
            if pod.process is None and "deletionTimestamp" not in pod.meta and running < places():
                pod.start()
        if not active and len(self.begun) < self.spec["completions"]:
            words = [words_of(name) for name in ("quota", "forbidden") if has(name)]
            for text in words:
                message = f'Error creating: pods "{self.name}-0-{os.urandom(2).hex()}" is forbidden: {text}'
                about = {"kind": "Job", "name": self.name}
                events[:] = [{"kind": "Event", "apiVersion": "v1", "metadata": {"name": "e", "namespace": SPACE}, "reason": "FailedCreate",
                              "involvedObject": about, "message": message, "lastTimestamp": now()}]

    def shown(self):
        status = {"completedIndexes": ranges(self.completed), "failedIndexes": ranges(self.failed), "conditions": self.conditions,
                  "succeeded": len(self.completed), "failed": len(self.failed)}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": self.meta, "spec": self.spec, "status": status}


def control():
    while True:
        with lock:
            for job in list(jobs.values()):
                job.step()
        time.sleep(0.05)


def selected(objects, selector):
    """Objects whose labels fit `a=b,c in (d,e)`."""
    def fits(thing):
        labels = thing["metadata"].get("labels", {})
        for part in split(selector):
            if " in " in part:
                name, values = part.split(" in ")
                if labels.get(name.strip()) not in [value.strip() for value in values.strip(" ()").split(",")]:
                    return False
            else:
                name, value = part.split("=", 1)
                if labels.get(name) != value.lstrip("="):
                    return False
        return True
    return [thing for thing in objects if fits(thing)] if selector else objects


def split(selector):
    parts, depth = [""], 0
    for letter in selector:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, code=200, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, code, reason, message):
        self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code}, code)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def take(self):
        size = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(size)
        url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with open(os.path.join(folder, "calls"), "a") as calls:
            calls.write(f"{self.command} {self.path}\n")
        # Questions about rights come in another form, of which the words are read.
        body = json.loads(data) if data[:1] == b"{" else data
        return [unquote(part) for part in url.path.strip("/").split("/")], body

    def serve(self):
        parts, body = self.take()
        if parts[0] == "happen":
            return self.happen(*parts[1:])
        if has("down"):
            return self.refuse(503, "ServiceUnavailable", "the server is currently unable to handle the request")
        if parts == ["version"]:
            minor = words_of("minor") if has("minor") else "33"
            return self.answer({"major": "1", "minor": minor, "gitVersion": f"v1.{minor}.0-stand-in", "platform": "linux/amd64"})
        if parts == ["api"]:
            return self.answer({"kind": "APIVersions", "versions": ["v1"]})
        if parts == ["apis"]:
            groups = [version.split("/") for version in RESOURCES if "/" in version]
            groups = [{"name": group, "versions": [{"groupVersion": f"{group}/{v}", "version": v}],
                       "preferredVersion": {"groupVersion": f"{group}/{v}", "version": v}} for group, v in groups]
            return self.answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        if parts[:2] == ["openapi", "v3"]:
            return self.open_api(parts[2:])
        version = parts[1] if parts[0] == "api" else "/".join(parts[1:3])
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        if version not in RESOURCES:
            return self.refuse(404, "NotFound", "the server could not find the requested resource")
        if not rest:
            found = [{"name": name, "kind": kind, "namespaced": spaced, "singularName": kind.lower(), "verbs": ["create", "delete", "get", "list", "patch"]}
                     for name, kind, spaced in RESOURCES[version]]
            return self.answer({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": found})
        if rest[0] == "namespaces" and len(rest) > 2:
            rest = rest[2:]
        with lock:
            self.resource(rest, body)

    do_GET = do_POST = do_DELETE = do_PATCH = serve

    def open_api(self, parts):
        """As much as `kubectl` needs to leave the checking of fields to the server."""
        if not parts:
            return self.answer({"paths": {"apis/batch/v1": {"serverRelativeURL": "/openapi/v3/apis/batch/v1"}}})
        patch = {"x-kubernetes-group-version-kind": {"group": "batch", "version": "v1", "kind": "Job"},
                 "parameters": [{"name": name, "in": "query"} for name in ("dryRun", "fieldValidation")], "responses": {}}
        path = "/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
        self.answer({"openapi": "3.0.0", "info": {"title": "k", "version": "1"}, "paths": {path: {"patch": patch}}})

    def resource(self, rest, body):
        name = rest[1] if len(rest) > 1 else None
        if rest[0] == "selfsubjectaccessreviews":
            refused = [name.split("-")[1:] for name in os.listdir(folder) if name.startswith("no-")]
            may = not any(all(word.encode() in body for word in words) for words in refused)
            answer = {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": {"allowed": may}}
            return self.answer(answer, 201)
        if rest[0] == "jobs":
            return self.job(name, body)
        if rest[0] == "pods":
            return self.pod(name, rest[2:])
        if rest[0] == "events":
            wanted = dict(part.split("=", 1) for part in self.query.get("fieldSelector", "").split(",") if part)
            found = [event for event in events if event["involvedObject"]["name"] == wanted.get("involvedObject.name")]
            return self.answer({"kind": "EventList", "apiVersion": "v1", "items": found})
        kind, version = KINDS[rest[0]]
        if (rest[0], name) not in THERE:
            return self.refuse(404, "NotFound", f'{rest[0]} "{name}" not found')
        spec = {"accessModes": ["ReadWriteMany"]}
        self.answer({"kind": kind, "apiVersion": version, "metadata": {"name": name}, "spec": spec})

    def job(self, name, body):
        if self.command == "POST":
            name = body["metadata"]["name"]
            if name in jobs:
                return self.refuse(409, "AlreadyExists", f'jobs.batch "{name}" already exists')
            job = Job(body)
            if "dryRun" not in self.query:
                jobs[name] = job
                if has("late"):
                    time.sleep(1)
                    self.close_connection = True
                    return self.connection.close()
            return self.answer(job.shown(), 201)
        if name is None:
            found = selected([job.shown() for job in jobs.values()], self.query.get("labelSelector"))
            return self.answer({"kind": "JobList", "apiVersion": "batch/v1", "items": found})
        if name not in jobs:
            return self.refuse(404, "NotFound", f'jobs.batch "{name}" not found')
        job = jobs[name]
        if self.command == "DELETE":
            job.meta["deletionTimestamp"] = now()
        if self.command == "PATCH":
            job.spec.update(body["spec"])
        self.answer(job.shown())

    def pod(self, name, more):
        if name is None:
            found = selected([pod.shown() for pod in pods.values()], self.query.get("labelSelector"))
            if self.query.get("fieldSelector") == "status.phase!=Succeeded":
                found = [pod for pod in found if pod["status"]["phase"] != "Succeeded"]
            return self.answer({"kind": "PodList", "apiVersion": "v1", "items": found})
        if name not in pods:
            return self.refuse(404, "NotFound", f'pods "{name}" not found')
        if more == ["log"]:
            path = os.path.join(folder, name + ".log")
            if not os.path.exists(path):
                return self.refuse(400, "BadRequest", f'container "trials" in pod "{name}" is waiting to start')
            return self.answer(open(path, "rb").read(), kind="text/plain")
        if self.command == "DELETE":
            pods[name].delete()
        self.answer(pods[name].shown())

    def happen(self, what, index):
        with lock:
            found = [pod for pod in pods.values() if pod.index == int(index) and not pod.over()]
            for pod in found:
                if what == "preempt":
                    pod.disrupt("PreemptionByScheduler")
                elif what == "delete":
                    pod.delete()
                elif what == "oom":
                    pod.why = "OOMKilled"
                    pod.signal(signal.SIGKILL, True)
                elif what == "lose":
                    # The node dies; after a while the cluster gives up its pods.
                    pod.signal(signal.SIGKILL, True)
                    pod.disrupt("DeletionByTaintManager")
        self.answer({"pods": len(found)})


def end(*_):
    for pod in pods.values():
        pod.signal(signal.SIGKILL, True)
    os._exit(0)


server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
server.daemon_threads = True
signal.signal(signal.SIGTERM, end)
address = f"http://127.0.0.1:{server.server_address[1]}"
config = {
    "apiVersion": "v1", "kind": "Config", "current-context": "stand-in",
    "clusters": [{"name": "stand-in", "cluster": {"server": address}}], "users": [{"name": "me", "user": {}}],
    "contexts": [{"name": "stand-in", "context": {"cluster": "stand-in", "user": "me", "namespace": SPACE}}],
}
with open(os.path.join(folder, "kubeconfig.new"), "w") as file:
    json.dump(config, file)
open(os.path.join(folder, "address"), "w").write(address)
os.rename(os.path.join(folder, "kubeconfig.new"), os.path.join(folder, "kubeconfig"))
threading.Thread(target=control, daemon=True).start()
server.serve_forever()
