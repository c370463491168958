"""What a comparison came to, as the command says it."""

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .command import ask_for_markdown, flags
from .display import as_html


@dataclass(frozen=True)
class Finding:
    """One metric of one candidate against the control."""

    candidate: str
    metric: str
    #: improved, regressed, equivalent, not worse, inconclusive, identical or insufficient
    word: str
    #: Candidate minus control, in the metric's unit; None where it cannot be given.
    difference: Optional[float]
    #: Where that difference lies, with the declared confidence.
    interval: Optional[Tuple[float, float]]
    #: The same as a share of the control.
    relative: Optional[float]
    p: Optional[float]
    primary: bool
    #: Everything that the command says about it.
    json: Dict[str, Any]


class Verdict:
    """The answer of `compare`: `word` says it in one word, `findings` hold the numbers, notebooks show the tables."""

    def __init__(self, json: Dict[str, Any], markdown: str):
        #: The command's own JSON.
        self.json = json
        #: The command's own Markdown.
        self.markdown = markdown
        self.findings: List[Finding] = [
            finding(contrast, metric) for contrast in json["contrasts"] for metric in contrast["metrics"]
        ]

    @property
    def words(self) -> Dict[str, str]:
        """The word of each candidate, by the metric that decides."""
        return {found.candidate: found.word for found in self.findings if found.primary}

    @property
    def word(self) -> str:
        """The word of the one candidate."""
        words = self.words
        if len(words) != 1:
            raise ValueError(f"{len(words)} candidates have a word of their own: see `words`")
        return next(iter(words.values()))

    def __getitem__(self, metric: str) -> Finding:
        """What was found about a metric; of several candidates, the first."""
        for found in self.findings:
            if found.metric == metric:
                return found
        known = ", ".join(dict.fromkeys(found.metric for found in self.findings))
        raise KeyError(f"{metric!r} was not compared; these were: {known}")

    def __repr__(self) -> str:
        said = (f"{name}: {word}" if name else word for name, word in self.words.items())
        return f"<Verdict {', '.join(said)}>"

    def __str__(self) -> str:
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return as_html(self.markdown)


def finding(contrast: Dict[str, Any], metric: Dict[str, Any]) -> Finding:
    side = contrast["candidate"]
    effect = metric.get("effect") or {}
    absolute = effect.get("absolute") or {}
    ends = (absolute.get("low"), absolute.get("high"))
    return Finding(
        candidate=side.get("arm") or side.get("source") or "",
        metric=metric["metric"],
        word=metric["verdict"]["word"],
        difference=absolute.get("value"),
        interval=None if None in ends else ends,  # type: ignore[arg-type]
        relative=(effect.get("relative") or {}).get("value"),
        p=effect.get("p"),
        primary=metric.get("role") == "primary",
        json=metric,
    )


def compare(*sides: Any, **options: Any) -> Verdict:
    """Compares runs, arms, result files or tables, the control first: `compare(before, after, metric="reward")`.

    A side is what `run` gave back, or whatever `fairtrial compare` takes: a run's name or folder, an arm, a file. Options
    are those of the command, with `_` for `-`.
    """
    words = [os.fspath(getattr(side, "dir", side)) for side in sides]
    answer, markdown = ask_for_markdown(["compare", *flags(options), "--", *words])
    return Verdict(answer.json, markdown)
