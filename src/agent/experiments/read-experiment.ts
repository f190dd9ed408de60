import { hashJson } from "../../base/json/canonical-json.ts";
import { suggestName } from "../../base/text/nearest.ts";
import { readCount } from "../../pipeline/layers/read-option.ts";
import { type Agent, handoffsOf } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { type CostFunction, toCostFunction } from "../cost.ts";
import { type LibrarySource, toLibrary } from "../to-library.ts";
import type { ExperimentInput, ExperimentOptions } from "./options.ts";

export interface ExperimentArm {
  readonly name: string;
  readonly library: LibrarySource;
  /** Name of the library. */
  readonly called?: string;
}

export interface ExperimentPlan
  extends Pick<ExperimentOptions, "agent" | "run" | "measure" | "journal" | "onProgress"> {
  readonly arms: readonly ExperimentArm[];
  readonly inputs: readonly ExperimentInput[];
  readonly repetitions: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly costOf: CostFunction | undefined;
  /** Hash of agent, arms, inputs, repetitions and seed, without code. */
  readonly hash: string;
}

const optionFields: readonly (keyof ExperimentOptions)[] = [
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
  const odd = Object.keys(Object(options)).find((field) => !optionFields.includes(field as never));
  if (odd !== undefined) {
    throw invalidConfigError(
      `An experiment has no field \`${odd}\`.${suggestName(odd, optionFields)} The fields are: ${optionFields.join(", ")}.`,
    );
  }
  const { agent, run, measure, journal, onProgress, price } = options;
  if (typeof agent?.layer !== "function")
    throw invalidConfigError("An experiment needs an `agent`. Create one with agent({ … }).");
  checkFunctions({ run, measure, onProgress });
  if (journal !== undefined && (typeof journal !== "string" || journal === ""))
    throw invalidConfigError("`journal` must be the path of a file.");
  const arms = withLibraryNames(readArms(options.arms), options.libraries);
  const inputs = readInputs(options.inputs);
  const repetitions = readCount("runs", options.runs ?? 1, 1);
  const seed = options.seed ?? 1;
  if (!Number.isSafeInteger(seed)) throw invalidConfigError("`seed` must be a whole number.");
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
    costOf: price === undefined ? undefined : toCostFunction(price),
    hash: hashPlan(agent, arms, inputs, repetitions, seed),
  };
};

const checkFunctions = ({ run, measure, onProgress }: Partial<ExperimentOptions>): void => {
  if (typeof run !== "function")
    throw invalidConfigError(
      "An experiment needs `run`: (agent, input, options) => haft.run(agent, input, options).",
    );
  if (measure !== undefined && typeof measure !== "function")
    throw invalidConfigError(
      "`measure` must be a function of a response and its input: { success?, scores? }.",
    );
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidConfigError("`onProgress` must be a function of { done, total, etaMs }.");
};

const readArms = (given: ExperimentOptions["arms"]): readonly ExperimentArm[] => {
  const arms = Object.entries(Object(given)).map(([name, library]): ExperimentArm => {
    if (name.trim() === "") throw invalidConfigError("An arm needs a name.");
    toLibrary(library as LibrarySource);
    return { name, library: library as LibrarySource };
  });
  if (arms.length >= 2) return arms;
  throw invalidConfigError("An experiment compares at least two `arms`: { a: libraryA, b: libraryB }.");
};

const withLibraryNames = (
  arms: readonly ExperimentArm[],
  libraries: ExperimentOptions["libraries"] = {},
): readonly ExperimentArm[] => {
  const names = Object.entries(Object(libraries));
  const odd = names.find(([arm]) => !arms.some(({ name }) => name === arm))?.[0];
  if (odd !== undefined)
    throw invalidConfigError(`\`libraries\` names "${odd}", which is not one of the arms.`);
  if (names.some(([, name]) => typeof name !== "string" || name.trim() === ""))
    throw invalidConfigError('`libraries` must map arms to the names of their libraries: { a: "lib-a.ts" }.');
  const called = new Map(names as readonly [string, string][]);
  return arms.map((arm) => (called.has(arm.name) ? { ...arm, called: called.get(arm.name)! } : arm));
};

const readInputs = (given: ExperimentOptions["inputs"]): readonly ExperimentInput[] => {
  if (!Array.isArray(given) || given.length === 0) {
    throw invalidConfigError(
      "An experiment needs `inputs`: a list of strings, or of { id, input, context?, expect? }.",
    );
  }
  const inputs = given.map((each, index): ExperimentInput => {
    if (typeof each === "string") return { id: String(index + 1), input: each };
    if (typeof each?.input !== "string" || typeof each.id !== "string" || each.id === "") {
      throw invalidConfigError(
        `/inputs/${index} must be a string or { id, input, context?, expect? }, where id and input are strings.`,
      );
    }
    if (each.context !== undefined && !Array.isArray(each.context))
      throw invalidConfigError(`/inputs/${index}/context is not a list of messages.`);
    return each;
  });
  const ids = inputs.map(({ id }) => id);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) throw invalidConfigError(`Two inputs have the id "${duplicate}".`);
  return inputs;
};

const hashPlan = (
  agent: Agent,
  arms: readonly ExperimentArm[],
  inputs: readonly ExperimentInput[],
  repetitions: number,
  seed: number,
): string => {
  try {
    return hashJson({
      agent: describeAgent(agent, new Set()),
      arms: arms.map(({ name }) => name),
      inputs,
      repetitions,
      seed,
    });
  } catch (error) {
    throw invalidConfigError(
      `An experiment's inputs, and the settings and specs of its agent, must be JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

/** Describes each agent once, because handoffs can be cyclic. */
const describeAgent = (agent: Agent, described: Set<string>): unknown => {
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
    handoffs: handoffsOf(agent).map((other) => describeAgent(other, described)),
  };
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
