"""What a client of either major of the Python SDK does with `forge mcp`: list and call every tool,
then play the student until the run ends. `call` is an async function (tool, arguments) -> (dict or
None, is_error, text)."""
import json
import sys
import tempfile

import world

ARGUMENTS = {"knowledge_search": {"query": "bytes"}, "knowledge_read": {"id": "count-bytes"}, "wait": {"max_s": 0},
             "handback": {"reason": "to try it"}, "give_up": {"reason": "to try it"},
             "propose_lesson": {"lesson": "+++", "probe": "int x;"}, "run": {"shape": "small"}, "ablate": {"decision": "D0.1", "how": "drop"},
             "publish_curriculum": {"toml": "version = 1\n"}}
WITH_SOURCE = {"build", "submit", "probe", "submit_judge"}
STUDENT = {"decision", "contract", "build", "submit", "wait", "knowledge_search", "knowledge_read", "handback",
           "give_up"}
TEACHER = {"task", "reference_facts", "digest", "run", "time", "profile", "disassemble", "probe", "ablate",
           "propose_lesson", "publish_curriculum", "submit_judge", "wait", "give_up", "knowledge_search", "knowledge_read"}


def arguments_of(tool, source):
    return {"source": source} if tool in WITH_SOURCE else ARGUMENTS.get(tool, {})


async def call_every_tool(names, call, source):
    for name in names:
        told, is_error, text = await call(name, arguments_of(name, source))
        assert text, f"{name}: no text"
        if told is not None:
            assert json.loads(text) == told, f"{name}: text and structured content differ"
        print(f"# {name}: {'error' if is_error else told.get('outcome')}")
    told, is_error, text = await call("give_up", {"reason": 5})
    assert is_error and '"reason"' in text, f"a wrong argument is not named: {text}"


async def play_student(call, source, max_rounds=50):
    """Rounds played until the run ended."""
    rounds = 0
    while rounds < max_rounds:
        told, is_error, text = await call("wait", {"max_s": 45})
        assert not is_error, text
        if told.get("state") == "ended":
            return rounds
        if told.get("outcome") == "running":
            continue
        told, is_error, text = await call("decision", {})
        assert not is_error, text
        rounds += 1
        text = source(rounds, told)
        told, is_error, said = await call("build", {"source": text})
        assert not is_error and told["outcome"] == "done", said
        told, is_error, text = await call("submit", {"source": text})
        assert not is_error and told["outcome"] == "accepted", text
    raise AssertionError(f"the run did not end in {max_rounds} rounds")


def marked_source(number, _):
    """A candidate for the worker that measures nothing (tests/fake/fake-worker)."""
    return f"FAKE speedup={1 + number}"


def try_role(try_mailbox, role, kind, run, mode):
    with tempfile.TemporaryDirectory() as folder:
        mailbox = world.Mailbox(f"{folder}/{role}", role, kind)
        mailbox.accepts = False  # so that one turn serves for all tools
        mailbox.start()
        try:
            return run(try_mailbox(["--mailbox", str(mailbox.path)], *mode))
        finally:
            mailbox.stop()


def main(try_mailbox, play_run, run, modes):
    if sys.argv[1:2] == ["--run"]:
        rounds = run(play_run(sys.argv[2]))
        print(f"# the run ended after {rounds} rounds")
        return rounds < 1
    for mode in modes:
        assert set(try_role(try_mailbox, "student", "round", run, mode)) == STUDENT
        names = set(try_role(try_mailbox, "teacher", "revision", run, mode))
        assert TEACHER == names, names
        print(f"# {len(STUDENT) + len(names)} tools {' '.join(mode)}")
    return 0
