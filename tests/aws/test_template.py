import ast
import os
import re
import subprocess
from typing import Any

import pytest

from setup import template
from setup.template import FUNCTION, Template, load, read, resources
from tests.aws import tables
from tests.aws.template_rules import RULES, Rule
from tests.peers import ROOT, path_of
from threadline import wiring
from threadline.app import invocation
from threadline.backends.aws import names
from threadline.core.platform import ReceivesHttp

PACKAGE = ROOT / "layers" / "threadline" / "threadline"
BAD = """
Resources:
  Wild:
    Type: AWS::SQS::Queue
    Properties: {FifoQueue: true, ContentBasedDeduplication: true, VisibilityTimeout: 30,
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Plain.Arn}}
  Plain:
    Type: AWS::SQS::Queue
  NowhereFunction:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: 120
      Policies:
        - Statement: [{Effect: Allow, Action: [sqs:SendMessage, "s3:*"], Resource: "*"}]
      Events:
        Mail:
          Type: SQS
          Properties:
            Queue: !GetAtt Wild.Arn
            BatchSize: 100
            MaximumBatchingWindowInSeconds: 5
            ScalingConfig: {MaximumConcurrency: 1}
"""
FAULTS = {
    "batches_fit": 2,
    "partial_failures_are_reported": 1,
    "concurrency_is_possible": 1,
    "messages_stay_hidden": 1,
    "loops_are_allowed": 1,
    "fifo_queues_are_fast": 4,
    "handlers_are_there": 2,
    "logs_end": 2,
    "grants_are_narrow": 1,
}


@pytest.fixture(scope="module")
def stack() -> Template:
    """Give the stack's template."""
    return load()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_stack_keeps_the_rule(rule: Rule, stack: Template) -> None:
    """What cfn-lint does not see holds of the stack, and the rule finds it where it does not."""
    assert list(rule(stack)) == []
    assert len(list(rule(read(BAD)))) == FAULTS[rule.__name__]


@pytest.mark.sam
def test_the_template_is_valid() -> None:
    """SAM and cfn-lint find nothing."""
    done = subprocess.run(
        [path_of("sam"), "validate", "--lint"],
        cwd=ROOT,
        env={**os.environ, "SAM_CLI_TELEMETRY": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_what_watch_takes_stays_hidden_like_what_it_is_handed(stack: Template) -> None:
    """A hint that an invocation takes itself does not come again while the invocation lasts."""
    queue = dict(resources(stack, template.QUEUE))["Runs"]
    assert queue["VisibilityTimeout"] == invocation.HIDDEN
    assert dict(resources(stack, FUNCTION))["WatchFunction"]["Timeout"] < invocation.HIDDEN


def test_the_functions_are_told_what_they_read(stack: Template) -> None:
    """Each name that the code reads from its environment is set, and none that nobody reads."""
    wanted = {
        node.value
        for folder in ("backends/aws", "backends/light", "")
        for path in (PACKAGE / folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(r"THREADLINE_\w+|AWS_ENDPOINT_URL", node.value)
    }
    for function, _ in resources(stack, FUNCTION):
        assert set(template.environment(stack, function)) == wanted


def test_tables_are_as_the_store_is_tested_with(stack: Template) -> None:
    """A table of the stack has the keys and the expiry of those that the contract suite runs on."""
    for name, table in resources(stack, "AWS::DynamoDB::Table"):
        tested = tables.definition(name.removesuffix("Table").lower(), "x")
        assert table["KeySchema"] == tested["KeySchema"]
        assert table["AttributeDefinitions"] == tested["AttributeDefinitions"]
        assert table.get("GlobalSecondaryIndexes") == tested.get("GlobalSecondaryIndexes")
        assert table["TimeToLiveSpecification"]["AttributeName"] == "expires_at"
        assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]


def test_queues_are_as_the_store_is_tested_with(stack: Template) -> None:
    """The mailbox has the attributes of the queue that the contract suite runs on."""
    mailbox = dict(resources(stack, template.QUEUE))["Mailbox"]
    for name, value in tables.FIFO.items():
        assert str(mailbox[name]).lower() == value.lower()


def test_bodies_are_private(stack: Template) -> None:
    """The bucket is closed to the public and to plain HTTP, and forgets."""
    ((name, bucket),) = resources(stack, "AWS::S3::Bucket")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert all("ExpirationInDays" in rule for rule in bucket["LifecycleConfiguration"]["Rules"])
    ((_, policy),) = resources(stack, "AWS::S3::BucketPolicy")
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert template.named(policy["Bucket"]) == name
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_access_logs_hold_no_query(stack: Template) -> None:
    """Where a platform's secret may stand in the query string it is not logged."""
    ((_, api),) = resources(stack, "AWS::Serverless::HttpApi")
    logged: Any = api["AccessLogSettings"]["Format"]
    assert "$context.routeKey" in logged
    assert not re.search(r"\$context\.(path|requestPath|http\.|protocol|authorizer)", logged)


def test_outputs_name_what_an_operator_needs(stack: Template) -> None:
    """The address of every webhook, and every resource that the command line works on."""
    outputs = stack["Outputs"]
    assert names.OUTPUTS.keys() <= outputs.keys()
    assert names.PUBLIC_URL in outputs
    addresses = {str(one["Value"].get("Fn::Sub", "")) for one in outputs.values()}
    for platform in wiring.PLATFORMS:
        codec = wiring.platform(platform)
        if isinstance(codec, ReceivesHttp) and platform != "playground":
            assert any(one.endswith(f"/webhooks/{platform}") for one in addresses), platform


def test_the_guide_names_every_parameter(stack: Template) -> None:
    """docs/deploy.md tells what each parameter does, and tells of no other."""
    guide = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    table = guide.split("| Parameter |")[1].split("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == set(stack["Parameters"])


def test_ingest_loads_no_layer_of_others(stack: Template) -> None:
    """Ingest has our layer alone; every other function has both."""
    for name, function in resources(stack, FUNCTION):
        layers = {template.named(layer) for layer in function["Layers"]}
        others = set() if name == "IngestFunction" else {"VendorLayer"}
        assert layers == {"ThreadlineLayer", *others}


def test_nothing_of_the_account_is_reserved(stack: Template) -> None:
    """A new account has ten invocations at once: none is set aside, so that the deploy succeeds."""
    for _, function in resources(stack, FUNCTION):
        assert "ReservedConcurrentExecutions" not in function
        assert "ProvisionedConcurrencyConfig" not in function


def test_everything_at_rest_takes_the_operators_key(stack: Template) -> None:
    """Tables, queues, bodies and secrets are encrypted, with a key of the operator's if any."""
    kinds = {
        "AWS::DynamoDB::Table": "SSESpecification",
        template.QUEUE: "KmsMasterKeyId",
        "AWS::S3::Bucket": "BucketEncryption",
        "AWS::SecretsManager::Secret": "KmsKeyId",
    }
    for kind, name in kinds.items():
        for logical, resource in resources(stack, kind):
            assert "HasKey" in str(resource[name]), logical
