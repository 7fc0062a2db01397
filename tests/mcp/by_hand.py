#!/usr/bin/env python3
"""Play a run through `forge mcp`, both roles of it, with nothing but the standard library: the teacher
publishes the curriculum of a file, the student submits one candidate a turn from the list.

usage: by_hand.py RUN CURRICULUM CANDIDATE..."""
import sys
import threading

from world import Server


class Player:
    """One role: a server, and what it says to each turn."""

    def __init__(self, run, role):
        self.server = Server(None, "--run", run, "--role", role)
        self.number = 0
        self.server.ask("hello", "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                                "clientInfo": {"name": "by hand", "version": "1"}}, era="legacy")
        self.server.reply("hello")

    def call(self, tool, arguments=None):
        self.number += 1
        self.server.ask(self.number, "tools/call", {"name": tool, "arguments": arguments or {}}, era="legacy")
        result = self.server.reply(self.number, 60)["result"]
        return result.get("structuredContent", {"text": result["content"][0]["text"]}), result["isError"]

    def turns(self):
        """Each turn that is to be answered, until the run has ended."""
        while True:
            told, _ = self.call("wait", {"max_s": 45})
            if told.get("state") == "ended":
                return
            if told.get("outcome") == "done":
                yield told


def teach(run, path):
    player = Player(run, "teacher")
    said = []
    for turn in player.turns():
        task, _ = player.call("task")
        refused, is_error = player.call("publish_curriculum", {"toml": 7})
        said.append(f"{turn['kind']} of {task['task']['name']}: {refused['text']}")
        told, is_error = player.call("publish_curriculum", {"path": path})
        said.append(f"published: {told['outcome']}, error {is_error}")
    said.append(f"exit {player.server.close()}")
    return said


def study(run, candidates):
    player = Player(run, "student")
    said = []
    for turn in player.turns():
        if turn.get("last"):
            said.append(f"verdict of round {turn['last']['round']}: {turn['last']['outcome']}")
        asked, _ = player.call("decision")
        built, _ = player.call("build", {"source": candidates[0]})
        told, is_error = player.call("submit", {"source": candidates.pop(0)})
        said.append(f"{asked['row']['id']}: build {built['outcome']}, submit {told['outcome']}, error {is_error}")
    feedback = player.server
    feedback.ask("r", "resources/read", {"uri": "forge://report"}, era="legacy")
    said.append(feedback.reply("r")["result"]["contents"][0]["text"].splitlines()[0])
    said.append(f"exit {player.server.close()}")
    return said


def main():
    run, path, *candidates = sys.argv[1:]
    said = {}
    plays = {"teacher": lambda: teach(run, path), "student": lambda: study(run, candidates)}
    threads = [threading.Thread(target=lambda role=role: said.update({role: plays[role]()})) for role in plays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for role in plays:
        for line in said.get(role, ["it failed"]):
            print(f"{role}: {line}")


if __name__ == "__main__":
    main()
