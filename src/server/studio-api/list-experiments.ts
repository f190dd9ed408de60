import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExperimentResult } from "../../agent/experiments/experiment-result.ts";
import { isObject } from "../../base/json/json-value.ts";
import type { ApiContext } from "./api-context.ts";
import { notFoundError } from "./api-error.ts";
import { readCount } from "./read-query.ts";
import type { ExperimentListItem } from "./schemas/experiments.ts";
import type { Page } from "./schemas/shared.ts";
import type { StudioServices } from "./studio-services.ts";

const maxExperimentFileBytes = 64 * 1_048_576;

export const listExperiments = async ({ studio, query }: ApiContext): Promise<Page<ExperimentListItem>> => {
  const limit = readCount(query, "limit", 100, 500);
  const found = await readExperiments(studio);
  const items = found
    .map(({ line }) => studio.redactor.value(line) as ExperimentListItem)
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  return { items: items.slice(0, limit), hasMore: items.length > limit };
};

export const showExperiment = async ({ studio, params }: ApiContext): Promise<ExperimentResult> => {
  const found = (await readExperiments(studio)).find(({ line }) => line.id === params.id);
  if (found === undefined) throw notFoundError(`experiment "${params.id}"`);
  return studio.redactor.value(found.result) as ExperimentResult;
};

interface StoredExperiment {
  readonly line: ExperimentListItem;
  readonly result: ExperimentResult;
}

const readExperiments = async ({ options }: StudioServices): Promise<readonly StoredExperiment[]> => {
  const found: StoredExperiment[] = [];
  for (const [index, folder] of options.experiments.entries()) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
      const result = await readExperimentFile(join(folder, name));
      if (result === undefined) continue;
      const { agent, startedAt, verdict, arms, runs } = result;
      const about = { agent, startedAt, verdict, arms: arms.map(({ label }) => label), runs: runs.length };
      found.push({ result, line: { id: `${index}-${name}`, file: name, ...about } });
    }
  }
  return found;
};

const readExperimentFile = async (file: string): Promise<ExperimentResult | undefined> => {
  try {
    if ((await stat(file)).size > maxExperimentFileBytes) return undefined;
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
