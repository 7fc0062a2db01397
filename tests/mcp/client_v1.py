#!/usr/bin/env python3
"""The Python SDK before 2 (`mcp<2`) as a client of `forge mcp`. Without --run: lists and calls every
tool of both roles against a mailbox of the test's own. With --run DIR: plays its student."""
import asyncio
import contextlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

import play
import world


@contextlib.asynccontextmanager
async def connect(args):
    async with stdio_client(StdioServerParameters(command=world.FORGE, args=["mcp", *args])) as streams:
        async with ClientSession(*streams) as session:
            begun = await session.initialize()
            assert begun.protocolVersion == "2025-11-25", begun.protocolVersion
            assert begun.serverInfo.name == "forge" and begun.instructions

            async def call(tool, arguments):
                told = await session.call_tool(tool, arguments)
                return told.structuredContent, bool(told.isError), told.content[0].text

            yield session, call


async def tools_of(session):
    return [tool.name for tool in (await session.list_tools()).tools]


async def try_mailbox(args):
    async with connect(args) as (session, call):
        await session.send_ping()
        names = await tools_of(session)
        await play.call_every_tool(names, call, world.SOURCE)
        resources = (await session.list_resources()).resources
        for resource in resources:
            read = await session.read_resource(resource.uri)
            assert read.contents[0].text, resource.uri
        assert "forge://turn" in {str(r.uri) for r in resources}
        return names


async def play_run(run):
    async with connect(["--run", run, "--role", "student"]) as (session, call):
        return await play.play_student(call, play.marked_source)


if __name__ == "__main__":
    sys.exit(play.main(try_mailbox, play_run, asyncio.run, modes=[[]]))
