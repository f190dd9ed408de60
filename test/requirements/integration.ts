import type { Requirement } from "./requirement.ts";

/** S1: the tools and integration layer. */
export const integration: readonly Requirement[] = [
  {
    id: "S1.1",
    sentence:
      "A definition has parameters (a list with name, type, description, required, default and enum, or any JSON Schema), return type, category, risk, timeout, requires-approval and source.",
    status: "open",
    reason: "comes with the definition of tools",
  },
  {
    id: "S1.2",
    sentence:
      "Execute takes tool name, arguments, agent, session and correlation id, does look-up, authorization, validation, sandboxed execution with timeout, audit and event in that order, and answers with the envelope of tool name, success, result, error, time and metadata; audit never fails open for a tool that writes.",
    status: "open",
    reason: "comes with the corridor and the runtime",
  },
  {
    id: "S1.3",
    sentence:
      "There are errors for not found (listing what there is), execution, timeout, validation (parameter, expected, received), MCP connection, authorization and sandbox.",
    status: "open",
    reason: "comes with the corridor, MCP and the sandbox",
  },
  {
    id: "S1.4",
    sentence:
      "Tools are registered, unregistered, listed by filter and fetched while the system runs, within limits: 1000 tools by default, duplicates refused by default.",
    status: "open",
    reason: "comes with the catalog",
  },
  {
    id: "S1.5",
    sentence:
      "The MCP client speaks stdio, SSE, WebSocket and Streamable HTTP in both protocol eras: it connects with handshake and full tool list, calls, disconnects so that the tools leave the registry, and lists servers with their status.",
    status: "open",
    reason: "comes with MCP",
  },
  {
    id: "S1.6",
    sentence:
      "MCP discovery finds the servers configured on this machine for the usual editors and clients, and lists them without starting anything until asked.",
    status: "open",
    reason: "comes with MCP discovery",
  },
  {
    id: "S1.7",
    sentence: "A plain function becomes a tool.",
    status: "open",
    reason: "comes with the definition of tools",
  },
  {
    id: "S1.8",
    sentence:
      "Tools are shown in the function-calling formats of Anthropic, OpenAI, Ollama and Gemini, with defaults, enums, nested objects and arrays intact.",
    status: "open",
    reason: "comes with the dialects",
  },
  {
    id: "S1.9",
    sentence:
      "The sandbox stops work at its timeout, holds a memory limit, and turns a crash into a typed failure.",
    status: "open",
    reason: "comes with the sandbox",
  },
  {
    id: "S1.10",
    sentence:
      "Built-in skills search the web, read and write files, make HTTP requests and run code; paths stay inside allowed roots, neither sibling folders with the same prefix nor symlinks get out, and shells have a list of blocked commands.",
    status: "open",
    reason: "comes with the built-in skills",
  },
  {
    id: "S1.11",
    sentence:
      "Configuration has the documented keys and defaults; switching the sandbox off is honored for trusted tools only, never for code a model wrote, and the MCP protocol version is negotiated from 2024-11-05 to 2026-07-28.",
    status: "open",
    reason: "comes with the runtime's configuration, the sandbox and MCP",
  },
  {
    id: "S1.12",
    sentence:
      "A bus that users subscribe to carries tools.executed, tools.failed, tools.mcp-connected and tools.mcp-disconnected; a call that starts ends with exactly one of executed and failed.",
    status: "open",
    reason: "comes with the corridor's events and MCP",
  },
  {
    id: "S1.13",
    sentence:
      "Identity is an optional service: it authorizes before every execution and audits every call, success and failure, with agent, session, correlation id and duration.",
    status: "open",
    reason: "comes with policy and the ledger",
  },
  {
    id: "S1.14",
    sentence: "Each tool call can report its cost and shows in OpenTelemetry spans and metrics.",
    status: "open",
    reason: "comes with telemetry",
  },
  {
    id: "S1.15",
    sentence:
      "Look-up takes less than 1 ms, validation 2 ms, authorization 5 ms, a built-in 100 ms, an MCP call 5 s, an MCP connection 10 s, and the export of all tools 5 ms.",
    status: "open",
    reason: "comes with the benchmarks, MCP and the built-in skills",
  },
  {
    id: "S1.16",
    sentence: "All operations use Effect inside, with no raw async, and a promise face stands at the door.",
    status: "open",
    reason: "comes with the runtime",
  },
];
