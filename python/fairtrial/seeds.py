"""Seeds of `random` and numpy, also where numpy is imported late."""

import importlib.util
import random
import sys
from typing import Any


def seed_all(seed: int) -> None:
    """Seeds `random` and numpy. Where numpy is not loaded yet it is seeded as it comes, before anybody draws from it;
    loading it here would cost experiments that have no use for it."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        seed_numpy(numpy, seed)
    else:
        sys.meta_path.insert(0, SeedsNumpy(seed))  # type: ignore[arg-type]


def seed_numpy(numpy: Any, seed: int) -> None:
    numpy.random.seed(seed % 2**32)


class SeedsNumpy:
    """Stands before the finders of modules until numpy is asked for."""

    def __init__(self, seed: int):
        self.seed = seed
        self.looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "numpy" or self.looking:
            return None
        self.looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking = False
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_seed(module: Any) -> None:
            # Only now: who asks whether there is a numpy has not loaded it yet.
            if self in sys.meta_path:
                sys.meta_path.remove(self)  # type: ignore[arg-type]
            load(module)
            seed_numpy(module, self.seed)

        spec.loader.exec_module = load_and_seed  # type: ignore[method-assign]
        return spec
