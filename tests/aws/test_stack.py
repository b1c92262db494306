import re
import tomllib
from typing import Any

import pytest

from setup.template import (
    BUCKET,
    FUNCTION,
    QUEUE,
    TABLE,
    Template,
    environment,
    load,
    named,
    resources,
    several,
    statements,
)
from tests.aws import task
from tests.aws.template_rules import sources
from tests.peers import ROOT
from threadline import wiring
from threadline.app import dispatch
from threadline.core.platform import ReceivesHttp
from threadline.core.socket import HoldsSocket

GROUP = "AWS::Logs::LogGroup"
LAYER = "AWS::Serverless::LayerVersion"
SECRET = "AWS::SecretsManager::Secret"
CONSUMERS = {
    "Mailbox": "DispatchFunction", "Runs": "WatchFunction", "Timers": "SweepFunction",
    "Outbox": "DeliverFunction",
}  # fmt: skip
TWO_WEEKS = 14 * 24 * 3600


@pytest.fixture(scope="module")
def stack() -> Template:
    """Give the stack's template."""
    return load()


def test_every_parameter_has_a_default(stack: Template) -> None:
    """What differs by stage is a parameter that says what it is for and may be left alone."""
    for name, parameter in stack["Parameters"].items():
        assert "Default" in parameter, name
        assert parameter["Description"].endswith((".", "`")), name


def test_a_stage_overrides_parameters_that_are_there(stack: Template) -> None:
    """Each override of samconfig.toml names a parameter; production refuses to lose its tables."""
    stages = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    given = {
        stage: dict(
            one.split("=", 1)
            for one in stages[stage]["deploy"]["parameters"]["parameter_overrides"]
        )
        for stage in ("default", "prod")
    }
    assert all(set(one) <= set(stack["Parameters"]) for one in given.values())
    assert given["prod"]["DeletionProtection"] == "true"
    assert given["default"]["Stage"] != given["prod"]["Stage"]


def test_webhooks_are_throttled(stack: Template) -> None:
    """No caller can start more functions a second than a parameter says, whatever the route."""
    ((name, api),) = resources(stack, "AWS::Serverless::HttpApi")
    route = api["DefaultRouteSettings"]
    assert route["ThrottlingRateLimit"] == route["ThrottlingBurstLimit"]
    assert route["ThrottlingRateLimit"] == {"Ref": "WebhooksPerSecond"}
    assert "RouteSettings" not in api
    routes = {
        f"{event['Properties']['Method']} {event['Properties']['Path']}": function
        for function, properties in resources(stack, FUNCTION)
        for event in properties["Events"].values()
        if event["Type"] == "HttpApi" and named(event["Properties"]["ApiId"]) == name
    }
    assert routes == {
        "POST /webhooks/{platform}": "IngestFunction",
        "POST /webhooks/{platform}/{app}": "IngestFunction",
        "POST /agents/{agent}/ended": "ConnectFunction",
    }


def test_every_queue_has_one_consumer(stack: Template) -> None:
    """Each of the four queues feeds one function, and nothing else does; sweep has its minute."""
    functions = dict(resources(stack, FUNCTION))
    assert len(functions) == 6
    queues = {
        named(event["Properties"]["Queue"]): function
        for function, properties in functions.items()
        for event in properties["Events"].values()
        if event["Type"] == "SQS"
    }
    assert queues == CONSUMERS
    (every,) = (
        event["Properties"]
        for event in functions["SweepFunction"]["Events"].values()
        if event["Type"] == "Schedule"
    )
    assert every["Schedule"] == "rate(1 minute)"
    assert every["RetryPolicy"] == {"MaximumRetryAttempts": 0}


def test_what_cannot_be_handled_is_kept_aside(stack: Template) -> None:
    """Each queue has its own dead letters, for two weeks, after more tries than dispatch makes."""
    queues = dict(resources(stack, QUEUE))
    assert queues.keys() == {*CONSUMERS, *(f"{name}Dead" for name in CONSUMERS)}
    for name in CONSUMERS:
        redrive = queues[name]["RedrivePolicy"]
        assert named(redrive["deadLetterTargetArn"]) == f"{name}Dead"
        assert redrive["maxReceiveCount"] == dispatch.LAST_TRY + 3
        assert queues[f"{name}Dead"]["MessageRetentionPeriod"] == TWO_WEEKS
    assert queues["Mailbox"]["VisibilityTimeout"] == 60
    assert queues["Mailbox"]["MessageRetentionPeriod"] == TWO_WEEKS


def test_tables_outlive_mistakes(stack: Template) -> None:
    """Each table is paid by use, can be restored to any second, and refuses deletion if told."""
    for name, table in resources(stack, TABLE):
        assert table["BillingMode"] == "PAY_PER_REQUEST", name
        recovery = table["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": True}, name
        assert table["DeletionProtectionEnabled"] == {"Ref": "DeletionProtection"}, name
        assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}


def test_functions_are_as_they_were_tested(stack: Template) -> None:
    """Python and processor are those of the builds; ingest has the memory of its times."""
    common = stack["Globals"]["Function"]
    assert common["Runtime"] == f"python{(ROOT / '.python-version').read_text().strip()}"
    assert (common["Architectures"], common["MemorySize"]) == ([{"Ref": "Architecture"}], 512)
    assert stack["Parameters"]["Architecture"]["Default"] == "arm64"
    for _, function in resources(stack, FUNCTION):
        assert not {"Runtime", "Architectures", "MemorySize"} & function.keys()
    for _, layer in resources(stack, LAYER):
        assert layer["CompatibleArchitectures"] == [{"Ref": "Architecture"}]
        assert layer["CompatibleRuntimes"] == [common["Runtime"]]


def test_only_ingest_may_start_from_a_snapshot(stack: Template) -> None:
    """A snapshot is billed: none is made unless a parameter asks for it, and then of ingest."""
    assert stack["Parameters"]["SnapStart"]["Default"] == "None"
    for name, function in resources(stack, FUNCTION):
        asked = {"ApplyOn": {"Ref": "SnapStart"}} if name == "IngestFunction" else None
        assert function.get("SnapStart") == asked
        assert ("AutoPublishAlias" in function) is (asked is not None)


def test_loops_go_on_where_they_must(stack: Template) -> None:
    """Lambda stops no chain of functions through queues: each that takes from one is excepted."""
    excepted = {name for name, one in resources(stack, FUNCTION) if "RecursiveLoop" in one}
    assert excepted == set(CONSUMERS.values())


def test_every_log_forgets(stack: Template) -> None:
    """No log group of the stack keeps its lines longer than the parameter says."""
    groups = dict(resources(stack, GROUP))
    assert {"ApiLogs", "LongRunningLogs"} <= groups.keys()
    for name, group in groups.items():
        assert group["RetentionInDays"] == {"Ref": "LogDays"}, name


def test_there_is_a_secret_for_every_platform(stack: Template) -> None:
    """Each platform's default app, and an agent, get a secret where one is asked for."""
    names = {
        secret["Name"]["Fn::Sub"]: stack["Resources"][name]["Condition"]
        for name, secret in resources(stack, SECRET)
    }
    wanted = {
        f"threadline/${{Stage}}/{platform}/default"
        for platform in wiring.PLATFORMS
        if isinstance(wiring.platform(platform), ReceivesHttp | HoldsSocket)
        and platform != "playground"
    }
    assert names.keys() == wanted | {"threadline/${Stage}/agent/${Agent}"}
    assert len(set(names.values())) == len(names)
    assert not [secret for _, secret in resources(stack, SECRET) if "SecretString" in secret]


def test_a_budget_is_watched_where_somebody_is_told(stack: Template) -> None:
    """With an address the account's forecast is held against a limit; without one none is."""
    ((name, budget),) = resources(stack, "AWS::Budgets::Budget")
    assert stack["Resources"][name]["Condition"] == "HasBudget"
    assert budget["Budget"]["BudgetLimit"]["Amount"] == {"Ref": "MonthlyBudget"}
    (told,) = budget["NotificationsWithSubscribers"]
    assert told["Subscribers"] == [{"SubscriptionType": "EMAIL", "Address": {"Ref": "BudgetEmail"}}]


def test_bodies_and_files_end(stack: Template) -> None:
    """Whatever is put into the bucket is gone after two weeks, unfinished uploads after a day."""
    ((_, bucket),) = resources(stack, BUCKET)
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]
    assert (rule["Status"], rule["ExpirationInDays"]) == ("Enabled", TWO_WEEKS // 86_400)
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    assert not {"Prefix", "Filter", "TagFilters"} & rule.keys()


def test_one_task_at_most_holds_the_sockets(stack: Template) -> None:
    """It runs where an image is named: one, never two, told what the functions are, no way in."""
    ((_, service),) = resources(stack, "AWS::ECS::Service")
    rollout = service["DeploymentConfiguration"]
    assert (service["DesiredCount"], rollout["MaximumPercent"]) == (1, 100)
    assert rollout["MinimumHealthyPercent"] == 0
    assert rollout["DeploymentCircuitBreaker"] == {"Enable": True, "Rollback": True}
    assert service["AvailabilityZoneRebalancing"] == "DISABLED"
    assert not {"LoadBalancers", "ServiceRegistries", "EnableExecuteCommand"} & service.keys()
    ((_, group),) = resources(stack, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in group
    ((_, definition),) = resources(stack, "AWS::ECS::TaskDefinition")
    (container,) = definition["ContainerDefinitions"]
    assert container["StopTimeout"] > task.DRAINED_WITHIN
    told = {one["Name"]: one["Value"] for one in container["Environment"]}
    function = dict(environment(stack, "WatchFunction"))
    del function["AWS_ENDPOINT_URL"]  # an emulator's, which runs no tasks
    assert told == {**function, "THREADLINE_WATCH_HOST": {"Ref": "WatchHost"}}
    for name, resource in stack["Resources"].items():
        if name.startswith(("LongRunning", "TaskGone")):
            assert resource["Condition"] == "HasTask", name


def test_runs_are_followed_by_the_function_or_by_the_task(stack: Template) -> None:
    """WatchHost=task takes the hints from the function and gives the task what the function may."""
    (_, source, _), *_ = (one for one in sources(stack) if one[0] == "WatchFunction")
    assert source["Enabled"] == {"Fn::If": ["TaskFollows", False, True]}
    assert stack["Parameters"]["WatchHost"]["Default"] == "function"
    assert stack["Conditions"]["TaskFollows"] == {
        "Fn::And": [
            {"Fn::Condition": "HasTask"},
            {"Fn::Equals": [{"Ref": "WatchHost"}, "task"]},
        ]
    }
    may = permitted(statements(dict(resources(stack, FUNCTION))["WatchFunction"]))
    for_both, only_then = policies(stack)
    hints = {
        (f"sqs:{verb}Message{what}", "Runs.Arn")
        for verb, what in (("Receive", ""), ("Delete", ""), ("Change", "Visibility"))
    }
    finds = {("dynamodb:Query", "${ConversationsTable.Arn}/index/due")}
    assert permitted(only_then) - hints - may == finds
    assert may | hints <= permitted(only_then) | permitted(for_both)
    denied = [one for one in for_both if "Fn::If" in one]
    assert [one["Fn::If"][0] for one in denied] == ["TaskFollows"]
    assert denied[0]["Fn::If"][2]["Effect"] == "Deny"


def test_a_deployment_that_makes_no_sense_is_refused(stack: Template) -> None:
    """Following in a task that does not run, or a task without a place, is told before anything."""
    rules = stack["Rules"]
    assert {str(one["RuleCondition"]) for one in rules.values()} == {
        "{'Fn::Equals': [{'Ref': 'WatchHost'}, 'task']}",
        "{'Fn::Not': [{'Fn::Equals': [{'Ref': 'LongRunningImage'}, '']}]}",
    }
    for rule in rules.values():
        (assertion,) = rule["Assertions"]
        assert re.search(r"wants LongRunning\w+", assertion["AssertDescription"])


def policies(stack: Template) -> tuple[list[Any], list[Any]]:
    """Return the statements of the task's role: those it always has, and those for following."""
    role = dict(resources(stack, "AWS::IAM::Role"))["LongRunningRole"]
    always, following = role["Policies"]
    condition, then, otherwise = following["Fn::If"]
    assert (condition, otherwise) == ("TaskFollows", {"Ref": "AWS::NoValue"})
    return always["PolicyDocument"]["Statement"], then["PolicyDocument"]["Statement"]


def permitted(allowed: Any) -> set[tuple[str, str]]:
    """Return each action and what it is allowed on."""
    return {
        (action, str(next(iter(where.values()))))
        for statement in allowed
        if statement.get("Effect") == "Allow"
        for action in several(statement["Action"])
        for where in several(statement["Resource"])
    }
