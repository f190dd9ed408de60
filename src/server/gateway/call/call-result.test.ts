import { expect, test } from "vitest";
import { CredentialsError, MCPConnectionError, ToolExecutionError } from "../../../types/errors.ts";
import { toProtocolError, toToolResult } from "./call-result.ts";
import type { LiveCall } from "./live-call.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");

test("sends a generic message for a failure that is for operators only", () => {
  const error = new CredentialsError("secret_missing", "No secret is named payroll in /etc/keys.");
  expect(toProtocolError(error, redact).message).toBe("The request cannot be answered right now.");
  const named = new CredentialsError("secret_missing", "No secret is named payroll.", { tool: "pay" });
  expect(toProtocolError(named, redact).message).toBe(
    'The tool "pay" is not available right now. Continue without it.',
  );
});

test("sends a failure that a model may read without secrets", () => {
  const error = new ToolExecutionError("failed", "The key hunter2 was refused.");
  expect(toProtocolError(error, redact).message).toBe("The key [redacted] was refused.");
});

test("passes on the error of a server with its code and without secrets", () => {
  const cause = { code: -32_050, message: "not hunter2", data: { hint: "hunter2" } };
  const error = new MCPConnectionError("mcp_protocol", "The MCP server refused.", { cause });
  expect(toProtocolError(error, redact)).toMatchObject({
    code: -32_050,
    message: "not [redacted]",
    data: { hint: "[redacted]" },
  });
});

test("drops fields of Haft in the metadata of a server's result", () => {
  const content = [{ type: "text", text: "done" }];
  const meta = { "haft/approval": { id: "1" }, "haft/failure": {}, "example/page": 2 };
  const reply = { id: "1", tool: "s/t", ok: true, text: "done", flow: { kind: "continue" } } as const;
  for (const [_meta, rest] of [
    [meta, { _meta: { "example/page": 2 } }],
    [{ "haft/approval": { id: "1" } }, {}],
  ] as const) {
    const live = { rawOf: () => ({ content, _meta }) } as unknown as LiveCall;
    expect(toToolResult(reply, live, redact, true)).toEqual({ content, ...rest });
    const stored = { rawOf: () => undefined } as unknown as LiveCall;
    const kept = { ...reply, value: { content, _meta } };
    expect(toToolResult(kept, stored, redact, true)).toEqual({ content, ...rest });
  }
});
