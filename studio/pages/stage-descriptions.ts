import type { StageName } from "./pipeline-stages.tsx";

export const stageDescriptions: Readonly<Record<StageName, string>> = {
  hydrate: "Reads the arguments, repairs them if allowed, and validates them against the schema.",
  bind: "Finds the tool and its implementation by name.",
  authorize: "Checks the policy, and requests approval if it is required.",
  layers: "Runs the layers around the code, such as retries, limits, caches and timeouts.",
  run: "Runs the code of the tool.",
  check: "Validates the result, and marks untrusted content.",
  record: "Writes the outcome to the ledger.",
  reply: "Returns the result or the failure to the caller.",
};
