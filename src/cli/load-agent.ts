import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname } from "node:path";
import { agentsFromSpecs } from "../agent/agents-from-specs.ts";
import { readAgent } from "../tools/gram/agent-file.ts";
import { checkGramFile } from "../tools/gram/check-gram-file.ts";
import { formatDiagnostic } from "../tools/gram/format-diagnostic.ts";
import type { Agent, Library } from "../types/agent.ts";
import type { Model } from "../types/model.ts";
import { CommandUsageError, type Terminal } from "./command.ts";
import { loadModule } from "./load-module.ts";
import { loadLibrary } from "./load-tools.ts";
import { painter } from "./screen.ts";
import { createTrust, type TrustFlags } from "./trust/trust.ts";

export interface LoadedAgent {
  readonly agent: Agent;
  readonly library: Library | undefined;
  readonly model: Model | string;
}

interface AgentOverrides extends TrustFlags {
  readonly library?: string | undefined;
  readonly model?: string | undefined;
}

const dataExtensions = new Set([".gram", ".json"]);
const codeExtensions = [".ts", ".mts", ".js", ".mjs"];

export const loadAgent = async (
  file: string,
  given: AgentOverrides,
  terminal: Terminal,
): Promise<LoadedAgent> => {
  if (!existsSync(file)) throw new CommandUsageError(`The agent file ${file} does not exist.`);
  const extension = extname(file);
  const agent = dataExtensions.has(extension) ? await readAgentFile(file) : await importAgent(file);
  const libraryFile = dataExtensions.has(extension) ? findLibraryFile(file, extension) : undefined;
  const library = given.library ?? libraryFile;
  // The command line names only the .gram file, so the code next to it needs a trusted folder.
  if (library !== undefined && library !== given.library)
    await createTrust(given, terminal).requireFolder(dirname(library), [basename(library)]);
  const { model } = agent;
  return {
    agent,
    library: library === undefined ? undefined : await loadLibrary(library),
    model:
      typeof model === "object" && given.model === undefined
        ? model
        : chooseModelName(given.model, model as string | undefined, terminal),
  };
};

export const readAgentFile = async (file: string): Promise<Agent> => {
  const text = await readFile(file, "utf8");
  const { diagnostics } = checkGramFile(text);
  const reading = readAgent(text);
  if (!reading.ok || diagnostics.length > 0) {
    const wrong = reading.ok || diagnostics.length > 0 ? diagnostics : reading.diagnostics;
    const shown = wrong.map((diagnostic) => formatDiagnostic(text, diagnostic)).join("\n\n");
    throw new CommandUsageError(`${file} cannot be read.\n\n${shown}`);
  }
  const [agent] = agentsFromSpecs(reading.agents).filter(({ name }) => name === reading.agent.name);
  return agent!;
};

const importAgent = async (file: string): Promise<Agent> => {
  const module = await loadModule(file, "agent");
  const found = [module.default, ...Object.values(module)].find(isAgent);
  if (found === undefined)
    throw new CommandUsageError(`${file} exports no agent. Export the result of agent({ … }).`);
  return found;
};

/** The library of `hello.gram` is `hello.ts` in the same folder. */
const findLibraryFile = (file: string, extension: string): string | undefined => {
  const stem = file.slice(0, -extension.length);
  return codeExtensions.map((each) => stem + each).find((each) => existsSync(each));
};

const isAgent = (value: unknown): value is Agent =>
  typeof value === "object" && value !== null && "instructions" in value && "layer" in value;

const providerKeyVariables: Readonly<Record<string, readonly string[]>> = {
  openai: ["OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
};

/**
 * Falls back to the offline planner if the provider of the agent's model has no key. A requested model is
 * never replaced.
 */
const chooseModelName = (
  requested: string | undefined,
  agentModel: string | undefined,
  terminal: Terminal,
): string => {
  if (requested !== undefined) return requested;
  if (agentModel === undefined) return useOfflineModel("The agent has no model", terminal);
  const needed = providerKeyVariables[agentModel.split("/")[0]?.toLowerCase() ?? ""];
  if (needed === undefined || needed.some((name) => terminal.env[name])) return agentModel;
  return useOfflineModel(`${needed[0]} is not set, so ${agentModel} cannot be used`, terminal);
};

const useOfflineModel = (why: string, terminal: Terminal): string => {
  terminal.error(painter(terminal).dim(`${why}. The offline planner is used instead.\n`));
  return "offline";
};
