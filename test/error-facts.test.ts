import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import {
  type AnyTool,
  Haft,
  HttpEgressError,
  type HttpEgressOptions,
  http,
  MCPConnectionError,
  type Principal,
  type ToolAuthorizationError,
  ToolError,
  ToolNotFoundError,
  ToolTimeoutError,
  tool,
} from "haft";
import { timeout } from "haft/layers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toError } from "../src/types/errors.ts";

const principal: Principal = { agent: "clerk", allow: ["*"] };
const nothing = { type: "object", properties: {} } as const;

class TrainError extends Error {
  readonly platform = 9;
}

const broken = tool({
  name: "broken",
  description: "Fails with an error of its own",
  input: nothing,
  run: async () => {
    throw new TrainError("the train with s3cret-token left");
  },
});

const endless = tool({
  name: "endless",
  description: "Never answers",
  input: nothing,
  timeout: 20,
  run: () => new Promise<never>(() => {}),
});

const forecast = (url: string) =>
  tool({ name: "forecast", description: "Weather", input: nothing, implementation: http({ url }) });

const server = createServer((_request, response) => response.writeHead(418).end("short and stout"));
let place = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const thrownBy = async (call: Promise<unknown>): Promise<ToolError> => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!ToolError.is(error)) throw new Error(`no ToolError was thrown but ${String(error)}`);
  return error;
};

const open = (...tools: readonly AnyTool[]): Promise<Haft> => Haft.open({ tools, principal });

describe("a thrown error", () => {
  it("has the error of the tool as its cause", async () => {
    await using haft = await open(broken);
    const error = await thrownBy(haft.call("broken", {}));
    expect(error.cause).toBeInstanceOf(TrainError);
    expect(error.cause).toMatchObject({ platform: 9 });
  });

  it("wraps the problems of arguments that do not parse or do not fit", async () => {
    const typed = tool({ name: "typed", description: "x", input: { n: { type: "number" } }, run: () => 1 });
    await using haft = await open(typed);
    const refused = await thrownBy(haft.call("typed", { n: "many" }));
    expect(refused).toMatchObject({ code: "invalid_input", parameter: "n" });
    expect(refused.cause).toMatchObject({ name: "SchemaError", issues: [{ pointer: "/n" }] });
    const [reply] = await haft.turn([{ id: "1", tool: "typed", input: "{" }]);
    expect(toError(reply!.failure!).cause).toBeInstanceOf(SyntaxError);
    expect(Object.keys(reply!.failure!)).not.toContain("cause");
  });

  it("does not print its cause, which is not masked, and no reply contains one", async () => {
    const credentials = { values: { train: "s3cret-token" } };
    await using haft = await Haft.open({ tools: [broken], principal, credentials });
    const error = await thrownBy(haft.call("broken", {}));
    expect(inspect(error)).not.toContain("TrainError");
    expect(JSON.stringify(error)).not.toContain("platform");
    const [reply] = await haft.turn([{ id: "1", tool: "broken", input: {} }]);
    expect(Object.keys(reply?.failure ?? {})).not.toContain("cause");
  });

  it("shows the frame of the program that made the call", async () => {
    await using haft = await open(broken);
    const bookSeats = async (): Promise<unknown> => await haft.call("broken", {});
    expect((await thrownBy(bookSeats())).stack).toMatch(/at (async )?bookSeats .*error-facts\.test\.ts/);
  });

  it("shows that frame also when nothing ran, and for a resumed run", async () => {
    await using haft = await open(broken);
    const misspell = async (): Promise<unknown> => await haft.call("brokn", {});
    expect((await thrownBy(misspell())).stack).toMatch(/at (async )?misspell/);
    const goOn = async (): Promise<unknown> => await haft.resume("no-such-approval");
    expect((await thrownBy(goOn())).stack).toMatch(/at (async )?goOn/);
  });

  it("names the available tools when a tool is unknown", async () => {
    await using haft = await open(broken, endless);
    const error = await thrownBy(haft.call("brokn", {}));
    expect(error).toBeInstanceOf(ToolNotFoundError);
    expect((error as ToolNotFoundError).availableTools).toEqual(["broken", "endless"]);
  });

  it("names at most a hundred tools, and only those that the caller may see", async () => {
    const many = Array.from({ length: 150 }, (_, index) => endless.withName(`t${index}`));
    await using haft = await open(...many, broken);
    const caller = haft.as({ agent: "narrow", allow: ["t*"] });
    const { availableTools } = (await thrownBy(caller.call("nothing", {}))) as ToolNotFoundError;
    expect(availableTools).toHaveLength(100);
    expect(availableTools).not.toContain("broken");
  });

  it("has the time limit, whether of the tool or of a layer", async () => {
    await using haft = await open(endless, endless.withName("layered").layer(timeout("10 millis")));
    for (const [name, limit] of [
      ["endless", 20],
      ["layered", 10],
    ] as const) {
      const error = await thrownBy(haft.call(name, {}));
      expect(error).toBeInstanceOf(ToolTimeoutError);
      expect((error as ToolTimeoutError).timeoutMs).toBe(limit);
    }
  });

  it("names the agent that was refused", async () => {
    const rules = [{ effect: "deny" as const, tools: ["broken"], when: nothing }];
    await using haft = await Haft.open({ tools: [broken, endless], principal, policy: { rules } });
    const denied = await thrownBy(haft.call("broken", {}));
    const hidden = await thrownBy(haft.as({ agent: "narrow", allow: [] }).call("endless", {}));
    expect([denied, hidden].map((error) => (error as ToolAuthorizationError).agentId)).toEqual([
      "clerk",
      "narrow",
    ]);
  });

  it("names the MCP server and its transport", async () => {
    await using haft = await Haft.open({ principal, mcp: { servers: {}, allow: [place] } });
    const error = await thrownBy(haft.mcp.connect({ id: "shop", url: `http://${place}/mcp` }));
    expect(error).toBeInstanceOf(MCPConnectionError);
    expect(error).toMatchObject({
      serverName: "shop",
      // The last transport that was tried.
      transport: "sse",
      status: 418,
    });
  });

  it("has the HTTP status of a service", async () => {
    const tools = [forecast(`http://${place}/`)];
    await using haft = await Haft.open({ tools, principal, httpEgress: { allow: [place] } });
    expect(await thrownBy(haft.call("forecast", {}))).toMatchObject({ code: "failed", status: 418 });
  });
});

describe("an error message contains the remedy", () => {
  it("when there is no principal", async () => {
    await using haft = await Haft.open({ tools: [broken] });
    const error = await thrownBy(haft.call("broken", {}));
    expect(error).toMatchObject({ code: "not_visible" });
    expect(error.message).toContain("the call has no principal. Set a principal in Haft.open({ principal })");
    const [reply] = await haft.turn([{ id: "1", tool: "broken", input: {} }]);
    expect(reply?.text).toContain("Set a principal");
  });

  it("when a setting would allow the refused address", async () => {
    await using haft = await open(forecast(`http://${place}/`));
    const error = await thrownBy(haft.call("forecast", {}));
    expect(error).toBeInstanceOf(HttpEgressError);
    expect(error.message).toContain(`Haft.open({ httpEgress: { allow: ["${place}"] } })`);
  });

  it("but not when no setting would allow the address", async () => {
    const lookup: HttpEgressOptions["lookup"] = (_, answer) =>
      answer(null, [{ address: "169.254.169.254", family: 4 }]);
    const tools = [forecast("http://metadata.example/")];
    await using haft = await Haft.open({ tools, principal, httpEgress: { lookup } });
    const error = await thrownBy(haft.call("forecast", {}));
    expect(error.message).toContain("link-local");
    expect(error.message).not.toContain("allow");
  });
});
