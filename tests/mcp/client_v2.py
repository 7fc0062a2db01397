#!/usr/bin/env python3
"""The Python SDK from 2 on (`mcp>=2`) as a client of `forge mcp`, in both of its ways: without a
handshake (mode auto) and with one (mode legacy). Without --run: lists and calls every tool of both
roles against a mailbox of the test's own. With --run DIR: plays its student."""
import asyncio
import contextlib
import sys

from mcp import Client, StdioServerParameters, stdio_client

import play
import world

VERSION = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@contextlib.asynccontextmanager
async def connect(args, mode):
    server = StdioServerParameters(command=world.FORGE, args=["mcp", *args])
    async with Client(stdio_client(server), mode=mode) as client:
        assert client.protocol_version == VERSION[mode], client.protocol_version

        async def call(tool, arguments):
            told = await client.call_tool(tool, arguments)
            return told.structured_content, bool(told.is_error), told.content[0].text

        yield client, call


async def try_mailbox(args, mode):
    async with connect(args, mode) as (client, call):
        names = [tool.name for tool in (await client.list_tools()).tools]
        await play.call_every_tool(names, call, world.SOURCE)
        resources = (await client.list_resources()).resources
        for resource in resources:
            read = await client.read_resource(resource.uri)
            assert read.contents[0].text, resource.uri
        assert "forge://turn" in {str(r.uri) for r in resources}
        return names


async def play_run(run):
    async with connect(["--run", run, "--role", "student"], "auto") as (_, call):
        return await play.play_student(call, play.marked_source)


if __name__ == "__main__":
    sys.exit(play.main(try_mailbox, play_run, asyncio.run, modes=[["auto"], ["legacy"]]))
