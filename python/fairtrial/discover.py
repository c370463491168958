"""Finds experiments and instruments in the source of modules, without importing them.

`python -m fairtrial.discover [--path FOLDER] MODULE...` prints one JSON object. Modules are found the way Python finds
them, but neither they nor their packages are run: a benchmark that imports a heavy library costs nothing to list.
Where the source does not say it (a slug that is made at run time, a constructor that is inherited from elsewhere), the module
is imported in a process of its own, for a limited time (`imported.py`), and that is said. So is a named module whose source
registers nothing.
"""

import ast
import importlib.machinery
import inspect
import json
import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .experiments import Experiment
from .registry import METRICS, headlines

DECORATORS = {"register_experiment": "experiments", "register_instrument": "instruments"}

TYPES = {
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "dict": "object",
    "Dict": "object",
    "Mapping": "object",
    "list": "array",
    "List": "array",
    "tuple": "array",
    "Tuple": "array",
    "Sequence": "array",
}


def find(module: str) -> Optional[importlib.machinery.ModuleSpec]:
    """The place of a module, looked for part by part without importing its packages."""
    path: Optional[List[str]] = None
    spec = None
    full = ""
    for part in module.split("."):
        full = f"{full}.{part}" if full else part
        spec = importlib.machinery.PathFinder.find_spec(full, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec


def sources(module: str) -> Iterator[Tuple[str, str]]:
    """Names and files of a module, and of everything below it where it is a package."""
    spec = find(module)
    if spec is None:
        raise ModuleNotFoundError(f"there is no Python module `{module}`")
    if spec.origin and spec.origin.endswith(".py"):
        yield module, spec.origin
    for folder in spec.submodule_search_locations or []:
        for below, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
            parts = os.path.relpath(below, folder).split(os.sep)
            package = ".".join([module] + [part for part in parts if part != "."])
            for file in sorted(files):
                if file.endswith(".py") and not file.startswith("_"):
                    yield f"{package}.{file[:-3]}", os.path.join(below, file)


def scan(module: str, file: str, into: Dict[str, List[Dict[str, Any]]]) -> None:
    """Adds what one file registers."""
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    if not any(name in text for name in DECORATORS):
        return
    tree = ast.parse(text, file)
    decorators = names_of_decorators(tree)
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) in decorators]
    functions = {id(call.func) for call in calls}
    for node in ast.walk(tree):
        if named(node) in decorators and isinstance(node.ctx, ast.Load) and id(node) not in functions:
            unsure(module, f"line {node.lineno} gives `{named(node)}` to something else", into)
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            kind = decorators.get(called(decorator))
            if kind is None:
                continue
            calls.remove(decorator)
            slug = name_of(decorator)
            if not isinstance(slug, str):
                unsure(module, f"line {decorator.lineno} makes a name at run time", into)
            elif kind == "experiments" and isinstance(node, ast.ClassDef):
                schema = schema_of_source(node, classes)
                if schema is None:
                    unsure(module, f"`{node.name}` inherits its parameters from elsewhere", into)
                if any(key.arg == "metrics" and literal(key.value) is None for key in decorator.keywords):
                    unsure(module, f"the metrics of `{node.name}` are made at run time", into)
                found = of_class(slug, node, decorator)
                into[kind].append({"module": module, **found, "params": schema or {}})
            elif kind == "instruments":
                into[kind].append(of_instrument(slug, node))
    for call in calls:
        unsure(module, f"line {call.lineno} registers something at run time", into)


def unsure(module: str, why: str, into: Dict[str, List[Dict[str, Any]]]) -> None:
    """Notes that the source of a module does not say all, once."""
    if all(known["module"] != module for known in into["imported"]):
        into["imported"].append({"module": module, "why": why})


def name_of(decorator: ast.Call) -> Any:
    """The name that something is registered under; None where it is computed."""
    named = [keyword.value for keyword in decorator.keywords if keyword.arg in ("slug", "name")]
    given = [*decorator.args[:1], *named]
    return literal(given[0]) if given else None


def names_of_decorators(tree: ast.AST) -> Dict[str, str]:
    """The decorators by what the source calls them."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    aliases = [alias for node in imports for alias in node.names if alias.name in DECORATORS]
    return {**DECORATORS, **{alias.asname: DECORATORS[alias.name] for alias in aliases if alias.asname}}


def named(node: ast.AST) -> str:
    """The name that an expression ends in."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def called(decorator: ast.expr) -> str:
    return named(decorator.func) if isinstance(decorator, ast.Call) else ""


def literal(node: Optional[ast.expr]) -> Any:
    """The value of an expression that is one; None where it is computed."""
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError):
        return None


def first_line(text: Optional[str]) -> str:
    lines = (text or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def of_class(slug: str, node: ast.ClassDef, decorator: ast.Call) -> Dict[str, Any]:
    given = {keyword.arg: literal(keyword.value) for keyword in decorator.keywords}
    positional = [literal(argument) for argument in decorator.args[1:4]]
    for name, value in zip(("summary", "tags", "metrics"), positional):
        given.setdefault(name, value)
    return {
        "slug": slug,
        "summary": first_line(given.get("summary")) or first_line(ast.get_docstring(node)),
        "tags": list(given.get("tags") or []),
        "metrics": headlines(given.get("metrics")),
    }


def of_instrument(name: str, node: ast.AST) -> Dict[str, Any]:
    options = schema_of_init(node) if isinstance(node, ast.FunctionDef) else {}
    return {"name": name, "summary": first_line(ast.get_docstring(node)), "options": options}


def schema_of_source(
    node: ast.ClassDef, classes: Dict[str, ast.ClassDef]
) -> Optional[Dict[str, Any]]:
    """The schema of a class and of those in the same file that it inherits from; None where it is inherited from elsewhere."""
    init = None
    for part in node.body:
        targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
        if any(getattr(target, "id", "") == "param_schema" for target in targets):
            schema = literal(getattr(part, "value", None))
            # A schema that is computed is only known to the worker, which checks it again.
            return schema if isinstance(schema, dict) else {}
        if isinstance(part, ast.FunctionDef) and part.name == "param_schema":
            return {}
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            init = part
    if init is not None:
        return schema_of_init(init)
    others = {name: known for name, known in classes.items() if known is not node}
    for base in node.bases:
        name = getattr(base, "attr", getattr(base, "id", ""))
        if name in others and isinstance(base, ast.Name):
            return schema_of_source(others[name], others)
        if name != "Experiment":
            return None
    return {}


def schema_of_init(init: ast.FunctionDef) -> Dict[str, Any]:
    """The schema that annotations and defaults amount to; the first argument is the instance, or the context."""
    arguments = init.args
    named = [*arguments.posonlyargs, *arguments.args][1:]
    defaults: List[Optional[ast.expr]] = [None] * (len(named) - len(arguments.defaults))
    pairs = list(zip(named, [*defaults, *arguments.defaults][-len(named) :] if named else []))
    pairs += list(zip(arguments.kwonlyargs, arguments.kw_defaults))
    properties, required = {}, []
    for argument, default in pairs:
        rule = of_annotation(argument.annotation)
        value = literal(default)
        if default is None:
            required.append(argument.arg)
        elif value is not None:
            rule = rule or of_value(value)
            rule["default"] = list(value) if isinstance(value, tuple) else value
        properties[argument.arg] = rule
    schema: Dict[str, Any] = {"properties": properties, "required": required}
    schema["additionalProperties"] = arguments.kwarg is not None
    return schema


def of_annotation(node: Optional[ast.expr]) -> Dict[str, Any]:
    """The rule that an annotation amounts to; none where it is not one of the plain types."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return {}
    if isinstance(node, ast.Subscript):
        name = getattr(node.value, "attr", getattr(node.value, "id", ""))
        if name == "Optional":
            rule = of_annotation(node.slice)
            return {**rule, "nullable": True} if rule else rule
        rule = of_annotation(node.value)
        if rule.get("type") == "array":
            inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
            rule["items"] = of_annotation(inner)
        return rule
    name = getattr(node, "attr", getattr(node, "id", ""))
    return {"type": TYPES[name]} if name in TYPES else {}


def of_value(value: Any) -> Dict[str, Any]:
    """The rule that a default alone suggests."""
    name = type(value).__name__
    return {"type": TYPES[name]} if name in TYPES else {}


def schema_of(cls: Any) -> Dict[str, Any]:
    """The schema of a class that is loaded, from whichever class its constructor is."""
    if cls.param_schema:
        return dict(cls.param_schema)
    owner = next((base for base in cls.__mro__ if "__init__" in vars(base)), object)
    if owner in (object, Experiment):
        return {}
    try:
        source = inspect.cleandoc("\n" + inspect.getsource(vars(owner)["__init__"]))
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    return schema_of_init(node) if isinstance(node, ast.FunctionDef) else {}


def described(slug: str, cls: Any) -> Dict[str, Any]:
    """What a list shows about a class that is loaded."""
    about = {"slug": slug, "summary": first_line(cls.__doc__), "params": schema_of(cls)}
    return {**about, "metrics": METRICS.get(slug, [])}


def discover(modules: List[str]) -> Dict[str, Any]:
    """Everything that the modules register, and what is wrong with them."""
    kinds = ("experiments", "instruments", "problems", "imported")
    found: Dict[str, List[Dict[str, Any]]] = {kind: [] for kind in kinds}
    for module in modules:
        before = {kind: len(of) for kind, of in found.items()}
        try:
            for name, file in sources(module):
                scan(name, file, found)
            if all(len(of) == before[kind] for kind, of in found.items()):
                unsure(module, "its source registers nothing", found)
        except (ImportError, OSError, SyntaxError, ValueError) as error:
            place = f"{error.filename}:{error.lineno}: " if isinstance(error, SyntaxError) else ""
            message = getattr(error, "msg", None) or str(error)
            found["problems"].append({"module": module, "message": f"{place}{message}"})
    for unsure_of in found["imported"]:
        complete(unsure_of, found)
    return found


def complete(unsure_of: Dict[str, Any], found: Dict[str, List[Dict[str, Any]]]) -> None:
    """Puts what a module registers when it is imported in the place of what its source says."""
    from .imported import offered

    module = unsure_of["module"]
    try:
        offer = offered(module)
    except RuntimeError as error:
        unsure_of["failed"] = str(error)
        return
    for kind, key in (("experiments", "slug"), ("instruments", "name")):
        read = {known[key]: known for known in found[kind]}
        for new in offer[kind]:
            known = read.get(new[key])
            if known is None:
                found[kind].append({"module": module, **new})
            elif known.get("module") == module:
                known["params"] = new["params"]
                known["metrics"] = new.get("metrics", [])


def main(arguments: List[str]) -> int:
    if arguments[:1] == ["--path"]:
        sys.path.insert(0, arguments[1])
        arguments = arguments[2:]
    json.dump(discover(arguments), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
