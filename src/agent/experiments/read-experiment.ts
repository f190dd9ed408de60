import { type CostOf, toCost } from "../agent/cost.ts";
import { type LibrarySource, toLibrary } from "../agent/library.ts";
import { hashJson } from "../json/hash.ts";
import { readCount } from "../layers/read-option.ts";
import { type Agent, handoffsOf } from "../words/agent.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { ExperimentInput, ExperimentOptions } from "./options.ts";

export interface Arm {
  readonly name: string;
  readonly library: LibrarySource;
  /** What the library is called. */
  readonly called?: string;
}

/** What an experiment is asked to do, made sense of before anything runs. */
export interface ExperimentPlan
  extends Pick<ExperimentOptions, "agent" | "run" | "measure" | "journal" | "onProgress"> {
  readonly arms: readonly Arm[];
  readonly inputs: readonly ExperimentInput[];
  readonly repetitions: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly costOf: CostOf | undefined;
  /** Equal for equal questions: agent, arms, inputs, repetitions and seed. Code has no hash. */
  readonly hash: string;
}

const fields: readonly (keyof ExperimentOptions)[] = [
  "agent",
  "arms",
  "libraries",
  "inputs",
  "run",
  "runs",
  "measure",
  "seed",
  "price",
  "concurrency",
  "journal",
  "onProgress",
  "signal",
];

export const readExperiment = (options: ExperimentOptions): ExperimentPlan => {
  const odd = Object.keys(Object(options)).find((field) => !fields.includes(field as never));
  if (odd !== undefined) {
    throw refused(
      `An experiment has no field \`${odd}\`, which means nothing here. The fields are: ${fields.join(", ")}.`,
    );
  }
  const { agent, run, measure, journal, onProgress, price } = options;
  if (typeof agent?.layer !== "function")
    throw refused("An experiment needs an `agent`; make one with agent({ … }).");
  checkFunctions({ run, measure, onProgress });
  if (journal !== undefined && (typeof journal !== "string" || journal === ""))
    throw refused("`journal` is the path of a file.");
  const arms = named(readArms(options.arms), options.libraries);
  const inputs = readInputs(options.inputs);
  const repetitions = readCount("runs", options.runs ?? 1, 1);
  const seed = options.seed ?? 1;
  if (!Number.isSafeInteger(seed)) throw refused("`seed` is a whole number.");
  return {
    agent,
    arms,
    inputs,
    run,
    measure,
    repetitions,
    seed,
    concurrency: readCount("concurrency", options.concurrency ?? 1, 1),
    journal,
    onProgress,
    costOf: price === undefined ? undefined : toCost(price),
    hash: hashAsked(agent, arms, inputs, repetitions, seed),
  };
};

const checkFunctions = ({ run, measure, onProgress }: Partial<ExperimentOptions>): void => {
  if (typeof run !== "function")
    throw refused("An experiment needs `run`: (agent, input, options) => haft.run(agent, input, options).");
  if (measure !== undefined && typeof measure !== "function")
    throw refused("`measure` is a function of a response and its input: { success?, scores? }.");
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw refused("`onProgress` is a function of { done, total, etaMs }.");
};

const readArms = (given: ExperimentOptions["arms"]): readonly Arm[] => {
  const arms = Object.entries(Object(given)).map(([name, library]): Arm => {
    if (name.trim() === "") throw refused("An arm needs a name.");
    toLibrary(library as LibrarySource);
    return { name, library: library as LibrarySource };
  });
  if (arms.length >= 2) return arms;
  throw refused("An experiment compares at least two `arms`: { a: libraryA, b: libraryB }.");
};

const named = (arms: readonly Arm[], libraries: ExperimentOptions["libraries"] = {}): readonly Arm[] => {
  const names = Object.entries(Object(libraries));
  const odd = names.find(([arm]) => !arms.some(({ name }) => name === arm))?.[0];
  if (odd !== undefined) throw refused(`\`libraries\` names "${odd}", which is none of the arms.`);
  if (names.some(([, name]) => typeof name !== "string" || name.trim() === ""))
    throw refused('`libraries` says of an arm what its library is called: { a: "lib-a.ts" }.');
  const called = new Map(names as readonly [string, string][]);
  return arms.map((arm) => (called.has(arm.name) ? { ...arm, called: called.get(arm.name)! } : arm));
};

const readInputs = (given: ExperimentOptions["inputs"]): readonly ExperimentInput[] => {
  if (!Array.isArray(given) || given.length === 0) {
    throw refused("An experiment needs `inputs`: a list of texts, or of { id, input, context?, expect? }.");
  }
  const inputs = given.map((each, index): ExperimentInput => {
    if (typeof each === "string") return { id: String(index + 1), input: each };
    if (typeof each?.input !== "string" || typeof each.id !== "string" || each.id === "") {
      throw refused(
        `/inputs/${index} is neither a text nor { id, input, context?, expect? } with two texts.`,
      );
    }
    if (each.context !== undefined && !Array.isArray(each.context))
      throw refused(`/inputs/${index}/context is no list of messages.`);
    return each;
  });
  const ids = inputs.map(({ id }) => id);
  const twin = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twin !== undefined) throw refused(`Two inputs have the id "${twin}".`);
  return inputs;
};

const hashAsked = (
  agent: Agent,
  arms: readonly Arm[],
  inputs: readonly ExperimentInput[],
  repetitions: number,
  seed: number,
): string => {
  try {
    return hashJson({
      agent: describe(agent, new Set()),
      arms: arms.map(({ name }) => name),
      inputs,
      repetitions,
      seed,
    });
  } catch (error) {
    throw refused(
      `An experiment's inputs, and the settings and specs of its agent, must be JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

/** Agents may hand over to each other, so each is described once and then only named. */
const describe = (agent: Agent, described: Set<string>): unknown => {
  if (described.has(agent.name)) return agent.name;
  described.add(agent.name);
  return {
    name: agent.name,
    instructions: agent.instructions,
    model: typeof agent.model === "object" ? agent.model.id : agent.model,
    settings: agent.settings,
    tools: agent.tools.map((tool) => {
      if (typeof tool === "string") return tool;
      const { name, description, input } = "spec" in tool ? tool.spec : tool;
      return { name, description, input };
    }),
    ...(agent.toolSearch === undefined ? {} : { toolSearch: agent.toolSearch }),
    handoffs: handoffsOf(agent).map((other) => describe(other, described)),
  };
};

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
