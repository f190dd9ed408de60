import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openConnectionGateway, sdkClient } from "../../kit/gateway-clients.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { closeAfterTest, serveRuntime } from "../kit/mcp/gateway-scene.ts";
import { approve, at, config, greet, inOwnFolder, openWith, put, say } from "./locked-scene.ts";

inOwnFolder();

const call = { id: "1", tool: "people/greet", input: { name: "Ada" } };

describe("call of a tool whose server is rejected", () => {
  it("shows the corrupt lock to the operator, and only an unavailable server to the model", async () => {
    say(greet);
    put("haft.lock", "{ broken");
    const haft = await openWith(at("haft.lock"));
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({
      code: "definition_changed",
      tool: "people/greet",
      ran: false,
      message: expect.stringContaining('"people" is not available'),
      detail: expect.stringMatching(/haft\.lock.*corrupt/),
    });
    expect(reply?.text).not.toContain("haft.lock");
    const [wired] = await haft.turn([{ ...call, tool: "people__greet" }]);
    expect(wired?.failure).toMatchObject({ code: "definition_changed", tool: "people/greet" });
    expect(await haft.log({ tool: "people/greet" })).toHaveLength(2);
  });

  it("shows the operator that the server was never reviewed", async () => {
    say(greet);
    approve(greet);
    const haft = await openWith(at("haft.lock"), { others: config() });
    const [reply] = await haft.turn([{ ...call, tool: "others/greet" }]);
    expect(reply?.failure?.detail).toContain("it was never reviewed");
    expect((await haft.turn([{ ...call, tool: "nobody/greet" }]))[0]?.failure?.code).toBe("unknown_tool");
  });

  it("hides the server from callers without its tools", async () => {
    say(greet);
    put("haft.lock", "{ broken");
    const haft = await openWith(at("haft.lock"));
    const [reply] = await haft.as({ agent: "other", allow: ["shop/*"] }).turn([call]);
    expect(reply?.failure?.code).toBe("unknown_tool");
    expect(reply?.text).not.toContain("corrupt");
  });

  it("returns an error result to a client of the gateway", async () => {
    const file = at("haft.lock");
    writeFileSync(file, "{ broken");
    say(greet);
    const { served } = await serveRuntime({ people: config() }, file);
    const client = await closeAfterTest(openConnectionGateway(served)).connect(sdkClient("legacy"));
    const result = await client.callTool({ name: "people__greet", arguments: {} });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(/is not available.*An operator must review the server/);
    await client.close();
  });
});

describe("unreachable server", () => {
  it("stays listed with its reason, which calls of its tools repeat", async () => {
    const server = { command: process.execPath, args: ["-e", "process.exit(3)"], connectTimeoutMs: 60_000 };
    const { haft } = await serveRuntime({ gone: server });
    await waitFor(() => expect(haft.mcp.list()[0]?.status).toBe("error"));
    const [state] = haft.mcp.list();
    expect(state).toMatchObject({ id: "gone", reason: expect.stringContaining("ended with code 3") });
    const [reply] = await haft.turn([{ ...call, tool: "gone/anything" }]);
    expect(reply?.failure).toMatchObject({
      code: "mcp_unreachable",
      message: expect.stringContaining("ended with code 3"),
    });
    expect(await haft.mcp.remove("gone")).toBe(true);
    expect(haft.mcp.list()).toEqual([]);
  });
});
