import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openConnectionGateway, sdkClient } from "../../kit/gateway-clients.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { closeAfterTest, serveRuntime } from "../kit/mcp/gateway-scene.ts";
import { approve, at, config, greet, inOwnFolder, openWith, put, say } from "./locked-scene.ts";

inOwnFolder();

const call = { id: "1", tool: "people/greet", input: { name: "Ada" } };

describe("a call of a tool whose server is not used", () => {
  it("tells the operator that the lock is corrupt, and the model only that the server is not available", async () => {
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

  it("tells the operator that the server was never reviewed", async () => {
    say(greet);
    approve(greet);
    const haft = await openWith(at("haft.lock"), { others: config() });
    const [reply] = await haft.turn([{ ...call, tool: "others/greet" }]);
    expect(reply?.failure?.detail).toContain("it was never reviewed");
    expect((await haft.turn([{ ...call, tool: "nobody/greet" }]))[0]?.failure?.code).toBe("unknown_tool");
  });

  it("does not mention a server to callers that may not use its tools", async () => {
    say(greet);
    put("haft.lock", "{ broken");
    const haft = await openWith(at("haft.lock"));
    const [reply] = await haft.as({ agent: "other", allow: ["shop/*"] }).turn([call]);
    expect(reply?.failure?.code).toBe("unknown_tool");
    expect(reply?.text).not.toContain("corrupt");
  });

  it("gives a client of the gateway a result that says so", async () => {
    const file = at("haft.lock");
    writeFileSync(file, "{ broken");
    say(greet);
    const { served } = await serveRuntime({ people: config() }, file);
    const client = await closeAfterTest(openConnectionGateway(served)).connect(sdkClient("legacy"));
    const result = await client.callTool({ name: "people__greet", arguments: {} });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(/is not available.*An operator has to review it/);
    await client.close();
  });
});

describe("a server that was lost", () => {
  it("stays listed with its reason, and a call of its tools says the same", async () => {
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
