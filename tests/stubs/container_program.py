"""Docker's or Finch's command line, as far as pushing an image goes: a program of its own.

A test puts this file on PATH as `docker` or `finch`. It knows the options below and refuses every
other; it pushes nothing that was not built and nowhere without a login, by the registry's own
protocol. STAND_IN is the folder of its memory, with what it must fail at in `fails`.
https://distribution.github.io/distribution/spec/api/
"""

import base64
import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(sys.argv[0]).name
MEMORY = Path(os.environ["STAND_IN"])
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
type Options = dict[str, int]
BUILD: Options = {
    "--load": 0,
    "--provenance": 0,
    "--platform": 1,
    "--file": 1,
    "--target": 1,
    "--tag": 1,
}
KNOWN: dict[str, dict[tuple[str, ...], Options]] = {
    "docker": {
        ("info",): {}, ("buildx", "version"): {}, ("buildx", "build"): BUILD, ("push",): {},
        ("login",): {"--username": 1, "--password-stdin": 0}, ("logout",): {},
    },
    "finch": {
        ("info",): {}, ("push",): {"--platform": 1}, ("logout",): {},
        ("build",): {"--platform": 1, "--file": 1, "--target": 1, "--tag": 1},
        ("login",): {"--username": 1, "--password-stdin": 0},
    },
}  # fmt: skip


def main() -> None:
    """Do what is asked, or say why not."""
    words = sys.argv[1:]
    known = KNOWN[PROGRAM]
    verb = next((one for one in known if tuple(words[: len(one)]) == one), None)
    if verb is None:
        fail(f"{PROGRAM}: '{words[0]}' is not a command", 1)
    with (MEMORY / "asked").open("a", encoding="utf-8") as asked:
        asked.write(json.dumps([PROGRAM, *words]) + "\n")
    if " ".join(verb) in (MEMORY / "fails").read_text(encoding="utf-8").splitlines():
        fail("Cannot connect to the daemon. Is it running?", 1)
    options, plain = parse(words[len(verb) :], known[verb])
    match verb[-1]:
        case "build":
            build(options, plain)
        case "login":
            login(options, plain)
        case "push":
            push(plain)
        case "logout":
            remember("login", {})


def parse(words: list[str], known: Options) -> tuple[dict[str, str], list[str]]:
    """Take options and plain words apart."""
    options, plain = {}, []
    left = list(words)
    while left:
        word = left.pop(0)
        name, joined, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif name not in known:
            fail(f"unknown flag: {name}", 125)
        else:
            options[name] = value if joined else left.pop(0) if known[name] else ""
    return options, plain


def build(options: dict[str, str], plain: list[str]) -> None:
    """Keep the name of an image whose Dockerfile and target are there."""
    if plain != ["."]:
        fail('"build" requires exactly 1 argument.', 1)
    dockerfile = Path(options["--file"]).read_text(encoding="utf-8")
    target = options.get("--target", "task")
    if f" AS {target}\n" not in dockerfile:
        fail(f"target stage {target} could not be found", 1)
    remember("image", {"name": options["--tag"], "options": options})


def login(options: dict[str, str], plain: list[str]) -> None:
    """Keep who logged in where, with what stands in stdin."""
    password = sys.stdin.read()
    if options.keys() != {"--username", "--password-stdin"} or not password.strip():
        fail("Error: Cannot perform an interactive login from a non TTY device", 1)
    remember("login", {"host": plain[0], "user": options["--username"], "password": password})


def push(plain: list[str]) -> None:
    """Put the image's manifest into the registry."""
    (name,) = plain
    host, _, rest = name.partition("/")
    repository, _, tag = rest.partition(":")
    if recalled("image").get("name") != name:
        fail(f"An image does not exist locally with the tag: {host}/{repository}", 1)
    who = recalled("login")
    if who.get("host") != host:
        fail("no basic auth credentials", 1)
    basic = base64.b64encode(f"{who['user']}:{who['password']}".encode()).decode()
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": recalled("image")}
    request = urllib.request.Request(
        f"{os.environ['AWS_ENDPOINT_URL']}/v2/{repository}/manifests/{tag}",
        json.dumps(manifest).encode(), method="PUT",
        headers={"Host": host, "Content-Type": MANIFEST, "Authorization": f"Basic {basic}"},
    )  # fmt: skip
    urllib.request.urlopen(request, timeout=10).close()


def remember(name: str, what: object) -> None:
    """Keep something for the next call."""
    (MEMORY / f"{name}.json").write_text(json.dumps(what), encoding="utf-8")


def recalled(name: str) -> dict[str, str]:
    """Give what was kept."""
    path = MEMORY / f"{name}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def fail(why: str, code: int) -> NoReturn:
    """End as the program does that something is wrong for."""
    sys.stderr.write(f"{why}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
