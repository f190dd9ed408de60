import type { Requirement } from "./requirement.ts";

/** S1: the tools and integration layer. */
export const integration: readonly Requirement[] = [
  {
    id: "S1.1",
    sentence:
      "A definition has parameters (a list with name, type, description, required, default and enum, or any JSON Schema), return type, category, risk, timeout, requires-approval and source.",
    mutant: {
      breaks: "A parameter list loses its enums.",
      export: "readParameterList",
      as: "(original) => (list) => original(list.map(({ enum: _, ...parameter }) => parameter))",
    },
    status: "proven",
    tests: [
      {
        file: "src/tools/read-definition.test.ts",
        title: "contains all given fields, frozen and serializable",
      },
      { file: "src/tools/read-definition.test.ts", title: "has defaults for omitted fields" },
      {
        file: "src/base/schema/forms/parameter-list.test.ts",
        title: "becomes one closed object with defaults, enums and nested schemas",
      },
    ],
  },
  {
    id: "S1.2",
    sentence:
      "Execute takes tool name, arguments, agent, session and correlation id, does look-up, authorization, validation, sandboxed execution with timeout, audit and event in that order, and answers with the envelope of tool name, success, result, error, time and metadata; audit never fails open for a tool that writes.",
    mutant: {
      breaks: "A tool that writes runs although its call could not be recorded.",
      export: "canRunUnrecorded",
      as: "() => () => true",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/ledger-faults.test.ts",
        title: "rejects calls while it is full, and continues when there is space again",
      },
      {
        file: "src/sandbox/code.test.ts",
        title: "receives its arguments as input and returns a value",
      },
      { file: "test/haft-api.test.ts", title: "returns the seed's envelope and never throws" },
      {
        file: "test/haft-api.test.ts",
        title:
          "looks the tool up, validates, authorizes, runs, writes the audit and emits an event, in this order",
      },
      { file: "test/time.test.ts", title: "the envelope of a call has its duration" },
      { file: "test/time.test.ts", title: "a timeout interrupts the work and aborts its signal" },
      {
        file: "test/pipeline.test.ts",
        title: "no writing tool runs while the ledger cannot open an entry",
      },
      { file: "test/pipeline.test.ts", title: "a result that cannot be recorded is not returned" },
    ],
  },
  {
    id: "S1.3",
    sentence:
      "There are errors for not found (listing what there is), execution, timeout, validation (parameter, expected, received), MCP connection, authorization and sandbox.",
    mutant: {
      breaks: "A validation error does not say what was expected.",
      export: "ToolInputValidationError",
      as: "(original) => class ToolInputValidationError extends original { get expected() { return undefined; } }",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "an unknown tool is answered with similar names and the available tools",
      },
      {
        file: "test/haft-api.test.ts",
        title: "throws a ToolError whose class and fields describe the problem",
      },
      {
        file: "test/pipeline.test.ts",
        title: "error codes of the run stage pass through from any implementation",
      },
      { file: "test/time.test.ts", title: "a timeout interrupts the work and aborts its signal" },
      { file: "test/error-facts.test.ts", title: "names the agent that was refused" },
      { file: "test/error-facts.test.ts", title: "has the time limit, whether of the tool or of a layer" },
      { file: "test/error-facts.test.ts", title: "names the MCP server and its transport" },
    ],
  },
  {
    id: "S1.4",
    sentence:
      "Tools are registered, unregistered, listed by filter and fetched while the system runs, within limits: 1000 tools by default, duplicates refused by default.",
    mutant: {
      breaks: "The number of tools has no limit.",
      export: "toolRegistry",
      as: "(original) => (options) => original({ ...options, maxTools: Infinity })",
    },
    status: "proven",
    tests: [
      {
        file: "test/haft-api.test.ts",
        title: "tools can be registered and unregistered while the runtime is open, with events",
      },
      {
        file: "src/registry/tool-registry.test.ts",
        title: "tools above the limit, which is a thousand by default",
      },
      {
        file: "src/registry/tool-registry.test.ts",
        title: "a second tool of the same full name unless duplicates are allowed",
      },
      { file: "src/registry/tool-filter.test.ts", title: "list with filter %j returns %j" },
    ],
  },
  {
    id: "S1.5",
    sentence:
      "The MCP client speaks stdio, SSE, WebSocket and Streamable HTTP in both protocol eras: it connects with handshake and full tool list, calls, disconnects so that the tools leave the registry, and lists servers with their status.",
    mutant: {
      breaks: "The client does not fall back to the SSE transport.",
      export: "prepareRemote",
      as: "(original) => (...args) => { const { openLegacy, ...remote } = original(...args); return remote; }",
    },
    status: "proven",
    tests: [
      { file: "test/system/mcp-client/open-session.test.ts", title: "connects, lists tools and calls them" },
      {
        file: "src/mcp/client/transport/http/http-client.test.ts",
        title: "is reached over SSE when it rejects the newer transport",
      },
      {
        file: "test/system/mcp-client/stdio-client.test.ts",
        title: "are read completely and in order, and entries without a name are reported",
      },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "registers the tools of a server under its id and notifies once",
      },
      { file: "src/mcp/client/mcp-servers.test.ts", title: "removes the tools and closes the session" },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "connectAll does not fail and reports the state of each server",
      },
      {
        file: "test/system/mcp-real-servers.test.ts",
        title: "are connected, with their tools under the configured names",
      },
    ],
  },
  {
    id: "S1.6",
    sentence:
      "MCP discovery finds the servers configured on this machine for the usual editors and clients, and lists them without starting anything until asked.",
    mutant: {
      breaks: "Servers in a project's Cursor configuration are not found.",
      export: "projectConfigFiles",
      as: "(original) => (...args) => original(...args).filter(({ client }) => client !== 'cursor')",
    },
    status: "proven",
    tests: [
      { file: "src/mcp/discovery/discover.test.ts", title: "on %s include %s" },
      {
        file: "src/mcp/discovery/discover.test.ts",
        title: "is read from files with comments, trailing commas and a byte order mark",
      },
      { file: "src/mcp/discovery/discover.test.ts", title: "discover does not throw for any file content" },
      {
        file: "test/cli/mcp.test.ts",
        title: "lists the servers of other programs and their problems, and starts nothing",
      },
      {
        file: "test/cli/mcp.test.ts",
        title: "shows the command, asks for confirmation, and copies no secret value",
      },
    ],
  },
  {
    id: "S1.7",
    sentence: "A plain function becomes a tool.",
    mutant: {
      breaks: "The parameters of a function are filled in the reverse order.",
      export: "fromFunction",
      as: "(original) => (code, description) => Array.isArray(description.input ?? description.parameters) ? original((...given) => code(...given.reverse()), { name: code.name, ...description }) : original(code, description)",
    },
    status: "proven",
    tests: [
      {
        file: "src/tools/from-function.test.ts",
        title: "uses the name of the function and fills parameters in list order",
      },
      {
        file: "src/tools/from-function.test.ts",
        title: "passes the whole input and the context for an object input",
      },
    ],
  },
  {
    id: "S1.8",
    sentence:
      "Tools are shown in the function-calling formats of Anthropic, OpenAI, Ollama and Gemini, with defaults, enums, nested objects and arrays intact.",
    mutant: {
      breaks: "Schemas for Anthropic have no defaults.",
      export: "toAnthropic",
      as: "(original) => (list) => { const { tools, report } = original(list); const drop = (key, value) => (key === 'default' ? undefined : value); return { report, tools: tools.map((tool) => JSON.parse(JSON.stringify(tool, drop))) }; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/models/dialects/anthropic/to-anthropic.test.ts",
        title: "exports the whole schema except for an invalid property name",
      },
      {
        file: "src/models/dialects/openai/to-openai.test.ts",
        title: "exports the whole tool",
      },
      {
        file: "src/models/dialects/openai/to-openai-responses.test.ts",
        title: "exports the whole tool as non-strict",
      },
      {
        file: "src/tools/openapi/calls.test.ts",
        title: "every vendor format exports enums, nested objects and lists of an operation",
      },
      {
        file: "src/models/dialects/ollama/to-ollama.test.ts",
        title: "exports inlined references and describes keywords that the server ignores",
      },
      {
        file: "src/models/dialects/gemini/to-gemini.test.ts",
        title: "exports the whole schema with references inlined",
      },
      {
        file: "test/exports/nothing-lost.test.ts",
        title: "the comparison detects each removed keyword or value",
      },
    ],
  },
  {
    id: "S1.9",
    sentence:
      "The sandbox stops work at its timeout, holds a memory limit, and turns a crash into a typed failure.",
    mutant: {
      breaks: "A program in the sandbox gets much more memory than its limit.",
      export: "code",
      as: "(original) => (options) => original({ ...options, limits: { ...options.limits, memoryBytes: 1024 * 1024 * 1024 } })",
    },
    status: "proven",
    tests: [
      {
        file: "src/sandbox/code.test.ts",
        title: "reports timed_out for wallMs, and sandbox_failed for the other limits",
      },
      {
        file: "src/sandbox/worker.test.ts",
        title: "reports a crashed thread, a value that cannot be copied and an export that is not a function",
      },
      {
        file: "test/system/sandbox/deno/engine.test.ts",
        title: "report a program that exits as lost, and one that waits forever as an error",
      },
    ],
  },
  {
    id: "S1.10",
    sentence:
      "Built-in skills search the web, read and write files, make HTTP requests and run code; paths stay inside allowed roots, neither sibling folders with the same prefix nor symlinks get out, and shells have a list of blocked commands.",
    mutant: {
      breaks: "A path counts as inside a folder if it begins with the same text, so a sibling folder passes.",
      export: "isInside",
      as: "() => (path, roots) => roots.some((root) => path.startsWith(root))",
    },
    status: "proven",
    tests: [
      {
        file: "src/sandbox/skills/files/confine.test.ts",
        title: "keeps reads, searches and writes inside for a thousand random paths",
      },
      {
        file: "src/sandbox/skills/files/confine.test.ts",
        title: "never reads a byte from outside while links are swapped (on %s)",
      },
      { file: "src/sandbox/skills/shell/shell-runner.test.ts", title: "does not start %j with %j" },
      { file: "src/sandbox/skills/search/web-searcher.test.ts", title: "uses the format of Tavily" },
      {
        file: "src/sandbox/skills/search/web-searcher.test.ts",
        title: "names the missing key for %j, and nothing is sent",
      },
      {
        file: "src/runtime/with-skills.test.ts",
        title: "run programs in the sandbox of the runtime",
      },
    ],
  },
  {
    id: "S1.11",
    sentence:
      "Configuration has the documented keys and defaults; switching the sandbox off is honored for trusted tools only, never for code a model wrote, and the MCP protocol version is negotiated from 2024-11-05 to 2026-07-28.",
    mutant: {
      breaks: "The default timeout is 60 seconds.",
      export: "readConfig",
      as: "(original) => (...args) => { const config = original(...args); return { ...config, execution: { ...config.execution, defaultTimeoutMs: 60_000 } }; }",
    },
    status: "proven",
    tests: [
      {
        file: "test/pins/config-defaults.test.ts",
        title: "the default settings are these",
      },
      {
        file: "src/sandbox/code.test.ts",
        title: "runs in a sandbox even when the sandbox is off for trusted tools",
      },
      { file: "src/sandbox/worker.test.ts", title: "runs in the thread of the host" },
      { file: "test/system/mcp-client/open-session.test.ts", title: "connects, lists tools and calls them" },
      {
        file: "test/system/mcp-client/connect.test.ts",
        title: "rejects a server with an unknown protocol version",
      },
    ],
  },
  {
    id: "S1.12",
    sentence:
      "A bus that users subscribe to carries tools.executed, tools.failed, tools.mcp-connected and tools.mcp-disconnected; a call that starts ends with exactly one of executed and failed.",
    mutant: {
      breaks: "A failed call emits its event twice.",
      export: "announceEnd",
      as: "(original) => (services, state, outcome, ...rest) => { original(services, state, outcome, ...rest); if (outcome._tag === 'failure') original(services, state, outcome, ...rest); }",
    },
    status: "proven",
    tests: [
      {
        file: "test/haft-api.test.ts",
        title: "every started call ends with exactly one executed or failed event",
      },
      {
        file: "test/haft-api.test.ts",
        title: "a listener that throws does not affect the call or other listeners",
      },
      {
        file: "test/approval.test.ts",
        title: "is pending until it is resumed and then gets its one reply",
      },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "registers the tools of a server under its id and notifies once",
      },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "makes its tools unavailable immediately and restores the same tools after reconnecting",
      },
    ],
  },
  {
    id: "S1.13",
    sentence:
      "Identity is an optional service: it authorizes before every execution and audits every call, success and failure, with agent, session, correlation id and duration.",
    mutant: {
      breaks: "The audit service receives only successful calls.",
      export: "auditedLedger",
      as: "(original, Effect) => (ledger, audit, options) => original(ledger, { record: (record) => (record.success ? audit.record(record) : Effect.void) }, options)",
    },
    status: "proven",
    tests: [
      {
        file: "test/identity.test.ts",
        title: "decides before each call, and every call is recorded with its caller and outcome",
      },
      { file: "test/effect-api.test.ts", title: "can be the policy" },
      {
        file: "test/effectful-policy.test.ts",
        title: "lets a call run when it allows it, and refuses the call when it denies it",
      },
      {
        file: "test/effectful-policy.test.ts",
        title: "decides again at the gate when a layer changed the input",
      },
      { file: "test/effect-api.test.ts", title: "can be the ledger" },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "decide every call, and record every call with its caller and outcome",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "can only narrow the caller's rights, and deny when they fail",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "an audit that %s is logged, and the call keeps its outcome",
      },
    ],
  },
  {
    id: "S1.14",
    sentence: "Each tool call can report its cost and shows in OpenTelemetry spans and metrics.",
    mutant: {
      breaks: "The cost of a call is in no metric.",
      export: "lazyInstruments",
      as: "(original) => (meter) => { const read = original(meter); return () => { const made = read(); return { ...made, record: (operation, ending, seconds) => made.record(operation, { ...ending, cost: undefined }, seconds) }; }; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/integrations/otel/instruments.test.ts",
        title: "records time, calls and cost for each tool and outcome",
      },
      {
        file: "src/integrations/otel/otel.haft-api.test.ts",
        title: "creates the spans of the models and tools of a run in one trace",
      },
      {
        file: "src/integrations/otel/otel.haft-api.test.ts",
        title: "sends the span of the call with an HTTP request, and no baggage",
      },
      {
        file: "test/otel/traces.test.ts",
        title: "without an outer span is one trace under invoke_agent",
      },
      {
        file: "test/otel/traces.test.ts",
        title: "a call that is refused before the layers has a span with its code, and is counted",
      },
      {
        file: "test/otel/traces.test.ts",
        title: "is also linked when another process resumes it",
      },
      {
        file: "test/otel/traces.test.ts",
        title: "of a remote run belongs to the trace of that run",
      },
    ],
  },
  {
    id: "S1.15",
    sentence:
      "Look-up takes less than 1 ms, validation 2 ms, authorization 5 ms, a built-in 100 ms, an MCP call 5 s, an MCP connection 10 s, and the export of all tools 5 ms.",
    status: "proven",
    benchmark: { file: "bench/targets.ts", script: "bench:targets" },
    tests: [
      {
        file: "test/system/mcp-client/stdio-client.test.ts",
        title: "is ended when it does not answer within the connect timeout",
      },
      {
        file: "test/system/mcp-client/open-session.test.ts",
        title: "fails a call after its deadline as timed out",
      },
    ],
  },
  {
    id: "S1.16",
    sentence:
      "All operations use Effect inside, and a promise API serves everyone else. The core has no raw async code except in listed files; modules on promise libraries use async functions inside and offer Effects or promises at their boundary.",
    mutant: {
      breaks: "The checker finds no raw async code.",
      export: "readRawAsync",
      as: "() => () => []",
    },
    status: "proven",
    tests: [
      {
        file: "test/effect-api.test.ts",
        title: "that a tool requires come from the runtime",
      },
      { file: "test/effect-api.test.ts", title: "are caught by the tag of their class" },
      { file: "test/haft-api.test.ts", title: "returns the value" },
      {
        file: "test/scripts/check-modules.test.ts",
        title: "refuses `%s` in a module that is written in Effect",
      },
      { file: "test/scripts/check-modules.test.ts", title: "finds no violation in this repository" },
      {
        file: "test/scripts/check-modules.test.ts",
        title: "accepts a listed exception, and reports it once it has no raw async code",
      },
    ],
  },
  {
    id: "S1.17",
    sentence:
      "Errors carry their facts as fields; a server that was lost stays listed as disconnected with its reason, and one disconnected on purpose until it is removed; connecting, listing servers and exporting formats are Effect operations too; authorization and audit may be effectful services that call out.",
    mutant: {
      breaks: "A timeout error does not carry the time limit.",
      export: "ToolTimeoutError",
      as: "(original) => class ToolTimeoutError extends original { get timeoutMs() { return undefined; } }",
    },
    status: "proven",
    tests: [
      { file: "test/error-facts.test.ts", title: "has the error of the tool as its cause" },
      {
        file: "test/error-facts.test.ts",
        title: "names the available tools when a tool is unknown",
      },
      { file: "test/error-facts.test.ts", title: "has the time limit, whether of the tool or of a layer" },
      { file: "test/error-facts.test.ts", title: "names the agent that was refused" },
      { file: "test/error-facts.test.ts", title: "names the MCP server and its transport" },
      { file: "test/error-facts.test.ts", title: "has the HTTP status of a service" },
      {
        file: "test/system/mcp/missing-servers.test.ts",
        title: "stays listed with its reason, which calls of its tools repeat",
      },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "makes its tools unavailable immediately and restores the same tools after reconnecting",
      },
      {
        file: "src/mcp/client/mcp-servers.test.ts",
        title: "keeps the server in the list with a reason until it is removed or connected again",
      },
      {
        file: "test/system/effect/mcp.test.ts",
        title: "connects, calls, disconnects, lists and removes a server",
      },
      {
        file: "test/system/effect/mcp.test.ts",
        title: "connects the servers of the options while the layer is built, and applies their lock",
      },
      { file: "test/effect/operations.test.ts", title: "shows the tools of the fiber's principal as %s" },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "decide every call, and record every call with its caller and outcome",
      },
    ],
  },
];
