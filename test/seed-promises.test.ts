import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import { agent, Haft, hydrate, pickTools, Tool, type ToolExecutionError, tool, workspace } from "haft";
import { getTool, listTools, registerTool, runtimeLayer, unregisterTool } from "haft/effect";
import { scriptedModel } from "haft/testing";
import { afterEach, describe, expect, it } from "vitest";
import { waitFor } from "./kit/wait-for.ts";

const principal = { agent: "clerk", allow: ["*"] };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/mcp` };
};

const bodyOf = async (request: IncomingMessage): Promise<{ id?: number; method: string; params?: never }> => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text || "{}");
};

const nothing = { type: "object", properties: {} } as const;
const echo = tool({
  name: "echo",
  description: "Echoes",
  input: { type: "object", properties: { text: { type: "string" } } } as const,
  run: ({ text }) => text,
});

describe("an MCP server that cannot be connected to", () => {
  it("fails with its name, its transport and the time limit if it does not answer", async () => {
    const { host, url } = await serve(() => {});
    await using haft = await Haft.open({ principal, httpEgress: { allow: [host] } });
    const error = await haft.mcp
      .connect({ id: "slow", transport: "http", url, connectTimeoutMs: 50 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "MCPConnectionError",
      code: "mcp_unreachable",
      serverName: "slow",
      transport: "http",
      failure: { ran: false, timeoutMs: 50 },
    });
  });

  it("fails with its name and its transport if it answers 401", async () => {
    const { host, url } = await serve((_, response) => response.writeHead(401).end());
    await using haft = await Haft.open({ principal, httpEgress: { allow: [host] } });
    const error = await haft.mcp
      .connect({ id: "locked", transport: "http", url })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ serverName: "locked", transport: "http" });
  });
});

it("config.mcp.protocolVersion is offered first", async () => {
  const offered: unknown[] = [];
  const { host, url } = await serve(async (request, response) => {
    const { id, method, params } = await bodyOf(request);
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" });
    const reply = (more: object) => response.end(JSON.stringify({ jsonrpc: "2.0", id, ...more }));
    if (method === "initialize") {
      const { protocolVersion } = params as unknown as { readonly protocolVersion: string };
      offered.push(protocolVersion);
      const serverInfo = { name: "old", version: "1" };
      return void reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    if (method === "tools/list") return void reply({ result: { tools: [] } });
    reply({ error: { code: -32601, message: "unknown" } });
  });
  await using haft = await Haft.open({
    principal,
    httpEgress: { allow: [host] },
    config: { mcp: { protocolVersion: "2024-11-05" } },
  });
  await haft.mcp.connect({ id: "old", transport: "http", url });
  expect(offered).toEqual(["2024-11-05"]);
});

it("an error of a tool's code has the arguments but does not print them", async () => {
  const fails = tool({
    name: "fails",
    description: "Fails",
    input: { type: "object", properties: { order: { type: "string" } } } as const,
    run: async () => {
      throw new Error("out of stock");
    },
  });
  await using haft = await Haft.open({ tools: [fails], principal });
  const error = (await haft
    .call("fails", { order: "4711" })
    .catch((thrown: unknown) => thrown)) as ToolExecutionError;
  expect(error.name).toBe("ToolExecutionError");
  expect(error.input).toEqual({ order: "4711" });
  expect(JSON.stringify(error)).not.toContain("4711");
});

describe("an internal tool that a project overrides", () => {
  const internal = tool({ name: "search", description: "Searches", input: nothing, run: () => "internal" });
  const own = tool({ name: "search", description: "Searches", input: nothing, run: () => "project" });
  const project = workspace().toolbox("shop").add(own).build();

  it("is called by the name in the warning", async () => {
    await using haft = await Haft.open({ tools: [internal], project, principal });
    expect(await haft.call("search", {})).toBe("project");
    expect(await haft.call("shop/search", {})).toBe("project");
    expect(await haft.call("internal/search", {})).toBe("internal");
    expect(haft.get("internal/search")?.description).toBe("Searches");
  });

  it("requires the right to its own name", async () => {
    await using haft = await Haft.open({
      tools: [internal],
      project,
      principal: { agent: "a", allow: ["shop/*"] },
    });
    await expect(haft.call("internal/search", {})).rejects.toMatchObject({
      name: "ToolAuthorizationError",
    });
  });
});

describe("the operations of the registry in the Effect API", () => {
  const layer = runtimeLayer({ tools: [echo], principal });

  it("find, list, register and remove tools", async () => {
    const story = Effect.gen(function* () {
      const added = yield* registerTool(echo.withName("second"));
      const keys = (yield* listTools()).map(({ key }) => key);
      const removed = yield* unregisterTool("second");
      return [added.key, (yield* getTool("echo")).key, keys, removed.key];
    });
    expect(await Effect.runPromise(Effect.provide(story, layer))).toEqual([
      "second",
      "echo",
      ["echo", "second"],
      "second",
    ]);
  });

  it("fail with tagged errors", async () => {
    const story = Effect.gen(function* () {
      const removed = yield* Effect.flip(unregisterTool("ecko"));
      const added = yield* Effect.flip(registerTool(echo));
      return [removed._tag, added._tag];
    });
    expect(await Effect.runPromise(Effect.provide(story, layer))).toEqual([
      "ToolNotFoundError",
      "ToolRegistrationError",
    ]);
  });

  it("name the tool that was probably meant", async () => {
    const error = await Effect.runPromise(Effect.flip(Effect.provide(getTool("ecko"), layer)));
    expect(error).toMatchObject({
      message: 'No tool is named "ecko". Did you mean "echo"?',
      availableTools: ["echo"],
    });
  });
});

it("hydrate(call, tool.spec) validates with the tool's own validator", () => {
  const even = tool({
    name: "even",
    description: "Takes even numbers",
    input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const,
    validator: {
      name: "parity",
      version: "7",
      compile: () => (value) => (value as { readonly n: number }).n % 2 === 0,
    },
    run: ({ n }) => n,
  });
  const call = (n: number) => ({ id: "1", tool: "even", input: { n } });
  expect(hydrate(call(4), even.spec)).toMatchObject({
    success: true,
    provenance: { validator: { name: "parity", version: "7" } },
  });
  expect(hydrate(call(3), even.spec).success).toBe(false);
  expect(hydrate(call(3), even.withName("other").spec).success).toBe(false);
});

it("pickTools takes classes with @Tool", async () => {
  const Weather = Tool({
    type: "function",
    name: "weather",
    description: "Weather of a city",
    parameters: {},
  })(
    class {
      run() {
        return "rain";
      }
    },
  );
  expect(await pickTools("weather in a city", [Weather, echo])).toMatchObject([{ name: "weather" }]);
});

it("a handoff target keeps its own model, and uses the model of the run if it has none", async () => {
  const reply = (text: string) => ({ text });
  const handOver = (name: string) => ({ calls: [{ id: name, tool: `handoff_to_${name}`, input: "{}" }] });
  const ofRun = scriptedModel([
    handOver("expert"),
    handOver("guest"),
    reply("guest, by the model of the run"),
  ]);
  const own = scriptedModel([reply("expert, by its own model")]);
  const expert = agent({ name: "expert", description: "Knows", instructions: "i", model: own });
  const guest = agent({ name: "guest", description: "Visits", instructions: "i" });
  const first = agent({ name: "first", instructions: "i", model: "offline", handoffs: [expert, guest] });
  await using haft = await Haft.open({ principal });
  expect((await haft.run(first, "Hi", { model: ofRun })).content).toBe("expert, by its own model");
  expect((await haft.run(first, "Hi", { model: ofRun })).content).toBe("guest, by the model of the run");
});

it("haft.mcp.disconnect works while a server is being connected", async () => {
  const { host, url } = await serve(() => {});
  await using haft = await Haft.open({ principal, httpEgress: { allow: [host] } });
  const connecting = haft.mcp
    .connect({ id: "slow", transport: "http", url })
    .catch((thrown: unknown) => thrown);
  await waitFor(() => expect(haft.mcp.list()).toMatchObject([{ id: "slow" }]));
  expect(await haft.mcp.disconnect("slow")).toBe(true);
  expect(await connecting).toBeInstanceOf(Error);
  expect(haft.mcp.list()).toMatchObject([{ id: "slow", status: "disconnected", tools: [] }]);
});
