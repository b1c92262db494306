"""What `sam local invoke` would start containers with: `python sam_told.py ENV_FILE`.

Run by the Python that SAM is installed in: everything is SAM's own up to the container, which
wants Docker. Prints JSON.
"""

import json
import sys
from typing import Any

from samcli.cli.main import cli  # type: ignore[import-not-found]
from samcli.commands.local.cli_common.invoke_context import (  # type: ignore[import-not-found]
    InvokeContext,
)
from samcli.commands.local.lib.local_lambda import (  # type: ignore[import-not-found]
    LocalLambdaRunner,
)


def tell(runner: Any, *_: object, **__: object) -> None:
    """Print every function's environment, and the hosts that its container would know."""
    functions = {
        one.name: runner._make_env_vars(one).resolve() for one in runner.provider.get_all()
    }
    sys.stdout.write(json.dumps({"functions": functions, "hosts": runner.extra_hosts}))


def main() -> None:
    """Run the command with the container's start replaced."""
    InvokeContext._get_container_manager = lambda *_: None
    InvokeContext.lambda_runtime = None
    LocalLambdaRunner.invoke = tell
    cli(["local", "invoke", "IngestFunction", "--no-event", "--env-vars", sys.argv[1]])


if __name__ == "__main__":
    main()
