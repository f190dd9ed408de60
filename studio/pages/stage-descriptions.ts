import type { StageName } from "./pipeline-stages.tsx";

export const stageDescriptions: Readonly<Record<StageName, string>> = {
  hydrate: "The arguments are read, repaired where that is allowed, and held against the schema.",
  bind: "The name is matched with a tool and its code.",
  authorize: "Policy decides whether this caller may do this, or whether a person is asked.",
  layers: "What stands around the code: retries, limits, caches, timeouts.",
  run: "The code runs.",
  check: "The result is checked, and marked where its words are not to be trusted.",
  record: "What happened is written into the ledger.",
  reply: "The caller is told.",
};
