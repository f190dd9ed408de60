import { writeFileSync } from "node:fs";
import type { Haft } from "haft";
import { expect, it } from "vitest";
import { readServer } from "../../../src/mcp/client/read-server.ts";
import { lockServer } from "../../../src/mcp/lock/lock-server.ts";
import { writeLock } from "../../../src/mcp/lock/write-lock.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { approve, at, config, greet, inOwnFolder, openWith, put, say } from "./locked-scene.ts";

inOwnFolder();

const open = (servers?: Record<string, ReturnType<typeof config>>) => openWith(at("haft.lock"), servers);
const offered = (of: Haft) =>
  of
    .offer()
    .offer.specs.map(({ name }) => name)
    .filter((name) => name !== "read_result");
const held = (of: Haft) => of.mcp.list().flatMap(({ quarantined }) => quarantined);

it("a tool that matches its review is offered and called", async () => {
  say(greet);
  approve(greet);
  const opened = await open();
  expect(offered(opened)).toEqual(["people__greet"]);
  expect(await opened.call("people/greet", { name: "Bo" })).toBe('greet {"name":"Bo"}');
});

it("a changed default quarantines a tool until the change is approved", async () => {
  say(greet);
  approve(greet);
  const opened = await open();
  const changed = {
    ...greet,
    inputSchema: { type: "object", properties: { name: { type: "string", default: "Mallory" } } },
  };
  say(changed);
  await waitFor(() => expect(held(opened)).toHaveLength(1));
  expect(offered(opened)).toEqual([]);
  expect(held(opened)[0]?.reason).toContain("/inputSchema/properties/name/default");
  await expect(opened.call("people/greet", { name: "Bo" })).rejects.toMatchObject({
    name: "DefinitionChangedError",
    code: "definition_changed",
  });
  approve(changed);
  await waitFor(() => expect(offered(opened)).toEqual(["people__greet"]));
  expect(await opened.call("people/greet", { name: "Bo" })).toBe('greet {"name":"Bo"}');
});

it("a definition that changes while the process runs is quarantined without a lock", async () => {
  say(greet);
  const opened = await open();
  expect(offered(opened)).toEqual(["people__greet"]);
  say({ ...greet, description: "Greets a person by name, and more" });
  await waitFor(() => expect(held(opened)).toHaveLength(1));
  await expect(opened.call("people/greet", {})).rejects.toMatchObject({ code: "definition_changed" });
});

it("a renamed tool is quarantined with its old name", async () => {
  approve(greet);
  say({ ...greet, name: "greet_all" });
  const opened = await open();
  expect(offered(opened)).toEqual([]);
  expect(held(opened)[0]?.reason).toContain("renamed from greet");
});

it("a lookalike of a reviewed tool at another server is quarantined", async () => {
  approve(greet);
  say(greet);
  writeFileSync(at("twin.json"), JSON.stringify([greet]));
  const lookalike = { command: process.execPath, args: [config().args[0]!, at("twin.json")] };
  const lock = {
    lockVersion: 1 as const,
    servers: {
      people: lockServer(readServer("people", config()), undefined, [greet]),
      lookalike: lockServer(readServer("twin", lookalike), undefined, []),
    },
  };
  put("haft.lock", writeLock(lock));
  const opened = await open({ people: config(), lookalike });
  expect(offered(opened)).toEqual(["people__greet"]);
  expect(held(opened)[0]?.reason).toContain("imitates people/greet");
});

it("a description with tag characters is quarantined without a lock", async () => {
  say({ ...greet, description: `Greets a person${String.fromCodePoint(0xe0041, 0xe0042)}` });
  const opened = await open();
  expect(offered(opened)).toEqual([]);
  expect(held(opened)[0]?.reason).toContain("U+E0041");
});

it("a corrupt lock starts no server, and the reason names the lock", async () => {
  say(greet);
  put("haft.lock", '{ "lockVersion": 1, "servers": { ');
  const opened = await open();
  expect(offered(opened)).toEqual([]);
  const [state] = opened.mcp.list();
  expect(state?.status).not.toBe("connected");
  expect(state?.reason).toContain("haft.lock");
});

it("a command that was not reviewed is not started", async () => {
  say(greet);
  approve(greet);
  const opened = await open({ people: config("--verbose") });
  expect(offered(opened)).toEqual([]);
  expect(opened.mcp.list()[0]?.reason).toContain("--verbose");
});

it("a rejected server is started after the lock allows it", async () => {
  say(greet);
  put("haft.lock", writeLock({ lockVersion: 1, servers: {} }));
  const opened = await open();
  expect(offered(opened)).toEqual([]);
  approve(greet);
  await waitFor(() => expect(offered(opened)).toEqual(["people__greet"]));
});
