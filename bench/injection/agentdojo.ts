import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { KnownTargets } from "../../src/policy/lineage/known-targets.ts";
import type { ArgumentRoles } from "../../src/types/lineage.ts";

/** A call of a ground truth and its result in the benign environment. */
export interface TaskCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Index of the result's text. */
  readonly result: number;
}

export interface Task {
  readonly id: string;
  /** The request of the user, for user tasks. */
  readonly prompt?: string;
  readonly calls: readonly TaskCall[];
}

/** One user task in an environment that contains the instructions of one injection task. */
export interface InjectionCase {
  readonly user: number;
  readonly injection: number;
  readonly attack: string;
  /** Index of the first call of the user task whose result contains the payload. */
  readonly first: number;
  /** Texts that differ from the benign ones, by index of the call. */
  readonly results: Readonly<Record<string, number>>;
  /** Arguments for the changed environment, by index of the call. */
  readonly args?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Annotations by an honest author. */
export interface ToolFacts {
  readonly readOnly: boolean;
  /** Returns content of third parties. */
  readonly openWorldIn: boolean;
  /** Sends its arguments outside the organization. */
  readonly openWorldOut: boolean;
  readonly destructive: boolean;
  readonly sink: boolean;
  /** Returns data of the user that nobody else should get. */
  readonly private: boolean;
}

/** What an argument of a sink decides; `anchor` is the role `subject`. */
type RoleFact = "target" | "id" | "anchor" | "content" | "value";

export interface SinkFacts {
  readonly roles: ArgumentRoles;
  /** The call can be taken back and tells nobody new. */
  readonly isReversible: boolean;
}

export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Suite {
  readonly name: string;
  readonly tools: readonly DescribedTool[];
  readonly facts: Readonly<Record<string, ToolFacts>>;
  readonly sinks: Readonly<Record<string, SinkFacts>>;
  /** Recipients and sites that the organization knows, by argument name. */
  readonly knownTargets: KnownTargets;
  readonly userTasks: readonly Task[];
  readonly injectionTasks: readonly Task[];
  readonly cases: readonly InjectionCase[];
  readonly texts: readonly string[];
}

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const dataFolder = (): string =>
  join(process.env.HAFT_SUITES ?? join(root, "../shared/data"), "agentdojo");

export const readSuites = (folder: string): readonly Suite[] => {
  const read = <A>(name: string): A => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as A;
  const tools = read<Record<string, readonly DescribedTool[]>>("tools");
  const facts = read<Record<string, Record<string, ToolFacts>>>("annotations");
  const userTasks = read<Record<string, readonly Task[]>>("user_tasks");
  const injectionTasks = read<Record<string, readonly Task[]>>("injection_tasks");
  const cases = read<Record<string, readonly InjectionCase[]>>("cases");
  const texts = read<readonly string[]>("texts");
  const roles = read<Record<string, Record<string, Record<string, RoleFact | true>>>>("roles");
  const registry = read<Record<string, Record<string, readonly string[]>>>("registry");
  return Object.keys(tools).map((name) => ({
    name,
    tools: tools[name]!,
    facts: facts[name]!,
    sinks: toSinks(roles[name]!),
    knownTargets: toKnownTargets(registry[name] ?? {}),
    userTasks: userTasks[name]!,
    injectionTasks: injectionTasks[name]!,
    cases: cases[name]!,
    texts,
  }));
};

const toSinks = (
  given: Readonly<Record<string, Readonly<Record<string, RoleFact | true>>>>,
): Suite["sinks"] =>
  Object.fromEntries(
    Object.entries(given).map(([tool, { undo, ...roles }]) => [
      tool,
      {
        roles: Object.fromEntries(
          Object.entries(roles).map(([argument, role]) => [argument, role === "anchor" ? "subject" : role]),
        ) as ArgumentRoles,
        isReversible: undo === true,
      },
    ]),
  );

/**
 * The registry has regular expressions: names in one group, mail domains, and hosts with an optional scheme
 * and path.
 */
const toKnownTargets = (given: Readonly<Record<string, readonly string[]>>): KnownTargets =>
  Object.fromEntries(
    Object.entries(given).map(([argument, patterns]) => [argument, patterns.flatMap(toEntries)]),
  );

const toEntries = (pattern: string): readonly string[] => {
  const plain = pattern
    .replace(/^\^|\$$/g, "")
    .replace("(https?://)?", "")
    .replace("(/|$)", "")
    .replace("[^@]+@", "*@")
    .replaceAll("\\.", ".");
  const group = /^(.*)\(([^()]+)\)(.*)$/.exec(plain);
  if (group === null) return [plain];
  return group[2]!.split("|").map((each) => `${group[1]}${each}${group[3]}`);
};

/** Cases refer to tasks by the number in their id. */
export const taskOf = (tasks: readonly Task[], number: number): Task => {
  const found = tasks.find(({ id }) => id.endsWith(`_${number}`));
  if (found === undefined) throw new Error(`Unknown task ${number}.`);
  return found;
};
