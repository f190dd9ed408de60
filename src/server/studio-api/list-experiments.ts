import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExperimentResult } from "../experiment/result.ts";
import { isObject } from "../json/is-object.ts";
import { notFound } from "./refused.ts";
import { readCount } from "./request/read-query.ts";
import type { Visit } from "./visit.ts";
import type { ExperimentLine } from "./words/experiments.ts";
import type { Page } from "./words/shared.ts";
import type { StudioWorld } from "./world.ts";

/** A longer file is no result of `haft ab`. */
const longestFile = 64 * 1_048_576;

/** Results that somebody wrote into the folders of the Studio, newest first. */
export const listExperiments = async ({ world, query }: Visit): Promise<Page<ExperimentLine>> => {
  const limit = readCount(query, "limit", 100, 500);
  const found = await findAll(world);
  const items = found
    .map(({ line }) => world.redactor.value(line) as ExperimentLine)
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  return { items: items.slice(0, limit), isCut: items.length > limit };
};

export const showExperiment = async ({ world, params }: Visit): Promise<ExperimentResult> => {
  const found = (await findAll(world)).find(({ line }) => line.id === params.id);
  if (found === undefined) throw notFound(`experiment "${params.id}"`);
  return world.redactor.value(found.result) as ExperimentResult;
};

interface FoundExperiment {
  readonly line: ExperimentLine;
  readonly result: ExperimentResult;
}

const findAll = async ({ options }: StudioWorld): Promise<readonly FoundExperiment[]> => {
  const found: FoundExperiment[] = [];
  for (const [index, folder] of options.experiments.entries()) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
      const result = await readResult(join(folder, name));
      if (result === undefined) continue;
      const { agent, startedAt, verdict, arms, runs } = result;
      const about = { agent, startedAt, verdict, arms: arms.map(({ label }) => label), runs: runs.length };
      found.push({ result, line: { id: `${index}-${name}`, file: name, ...about } });
    }
  }
  return found;
};

/** Whatever else lies in the folder is passed over. */
const readResult = async (file: string): Promise<ExperimentResult | undefined> => {
  try {
    if ((await stat(file)).size > longestFile) return undefined;
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const isResult =
      isObject(value) &&
      value.kind === "haft-experiment" &&
      typeof value.agent === "string" &&
      typeof value.startedAt === "string" &&
      Array.isArray(value.runs) &&
      Array.isArray(value.arms) &&
      value.arms.every((arm) => isObject(arm) && typeof arm.label === "string");
    return isResult ? (value as unknown as ExperimentResult) : undefined;
  } catch {
    return undefined;
  }
};
