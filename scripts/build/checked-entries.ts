import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Entry points that import an optional peer statically. */
export const checkedEntries: Readonly<Record<string, string>> = {
  "integrations/ai-sdk": "ai",
  "integrations/langchain": "@langchain/core",
  "integrations/mastra": "@mastra/core",
  "integrations/openai-agents": "@openai/agents",
  otel: "@opentelemetry/api",
};

/** The entry of the check itself, which the written files import. */
export const peerCheckEntry = { "peer-packages": "src/base/platform/peer-packages.ts" };

/**
 * Writes the file that Node's `import` of such an entry point loads. Node links all static imports before it
 * runs anything, so a missing peer would end in ERR_MODULE_NOT_FOUND before any check. This file checks first
 * and imports then. `require` and bundlers get the entry point itself, because they do not support top-level
 * await.
 */
export const writeCheckedEntry = (dist: string, entryPoint: string, names: readonly string[]): void => {
  const [peer, file] = [JSON.stringify(checkedEntries[entryPoint]), `${entryPoint}.import.js`];
  const folder = relative(join(dist, dirname(entryPoint)), dist) || ".";
  const needs = JSON.stringify(`haft/${entryPoint} needs`);
  const text = `import { checkPackage, missingPackage } from "${folder}/peer-packages.js";
checkPackage(${peer}, ${needs});
const entry = await import("./${entryPoint.split("/").at(-1)}.js").catch(missingPackage(${peer}, ${needs}));
export const { ${[...names].sort().join(", ")} } = entry;
`;
  writeFileSync(join(dist, file), text);
};
