"""Stands in for W&B's client: two runs of a project, and what the real one does when something is wrong."""


class _Summary:
    def __init__(self, values):
        self._values = values

    def items(self):
        return self._values.items()


class _Run:
    def __init__(self, arch, seed, state):
        self.id, self.name, self.group, self.state = f"{arch}{seed}", f"{arch}_{seed}", None, state
        self.project, self.tags, self.created_at = "bench", ["paired"], "2026-11-15T00:00:00Z"
        self.config = {"arch": arch, "seed": seed, "trainer": {"lr": 0.1}}
        self._rows = [{"_step": 10 * i, "reward": i / 10 + seed, "loss": float("nan")} for i in range(5)]
        self.summary = _Summary({"reward": self._rows[-1]["reward"], "best": 9.5, "_step": 40, "note": "words"})

    def scan_history(self, keys=None):
        for row in self._rows:
            yield {key: row.get(key) for key in keys} if keys else row


class Api:
    def runs(self, path):
        if path == "lab/absent":
            raise ValueError("Could not find project absent")
        return [_Run(arch, seed, "crashed" if (arch, seed) == ("b", 2) else "finished") for arch in "ab" for seed in (1, 2)]

    def run(self, path):
        name = path.rsplit("/")[-1]
        return _Run(name[0], int(name[1:]), "finished")
