"""`threadline image push`: build the image of the long-running task and push it to the account."""

import argparse
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threadline.cli import docker
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    from threadline.backends.aws.registry import Registry

REPOSITORY: Final = "threadline"


def add(subparsers: Any) -> None:
    """Add the command."""
    group = subparsers.add_parser("image", help="the image of the long-running task")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    parser = words.add_parser("push", help="build it and push it to the account's registry")
    parser.add_argument(
        "--architecture", choices=sorted(docker.PLATFORMS), default="arm64",
        help="the stack's parameter Architecture (arm64)",
    )  # fmt: skip
    parser.add_argument(
        "--feishu", action="store_true", help="with Feishu's own library, for its long connection"
    )
    parser.add_argument(
        "--repository", default=REPOSITORY, metavar="NAME", help=f"in the registry ({REPOSITORY})"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the commands and do nothing")
    parser.set_defaults(run=push)


def push(args: argparse.Namespace) -> int:
    """Build, push, and print the parameter of the stack. Raises ThreadlineError."""
    import boto3

    from threadline.backends.aws.registry import Registry

    here = Path.cwd()
    if not (here / docker.DOCKERFILE).is_file():
        raise ThreadlineError(f"no {docker.DOCKERFILE} here: run it at the top of the checkout")
    program = docker.found()
    if not args.dry_run:
        docker.check(program)
    registry = Registry(boto3.Session(), args.repository)
    tag = f"{args.architecture}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    name = f"{registry.host}/{args.repository}"
    image = docker.Image(f"{name}:{tag}", args.architecture, args.feishu)
    if args.dry_run:
        _print_commands(program or "docker", image, args.repository)
        return 0
    if registry.make():
        print(f"The repository {name} is new.")
    _build_and_push(program, image, registry, here)
    print("Deploy it with this among the parameter overrides:\n")
    print(f"LongRunningImage={name}@{registry.digest(tag)}")
    return 0


def _build_and_push(program: str, image: docker.Image, registry: "Registry", here: Path) -> None:
    docker.run(docker.build(program, image), here)
    docker.run(docker.log_in(program, image), here, stdin=registry.password())
    try:
        docker.run(docker.push(program, image), here)
    finally:
        docker.run(docker.log_out(program, image), here)


def _print_commands(program: str, image: docker.Image, repository: str) -> None:
    print(
        "aws ecr create-repository --image-tag-mutability IMMUTABLE"
        f" --repository-name {shlex.quote(repository)}"
    )
    print(shlex.join(docker.build(program, image)))
    print(f"aws ecr get-login-password | {shlex.join(docker.log_in(program, image))}")
    print(shlex.join(docker.push(program, image)))
    print(shlex.join(docker.log_out(program, image)))
