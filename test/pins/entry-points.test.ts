import { readFileSync } from "node:fs";
import * as root from "haft";
import * as agent from "haft/agent";
import * as cedar from "haft/cedar";
import * as ui from "haft/chat";
import * as effect from "haft/effect";
import * as fleet from "haft/fleet";
import * as gram from "haft/gram";
import * as toAiSdk from "haft/integrations/ai-sdk";
import * as toEffectAi from "haft/integrations/effect-ai";
import * as toLangChain from "haft/integrations/langchain";
import * as toMastra from "haft/integrations/mastra";
import * as toOpenAiAgents from "haft/integrations/openai-agents";
import * as layers from "haft/layers";
import * as ledger from "haft/ledger";
import * as mcp from "haft/mcp";
import * as models from "haft/models";
import * as aiSdk from "haft/models/ai-sdk";
import * as anthropic from "haft/models/anthropic";
import * as gemini from "haft/models/gemini";
import * as ollama from "haft/models/ollama";
import * as openai from "haft/models/openai";
import * as openapi from "haft/openapi";
import * as otel from "haft/otel";
import * as sandbox from "haft/sandbox";
import * as selection from "haft/selection";
import * as studio from "haft/studio";
import * as testing from "haft/testing";
import { expect, it } from "vitest";
import { Session } from "../../src/runtime/session.ts";

it("haft exports these values and no others", () => {
  expect(Object.keys(root).sort()).toEqual([
    "ConfigurationError",
    "CredentialsError",
    "DefinitionChangedError",
    "Haft",
    "HttpEgressError",
    "LedgerError",
    "MCPConnectionError",
    "ModelError",
    "SandboxError",
    "Tool",
    "ToolApprovalError",
    "ToolAuthorizationError",
    "ToolBindingError",
    "ToolCancelledError",
    "ToolComponent",
    "ToolDefinitionError",
    "ToolError",
    "ToolExecutionError",
    "ToolHydrationError",
    "ToolIdempotencyError",
    "ToolInputValidationError",
    "ToolLayerError",
    "ToolNotFoundError",
    "ToolOutputValidationError",
    "ToolOverloadedError",
    "ToolRegistrationError",
    "ToolTimeoutError",
    "ToolUnavailableError",
    "agent",
    "configFromEnvironment",
    "credentials",
    "defineConfig",
    "definitionOf",
    "failures",
    "final",
    "fromFunction",
    "handoff",
    "http",
    "hydrate",
    "narrow",
    "pickTools",
    "rewrite",
    "textOf",
    "tool",
    "withMedia",
    "workspace",
  ]);
});

it("haft/layers exports these values and no others", () => {
  expect(Object.keys(layers).sort()).toEqual([
    "agentContext",
    "approval",
    "approvalByEnv",
    "asyncLayer",
    "authorize",
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
    "Agents",
    "Approver",
    "Audit",
    "Configuration",
    "Credentials",
    "CurrentPrincipal",
    "Events",
    "HttpEgress",
    "InternalTools",
    "Ledger",
    "Mcp",
    "Offers",
    "OrgTools",
    "Pipeline",
    "Policy",
    "ProjectTools",
    "Registry",
    "Sandboxes",
    "Tools",
    "TraceHeaders",
    "agentsLayer",
    "call",
    "configurationLayer",
    "credentialsLayer",
    "eventsLayer",
    "fileTokenStore",
    "getTool",
    "httpEgressLayer",
    "inboundToken",
    "internalToolsLayer",
    "ledgerLayer",
    "listTools",
    "mcpLayer",
    "memoryLedger",
    "mergedRegistryLayer",
    "offersLayer",
    "orgToolsLayer",
    "pipelineLayer",
    "policyLayer",
    "projectToolsLayer",
    "registerTool",
    "registryLayer",
    "runExperiment",
    "runtimeLayer",
    "sandboxesLayer",
    "toolRuntimeLayer",
    "toolsLayer",
    "unregisterTool",
  ]);
});

it("haft/agent exports these values and no others", () => {
  expect(Object.keys(agent).sort()).toEqual([
    "agent",
    "agentsFromSpecs",
    "anyOf",
    "bindingText",
    "costBudget",
    "estimateTokens",
    "experiment",
    "explainBinding",
    "isCompatible",
    "library",
    "maxTurns",
    "timeBudget",
    "toReportHtml",
    "tokenBudget",
    "toolCalled",
    "validateConversation",
    "variants",
    "violations",
  ]);
});

it("haft/gram exports these values and no others", () => {
  expect(Object.keys(gram).sort()).toEqual([
    "formatDiagnostic",
    "readAgent",
    "readGram",
    "readSignature",
    "readTools",
    "schemaToSignature",
    "signatureOfPath",
    "signatureToOutputSchema",
    "signatureToSchema",
    "toAgentJson",
    "validateGram",
    "writeAgent",
    "writeGram",
  ]);
});

it("haft/models and the clients export these values and no others", () => {
  expect(Object.keys(models).sort()).toEqual([
    "callCollector",
    "chooseModel",
    "collectCalls",
    "offline",
    "readCalls",
    "wires",
  ]);
  const clients = [openai, anthropic, ollama, gemini, aiSdk].map((entry) => Object.keys(entry));
  expect(clients).toEqual([["openai"], ["anthropic"], ["ollama"], ["gemini"], ["fromAiSdk"]]);
});

it("haft/mcp exports these values and no others", () => {
  expect(Object.keys(mcp).sort()).toEqual(["discover", "fileMcpTokens", "serveHttp", "serveStdio"]);
});

it("haft/fleet exports these values and no others", () => {
  expect(Object.keys(fleet).sort()).toEqual(["fleet", "fleetServices", "openWorker"]);
});

it("haft/studio exports the page with its API, the frame of Apps and nothing else", () => {
  expect(Object.keys(studio)).toEqual(["appFrame", "studio"]);
});

it("haft/chat exports one handler and nothing else", () => {
  expect(Object.keys(ui)).toEqual(["agentHandler"]);
});

it("haft/ledger, haft/cedar, haft/selection, haft/otel, haft/sandbox and haft/testing export these values and no others", () => {
  const entries = [ledger, cedar, selection, otel, sandbox, testing].map((entry) =>
    Object.keys(entry).sort(),
  );
  expect(entries).toEqual([
    ["openLedger", "verifyWebhook"],
    ["cedarPolicy"],
    ["embeddingScorer", "fileVectorStore", "searchTools"],
    ["fleetMetrics", "otel", "traceMeta"],
    ["code", "codeDeclarations", "codeMode", "runCode", "worker"],
    ["CassetteError", "calls", "cassette", "replayRun", "says", "scriptedModel", "useCassette"],
  ]);
});

it("haft/integrations and haft/openapi export these values and no others", () => {
  const entries = [toAiSdk, toLangChain, toOpenAiAgents, toMastra, toEffectAi, openapi];
  expect(entries.map((entry) => Object.keys(entry).sort())).toEqual([
    ["fromAiSdkTools", "haftModel", "settleApprovals", "settleUIMessages", "toAiSdkTools", "toolApproval"],
    ["fromLangChainTools", "haftMiddleware", "toLangChainTools"],
    ["fromOpenAiAgentsTools", "haftModel", "settleRunState", "toOpenAiAgentsTools"],
    ["fromMastraTools", "toMastraTools"],
    ["IdempotencyKey", "fromEffectAiTools", "settleApprovals", "toEffectAiTools"],
    ["fromOpenApi"],
  ]);
});

it("a session has these methods and no others", () => {
  const methods = Object.getOwnPropertyNames(Session.prototype).sort();
  expect(methods).toEqual([
    "answer",
    "asks",
    "constructor",
    "end",
    "model",
    "note",
    "pending",
    "plan",
    "stands",
    "tools",
    "turn",
  ]);
});

/** Node's `import` loads a file that checks the optional peer first: see `scripts/build/checked-entries.ts`. */
const checked = (entry: string) => ({
  types: `./dist/${entry}.d.ts`,
  module: `./dist/${entry}.js`,
  require: `./dist/${entry}.js`,
  import: `./dist/${entry}.import.js`,
  default: `./dist/${entry}.js`,
});

it("the package has these entry points, and deep imports do not resolve", () => {
  const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(exports).toEqual({
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./layers": { types: "./dist/layers.d.ts", default: "./dist/layers.js" },
    "./effect": { types: "./dist/effect.d.ts", default: "./dist/effect.js" },
    "./agent": { types: "./dist/agent.d.ts", default: "./dist/agent.js" },
    "./gram": { types: "./dist/gram.d.ts", default: "./dist/gram.js" },
    "./models": { types: "./dist/models.d.ts", default: "./dist/models.js" },
    "./models/openai": { types: "./dist/models/openai.d.ts", default: "./dist/models/openai.js" },
    "./models/anthropic": { types: "./dist/models/anthropic.d.ts", default: "./dist/models/anthropic.js" },
    "./models/ollama": { types: "./dist/models/ollama.d.ts", default: "./dist/models/ollama.js" },
    "./models/gemini": { types: "./dist/models/gemini.d.ts", default: "./dist/models/gemini.js" },
    "./models/ai-sdk": { types: "./dist/models/ai-sdk.d.ts", default: "./dist/models/ai-sdk.js" },
    "./integrations/ai-sdk": checked("integrations/ai-sdk"),
    "./integrations/langchain": checked("integrations/langchain"),
    "./integrations/openai-agents": checked("integrations/openai-agents"),
    "./integrations/mastra": checked("integrations/mastra"),
    "./integrations/effect-ai": {
      types: "./dist/integrations/effect-ai.d.ts",
      default: "./dist/integrations/effect-ai.js",
    },
    "./openapi": { types: "./dist/openapi.d.ts", default: "./dist/openapi.js" },
    "./ledger": { types: "./dist/ledger.d.ts", default: "./dist/ledger.js" },
    "./cedar": { types: "./dist/cedar.d.ts", default: "./dist/cedar.js" },
    "./selection": { types: "./dist/selection.d.ts", default: "./dist/selection.js" },
    "./chat": { types: "./dist/chat.d.ts", default: "./dist/chat.js" },
    "./studio": { types: "./dist/studio.d.ts", default: "./dist/studio.js" },
    "./otel": checked("otel"),
    "./mcp": { types: "./dist/mcp.d.ts", default: "./dist/mcp.js" },
    "./fleet": { types: "./dist/fleet.d.ts", default: "./dist/fleet.js" },
    "./sandbox": { types: "./dist/sandbox.d.ts", default: "./dist/sandbox.js" },
    "./testing": { types: "./dist/testing.d.ts", default: "./dist/testing.js" },
    "./package.json": "./package.json",
  });
});

it("an open runtime has these methods and no others", () => {
  const methods = Object.getOwnPropertyNames(root.Haft.prototype).sort();
  expect(methods).toEqual([
    "approvals",
    "as",
    "beginSignIn",
    "call",
    "cancel",
    "checkPolicy",
    "close",
    "constructor",
    "execute",
    "explain",
    "finishSignIn",
    "follow",
    "get",
    "giveUp",
    "hydrate",
    "list",
    "log",
    "mcp",
    "offer",
    "on",
    "pick",
    "register",
    "resume",
    "run",
    "runs",
    "search",
    "session",
    "settle",
    "stream",
    "submit",
    "turn",
    "unregister",
    "wait",
  ]);
});
