import type { PeerPackage } from "../../src/base/platform/peer-packages.ts";

/** The expected result of an entry point: it loads, or a peer is missing or has an unsupported version. */
export type PeerVerdict = "loads" | "missing" | "unsupported";

export interface PeerCase {
  readonly name: string;
  /** Installed before Haft, as in a project that adds Haft later. */
  readonly packages: readonly string[];
  /** Results that differ from those of a project without peers. */
  readonly expected: Readonly<Record<string, PeerVerdict>>;
}

/** Entry points and the peer that each needs when it is imported or first used. */
export const entryPeers: Readonly<Record<string, PeerPackage | undefined>> = {
  haft: undefined,
  "haft/integrations/ai-sdk": "ai",
  "haft/integrations/effect-ai": undefined,
  "haft/integrations/langchain": "@langchain/core",
  "haft/integrations/mastra": "@mastra/core",
  "haft/integrations/openai-agents": "@openai/agents",
  "haft/models/ai-sdk": undefined,
  "haft/models/anthropic": "@anthropic-ai/sdk",
  "haft/models/gemini": "@google/genai",
  "haft/models/ollama": "ollama",
  "haft/models/openai": "openai",
  "haft/cedar": "@cedar-policy/cedar-wasm",
  "haft/ledger": "pg",
  "haft/openapi": "js-yaml",
  "haft/otel": "@opentelemetry/api",
  "haft/chat": undefined,
};

// The AI SDK and Google's SDK have OpenTelemetry and others as dependencies, which affects other entry points
// too.
export const peerCases: readonly PeerCase[] = [
  { name: "no peers", packages: [], expected: {} },
  {
    name: "ai 5",
    packages: ["ai@5"],
    expected: { "haft/integrations/ai-sdk": "unsupported", "haft/otel": "loads" },
  },
  {
    name: "ai 6",
    packages: ["ai@6"],
    expected: { "haft/integrations/ai-sdk": "unsupported", "haft/otel": "loads" },
  },
  { name: "ai 7", packages: ["ai@7"], expected: { "haft/integrations/ai-sdk": "loads" } },
  { name: "@google/genai 2", packages: ["@google/genai@2"], expected: { "haft/models/gemini": "loads" } },
  {
    name: "@google/genai 3",
    packages: ["@google/genai@3"],
    expected: { "haft/models/gemini": "loads" },
  },
  { name: "effect 4.0", packages: ["effect@~4.0.0"], expected: {} },
  { name: "effect 4.1", packages: ["effect@~4.1.0"], expected: {} },
];
