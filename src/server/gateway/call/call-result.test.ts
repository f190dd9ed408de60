import { expect, test } from "vitest";
import { CredentialsError, MCPConnectionError, ToolExecutionError } from "../../../types/errors.ts";
import { toProtocolError } from "./call-result.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");

test("what only an operator may read of a failure reaches a client as a plain sentence", () => {
  const error = new CredentialsError("secret_missing", "There is no secret named payroll in /etc/keys.");
  expect(toProtocolError(error, redact).message).toBe("This cannot be answered right now.");
  const named = new CredentialsError("secret_missing", "There is no secret named payroll.", { tool: "pay" });
  expect(toProtocolError(named, redact).message).toBe(
    'The tool "pay" cannot answer right now. Go on without it.',
  );
});

test("what a model may read of a failure reaches a client without secrets", () => {
  const error = new ToolExecutionError("failed", "The key hunter2 was refused.");
  expect(toProtocolError(error, redact).message).toBe("The key [redacted] was refused.");
});

test("a server's own refusal is passed on with its code, without secrets", () => {
  const cause = { code: -32_050, message: "not hunter2", data: { hint: "hunter2" } };
  const error = new MCPConnectionError("mcp_protocol", "The MCP server refused.", { cause });
  expect(toProtocolError(error, redact)).toMatchObject({
    code: -32_050,
    message: "not [redacted]",
    data: { hint: "[redacted]" },
  });
});
