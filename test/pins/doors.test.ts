import { readFileSync } from "node:fs";
import * as root from "haft";
import * as effect from "haft/effect";
import * as layers from "haft/layers";
import { expect, it } from "vitest";

it("haft exports these values and no others", () => {
  expect(Object.keys(root).sort()).toEqual([
    "ConfigurationError",
    "CredentialsError",
    "Haft",
    "LedgerError",
    "MCPConnectionError",
    "OutsideError",
    "SandboxError",
    "ToolApprovalError",
    "ToolAuthorizationError",
    "ToolBindingError",
    "ToolCancelledError",
    "ToolDefinitionError",
    "ToolError",
    "ToolExecutionError",
    "ToolHydrationError",
    "ToolInputValidationError",
    "ToolLayerError",
    "ToolNotFoundError",
    "ToolOutputValidationError",
    "ToolOverloadedError",
    "ToolRegistrationError",
    "ToolTimeoutError",
    "ToolUnavailableError",
    "configFromEnvironment",
    "credentials",
    "failures",
    "final",
    "fromFunction",
    "handoff",
    "http",
    "rewrite",
    "tool",
    "workspace",
  ]);
});

it("haft/layers exports these values and no others", () => {
  expect(Object.keys(layers).sort()).toEqual([
    "agentContext",
    "approval",
    "approvalByEnv",
    "asyncLayer",
    "breaker",
    "cache",
    "failed",
    "final",
    "handoff",
    "inputSchema",
    "isRetryable",
    "limit",
    "retry",
    "rewrite",
    "runContext",
    "succeeded",
    "tap",
    "timeout",
    "trace",
  ]);
});

it("haft/effect exports these values and no others", () => {
  expect(Object.keys(effect).sort()).toEqual([
    "Approver",
    "Configuration",
    "Corridor",
    "Credentials",
    "CurrentPrincipal",
    "Events",
    "Ledger",
    "Outside",
    "Policy",
    "Registry",
    "Tools",
    "configurationLayer",
    "corridorLayer",
    "credentialsLayer",
    "eventsLayer",
    "ledgerLayer",
    "memoryLedger",
    "outsideLayer",
    "policyLayer",
    "registryLayer",
    "runtimeLayer",
    "toolsLayer",
  ]);
});

it("the package opens these doors, and deep imports do not resolve", () => {
  const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(exports).toEqual({
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./layers": { types: "./dist/layers.d.ts", default: "./dist/layers.js" },
    "./effect": { types: "./dist/effect.d.ts", default: "./dist/effect.js" },
    "./package.json": "./package.json",
  });
});

it("an open runtime has these methods and no others", () => {
  const methods = Object.getOwnPropertyNames(root.Haft.prototype).sort();
  expect(methods).toEqual([
    "as",
    "call",
    "close",
    "constructor",
    "execute",
    "explain",
    "get",
    "list",
    "log",
    "offer",
    "on",
    "register",
    "resume",
    "turn",
    "unregister",
  ]);
});
