#!/usr/bin/env python3
"""An independent computation of what a run cost, in decimal arithmetic, beside forge's own.

  prices.py make SEED STUDENT.jsonl OWN.tsv   recorded turns with random usage, and a price table
  prices.py check STUDENT.jsonl SHIPPED.tsv OWN.tsv < status.json
"""
import json
import random
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal

KINDS = ["input", "cache_read", "cache_write_5m", "cache_write_1h", "output"]
NAMES = ["claude-opus-5-5", "anthropic/claude-sonnet-5-5-20260901", "claude-haiku-5-5", "gpt-6-luna",
         "openai/gpt-5.5-2026-04-23", "gpt-6-sol", "nobody/knows-this", "house-model-7b", "claude-sonnet-50"]
SOURCES = ["FAKE speedup=2", "FAKE reason=wrong_value", "FAKE speedup=3", "FAKE speedup=0.5"]


def draw_usage(rng):
    usage = {"requests": 1, "model": rng.choice(NAMES)}
    big = rng.random() < 0.3
    for kind in KINDS:
        if kind in ("input", "output") or rng.random() < 0.6:
            usage[kind] = rng.randrange(300000 if big else 9000)
    if usage["model"] == "house-model-7b":
        usage["provider"] = "house"
    if rng.random() < 0.15:
        usage["requests"] = 3
    if rng.random() < 0.2:
        usage["usd"] = rng.randrange(2000) / 1000
    return usage


def make(seed, student, own):
    rng = random.Random(int(seed))
    with open(own, "w", encoding="utf-8") as out:
        out.write("# date: 2026-11-29\n0000-00-00\thouse\t*\t0\t0\t0\t0\t0\t0\n"
                  "0000-00-00\tanthropic\tclaude-opus-5-5\t0\t40\t2\t50\t80\t-\n"
                  "2020-01-01\tanthropic\tclaude-opus-5-5\t0\t41.5\t2\t50\t80\t-\n"
                  "9999-01-01\tanthropic\tclaude-opus-5-5\t0\t1\t1\t1\t1\t1\n")
    with open(student, "w", encoding="utf-8") as out:
        for source in SOURCES:
            lines = [{"type": "usage", **draw_usage(rng)} for _ in range(rng.randrange(5, 15))]
            lines += [{"type": "submit", "source": source}, {"type": "done", "usage": draw_usage(rng)}]
            out.write(json.dumps({"lines": lines}) + "\n")


def read_table(path):
    rows = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.rstrip("\n").split("\t")
        rows.append({"from": cells[0], "provider": cells[1], "prefix": cells[2], "least": int(cells[3]),
                     "usd": [None if c == "-" else Decimal(c) for c in cells[4:]]})
    return rows


def rows_of_model(table, provider, model):
    fits = []
    for row in table:
        if provider and row["provider"] != provider:
            continue
        rest = model[len(row["prefix"]):]
        if row["prefix"] == "*" and provider:
            fits.append((0, row))
        elif model.startswith(row["prefix"]) and not re.match("[A-Za-z0-9]", rest):
            fits.append((len(row["prefix"]), row))
    if not fits:
        return []
    longest = max(length for length, _ in fits)
    found = [row for length, row in fits if length == longest]
    return found if len({row["provider"] for row in found}) == 1 else []


def price(usage, tables, today):
    """(dollars, basis)"""
    if "usd" in usage:
        return Decimal(str(usage["usd"])), "reported"
    name = usage["model"]
    provider = usage.get("provider") or (name.split("/")[0] if "/" in name else None)
    model = re.sub(r"(-\d{8}|-\d{4}-\d\d-\d\d|@\d{8})$", "", name.split("/")[-1])
    found = []
    for table in tables:
        found = found or rows_of_model(table, provider, model)
    prompt = sum(usage.get(kind, 0) for kind in KINDS[:4])
    tiers = {}
    for row in sorted(found, key=lambda r: r["from"]):
        if row["from"] <= today and row["least"] <= prompt:
            tiers[row["least"]] = row["usd"]
    if not tiers:
        return Decimal(0), "unknown"
    doubtful = usage["requests"] != 1 and len(tiers) > 1
    held = list(tiers.values()) if doubtful else [tiers[max(tiers)]]
    total, basis = Decimal(0), "partial" if doubtful else "table"
    for place, kind in enumerate(KINDS):
        prices = [row[place] for row in held]
        if None in prices:
            basis = "partial" if usage.get(kind, 0) else basis
        else:
            total += max(prices) * usage.get(kind, 0) / Decimal(1000000)
    return total, basis


def sum_basis(bases):
    if len(bases) == 1:
        return bases.pop()
    return "partial" if bases & {"unknown", "partial"} else "table"


def check(student, shipped, own):
    status = json.load(sys.stdin)
    tables = [read_table(own), read_table(shipped)]
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    rounds = [row for row in status["costs"] if row["milestone"].startswith("M")]
    total, bases, counts, nr = Decimal(0), set(), dict.fromkeys(KINDS + ["requests", "tokens"], 0), 0
    for line in open(student, encoding="utf-8"):
        for item in json.loads(line)["lines"]:
            usage = item.get("usage") if item["type"] == "done" else item if item["type"] == "usage" else None
            if not usage:
                continue
            usd, basis = price(usage, tables, today)
            total, nr = total + usd, nr + 1
            bases.add(basis)
            counts["requests"] += usage["requests"]
            for kind in KINDS:
                counts[kind] += usage.get(kind, 0)
                counts["tokens"] += usage.get(kind, 0)
    used = status["agents"]["student"]["usage"]
    wrong = [key for key, value in counts.items() if used[key] != value]
    if abs(Decimal(repr(used["usd"])) - total) > Decimal("1e-9") * max(total, 1):
        wrong.append(f"usd: {used['usd']} is not {total}")
    if used["basis"] != sum_basis(bases):
        wrong.append(f"basis: {used['basis']} is not {sum_basis(bases)}")
    if abs(sum(Decimal(repr(row["usd"])) for row in rounds) - total) > Decimal("1e-9") * max(total, 1):
        wrong.append("the milestones do not sum up to the role")
    print("wrong: " + ", ".join(wrong) if wrong else "counts, dollars and basis agree")
    print(f"{nr} records, {len(bases)} bases", file=sys.stderr)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
