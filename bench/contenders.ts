import type { Contender } from "./contender.ts";

/** Imported lazily, so that each runs alone in its process and may be missing. */
export const contenders = {
  floor: async () => (await import("./contenders/floor.ts")).floor,
  haft: async () => (await import("./contenders/haft.ts")).haft,
  "haft-sqlite": async () => (await import("./contenders/haft.ts")).haftSqlite,
  "langgraph-tool-node": async () => (await import("./contenders/langgraph-tool-node.ts")).langgraphToolNode,
  "effect-ai": async () => (await import("./contenders/effect-ai.ts")).effectAi,
  "ai-sdk": async () => (await import("./contenders/ai-sdk.ts")).aiSdk,
  "openai-agents": async () => (await import("./contenders/openai-agents.ts")).openaiAgents,
  "langchain-agent": async () => (await import("./contenders/langchain-agent.ts")).langchainAgent,
  mastra: async () => (await import("./contenders/mastra.ts")).mastra,
} satisfies Record<string, () => Promise<Contender>>;

export type ContenderId = keyof typeof contenders;

export const contenderIds = Object.keys(contenders) as readonly ContenderId[];

export const isContenderId = (value: string): value is ContenderId => value in contenders;
