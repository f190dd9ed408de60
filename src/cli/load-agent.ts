import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { agentsFromSpecs } from "../agent/from-specs.ts";
import { readAgent } from "../gram/agent-file.ts";
import { checkFile } from "../gram/check-file.ts";
import { formatDiagnostic } from "../gram/diagnostic.ts";
import type { Agent, Library } from "../words/agent.ts";
import type { Model } from "../words/model.ts";
import type { Terminal } from "./command.ts";
import { loadModule } from "./load-module.ts";
import { loadLibrary } from "./load-tools.ts";
import { Misuse } from "./misuse.ts";
import { painter } from "./screen.ts";

export interface LoadedAgent {
  readonly agent: Agent;
  readonly library: Library | undefined;
  readonly model: Model | string;
}

interface AgentOverrides {
  readonly library?: string | undefined;
  readonly model?: string | undefined;
}

const written = new Set([".gram", ".json"]);
const code = [".ts", ".mts", ".js", ".mjs"];

/** The agent of a file, the library that answers its specs, and the model that will be asked. */
export const loadAgent = async (
  file: string,
  given: AgentOverrides,
  terminal: Terminal,
): Promise<LoadedAgent> => {
  if (!existsSync(file)) throw new Misuse(`There is no agent at ${file}.`);
  const extension = extname(file);
  const agent = written.has(extension) ? await readAgentFile(file) : await importAgent(file);
  const beside = written.has(extension) ? findBeside(file, extension) : undefined;
  const library = given.library ?? beside;
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
  const { diagnostics } = checkFile(text);
  const reading = readAgent(text);
  if (!reading.ok || diagnostics.length > 0) {
    const wrong = reading.ok || diagnostics.length > 0 ? diagnostics : reading.diagnostics;
    const shown = wrong.map((diagnostic) => formatDiagnostic(text, diagnostic)).join("\n\n");
    throw new Misuse(`${file} cannot be read.\n\n${shown}`);
  }
  const [agent] = agentsFromSpecs(reading.agents).filter(({ name }) => name === reading.agent.name);
  return agent!;
};

const importAgent = async (file: string): Promise<Agent> => {
  const module = await loadModule(file, "agent");
  const found = [module.default, ...Object.values(module)].find(isAgent);
  if (found === undefined) throw new Misuse(`${file} exports no agent. Export what agent({ … }) gives.`);
  return found;
};

/** `hello.gram` is answered by `hello.ts` beside it. */
const findBeside = (file: string, extension: string): string | undefined => {
  const stem = file.slice(0, -extension.length);
  return code.map((each) => stem + each).find((each) => existsSync(each));
};

const isAgent = (value: unknown): value is Agent =>
  typeof value === "object" && value !== null && "instructions" in value && "layer" in value;

/** Which variable holds the key of each provider that needs one. */
const keys: Readonly<Record<string, readonly string[]>> = {
  openai: ["OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
};

/**
 * The model that was asked for, or the agent's own. An agent whose provider has no key here is answered by the
 * offline planner, which is said; a model that was asked for by name is never replaced.
 */
const chooseModelName = (asked: string | undefined, own: string | undefined, terminal: Terminal): string => {
  if (asked !== undefined) return asked;
  if (own === undefined) return tellOffline("The agent names no model", terminal);
  const needed = keys[own.split("/")[0]?.toLowerCase() ?? ""];
  if (needed === undefined || needed.some((name) => terminal.env[name])) return own;
  return tellOffline(`${needed[0]} is not set, so ${own} cannot be asked`, terminal);
};

const tellOffline = (why: string, terminal: Terminal): string => {
  terminal.error(painter(terminal).dim(`${why}: the offline planner answers in its place.\n`));
  return "offline";
};
