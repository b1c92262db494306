"""Files into the agent's folder, and out of it."""

from dataclasses import replace

import pytest

from tests.flows import Script
from tests.stubs.deerflow_files import form
from tests.unit.agents.deerflow.asking import (
    ACCESS,
    AGENT,
    OWNER,
    PERSONAL,
    THREAD,
    URL,
    ok,
    refused,
)
from threadline.core.agent import AgentAccess, Artifact, StoredFile
from threadline.core.errors import AgentRejected, AgentUnavailable
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, Lost

FILE = StoredFile("note.txt", "text/plain", BlobRef("files/t/00", 12), link="https://blobs/x")
PATH = "/mnt/user-data/uploads/note-1.txt"
TAKEN = ok({"success": True, "files": [{"filename": "note-1.txt", "virtual_path": PATH}]})


def attach(
    file: StoredFile, *answers: HttpResponse | Lost, access: AgentAccess = ACCESS
) -> tuple[StoredFile, list[HttpRequest]]:
    """Hand a file to the agent."""
    script = Script(answers)
    return script.run(AGENT.attach(THREAD, file, OWNER, access)), script.requests


def sent(call: HttpRequest) -> tuple[str, str, bytes]:
    """Read the form as a server does; the blob stands in it as its name."""
    assert isinstance(call.body, Joined)
    assert call.body.size == sum(
        part.size if isinstance(part, BlobRef) else len(part) for part in call.body.parts
    )
    body = b"".join(
        part.name.encode() if isinstance(part, BlobRef) else part for part in call.body.parts
    )
    (part,) = form(call.headers["content-type"], body)
    return part


def test_a_file_is_uploaded_as_a_form() -> None:
    """Its bytes go as they are stored, and its place in the agent's folder comes back."""
    stored, (call,) = attach(FILE, TAKEN)
    assert call.url == f"{URL}/api/threads/{THREAD}/uploads"
    field, name, content = sent(call)
    assert (field, content) == ("files", b"files/t/00")
    assert name.startswith("note-")
    assert name.endswith(".txt")
    assert stored == replace(FILE, link=PATH)


def test_an_image_becomes_a_file_of_the_agents() -> None:
    """It is looked at by the agent itself, where its model can see."""
    stored, _ = attach(replace(FILE, image=True), TAKEN)
    assert not stored.image


def test_names_that_are_alike_stay_apart() -> None:
    """An upload of the same name replaces the other: every file has a name of its own."""
    names = [
        sent(attach(replace(FILE, blob=BlobRef(f"files/t/0{number}", 1)), TAKEN)[1][0])[1]
        for number in range(3)
    ]
    assert len(set(names)) == 3
    again = sent(attach(FILE, TAKEN)[1][0])[1]
    assert again == names[0]


@pytest.mark.parametrize(
    ("name", "begins", "ends"),
    [
        ("", "file-", ""),
        ("..", "file-", ""),
        ("../../etc/passwd", "passwd-", ""),
        ("C:\\x\\report.pdf", "report-", ".pdf"),
        ('a"b\r\nX-Evil: 1.txt', "abX-Evil: 1-", ".txt"),
        ("<memory>.md", "memory-", ".md"),
        ("报告.pdf", "报告-", ".pdf"),
        (".env", "env-", ""),
        ("x" * 400 + ".tar", "xxx", ".tar"),
        ("报" * 200 + "." + "z" * 300, "报报", "." + "z" * 20),
        ("bad\ud800.txt", "bad", ".txt"),
    ],
)
def test_a_name_stays_a_name(name: str, begins: str, ends: str) -> None:
    """No name leaves its folder, its quotes or its line, or is longer than a name may be."""
    _, uploaded, _ = sent(attach(replace(FILE, name=name), TAKEN)[1][0])
    assert uploaded.startswith(begins)
    assert uploaded.endswith(ends)
    assert len(uploaded.encode()) <= 255
    assert not set(uploaded) & set('"\\/<>\r\n')


def test_a_personal_token_uploads_nothing() -> None:
    """It may not: the file stays with us, and its link goes into the text."""
    assert attach(FILE, access=PERSONAL) == (FILE, [])


def test_what_could_not_be_had_is_not_uploaded() -> None:
    """A file with a problem has no content."""
    broken = replace(FILE, problem="too large")
    assert attach(broken) == (broken, [])


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (refused(413, "File too large: big.bin"), AgentRejected, "File too large"),
        (ok({"success": True, "files": [], "skipped_files": ["x"]}), AgentRejected, "did not take"),
        (ok({"files": [{"virtual_path": "/etc/passwd"}]}), AgentRejected, "did not take"),
        (Lost("refused", sent=False), AgentUnavailable, "refused"),
    ],
)
def test_a_file_that_is_not_taken_says_why(
    answer: HttpResponse | Lost, error: type[Exception], told: str
) -> None:
    """The reason reaches the person: the turn goes on without the file."""
    with pytest.raises(error, match=told):
        attach(FILE, answer)


def test_an_artifact_is_read_from_the_thread() -> None:
    """What the agent made is a call to its own API, with our token."""
    artifact = Artifact("/mnt/user-data/outputs/my report.md", "my report.md")
    call = AGENT.download(THREAD, artifact, OWNER, ACCESS)
    assert call is not None
    place = "artifacts/mnt/user-data/outputs/my%20report.md"
    assert call.url == f"{URL}/api/threads/{THREAD}/{place}"
    assert call.headers["x-deerflow-internal-token"]
    assert call.repeatable


@pytest.mark.parametrize(
    "path",
    [
        "/mnt/user-data/uploads/a.txt",
        "/mnt/user-data/outputs/../uploads/a.txt",
        "/etc/passwd",
        "outputs/a.txt",
        "",
    ],
)
def test_nothing_else_is_fetched(path: str) -> None:
    """A path outside the outputs is the agent's own, whatever it presents."""
    assert AGENT.download(THREAD, Artifact(path, "a"), OWNER, ACCESS) is None


def test_a_personal_token_downloads_nothing() -> None:
    """It may not, so that nothing is tried."""
    artifact = Artifact("/mnt/user-data/outputs/a.txt", "a.txt")
    assert AGENT.download(THREAD, artifact, OWNER, PERSONAL) is None
