import { afterEach, describe, expect, it } from "vitest";
import { redactJson } from "../../src/server/gateway/call/call-result.ts";
import { approvalForm } from "../../src/server/gateway/call/run-gateway-call.ts";
import { fakeGatewayBackend, fakeTool } from "../kit/fake-gateway-backend.ts";
import { alicePrincipal, openHttpGateway } from "../kit/gateway-clients.ts";
import { postModern } from "../kit/post-modern.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const gatewayTo = (...given: Parameters<typeof openHttpGateway>) => {
  const gateway = openHttpGateway(...given);
  open.push(gateway.close);
  return gateway.http;
};

describe("text that passes through the gateway", () => {
  it("is masked in the names of members too", () => {
    const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");
    const value = { a: [{ "key hunter2": 1, b: "hunter2" }], same: { c: 1 } };
    const masked = redactJson(value, redact) as typeof value;
    expect(masked).toEqual({ a: [{ "key [redacted]": 1, b: "[redacted]" }], same: { c: 1 } });
    expect(masked.same).toBe(value.same);
    const nothing = { d: { e: "f" } };
    expect(redactJson(nothing, redact)).toBe(nothing);
  });

  it("of long arguments is shown in full to the approver", () => {
    const input = { note: `${"x".repeat(5_000)} delete everything ${"y".repeat(5_000)}` };
    const request = { id: "1", callId: "1", tool: "send", principal: alicePrincipal, input, reason: "r" };
    const { params } = approvalForm(request, (text) => text);
    expect((params as { readonly message: string }).message).toContain(JSON.stringify(input));
  });

  it("of arguments that are too long is truncated visibly, with its beginning and its end", () => {
    const note = `harmless ${"x".repeat(40_000)} to everybody ${"y".repeat(40_000)}`;
    const input = { note, to: "eve@example.com" };
    const request = { id: "1", callId: "1", tool: "send", principal: alicePrincipal, input, reason: "r" };
    const { params } = approvalForm(request, (text) => text);
    const { message } = params as { readonly message: string };
    expect(message).toContain("harmless");
    expect(message).toContain("characters omitted");
    expect(message).toContain("to everybody");
    expect(message).toContain("eve@example.com");
    expect(message.length).toBeLessThan(51_000);
  });

  it("of a required header is checked for every name of a tool", async () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const listed = fakeTool("a__echo", { inputSchema: { type: "object", properties: { region } } });
    const { served, calls } = fakeGatewayBackend({
      tools: [listed],
      runs: { "a/echo": () => 1, a__echo: () => 1 },
    });
    const listedName = (name: string) => (name === "a/echo" ? "a__echo" : name);
    const http = gatewayTo({ ...served, listedName });
    for (const name of ["a__echo", "a/echo"]) {
      const params = { name, arguments: { region: "eu" } };
      expect((await postModern(http, "tools/call", params)).error?.code).toBe(-32020);
      const headers = { "Mcp-Param-Region": "eu" };
      expect((await postModern(http, "tools/call", params, { headers })).error).toBeUndefined();
    }
    expect(calls.map(({ tool }) => tool)).toEqual(["a__echo", "a/echo"]);
  });

  it("can be the key of an elicitation, even if it is __proto__", async () => {
    const form = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } };
    const asked = Object.fromEntries([["__proto__", { method: "elicitation/create", params: form }]]);
    const { served } = fakeGatewayBackend({
      runs: { greet: ({ caller, signal }) => caller.ask!(asked, signal) },
    });
    const options = { capabilities: { elicitation: { form: {} } } };
    const { result } = await postModern(gatewayTo(served), "tools/call", { name: "greet" }, options);
    expect(Object.entries(result?.inputRequests ?? {})).toEqual(Object.entries(asked));
  });
});
