import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { isObject } from "../../base/json/json-value.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ExperimentRun, ToolUse } from "./experiment-result.ts";
import { runKey } from "./options.ts";
import type { ExperimentPlan } from "./read-experiment.ts";

export interface ExperimentJournal {
  readonly startedAt: string;
  readonly finished: ReadonlyMap<string, ExperimentRun>;
  readonly add: (record: ExperimentRun) => void;
}

interface JournalHeader {
  readonly kind: "haft-experiment";
  readonly version: 1;
  readonly asked: string;
  readonly agent: string;
  readonly arms: readonly string[];
  readonly startedAt: string;
}

const headerPrefix = '{"kind":"haft-experiment"';

export const discardingJournal = (startedAt: string): ExperimentJournal => ({
  startedAt,
  finished: new Map(),
  add: () => {},
});

/**
 * Opens a JSONL journal: a header, then one line per run. A truncated last line is dropped and its run
 * repeated; any other file is rejected unchanged.
 */
export const openExperimentJournal = (
  path: string,
  plan: ExperimentPlan,
  startedAt: string,
): ExperimentJournal => {
  const add = (record: ExperimentRun): void =>
    wrapFileErrors(path, () => appendFileSync(path, toLine(record)));
  const text = wrapFileErrors(path, () => readFileIfPresent(path));
  if (isBlank(text)) {
    const { hash, agent, arms } = plan;
    const names = arms.map(({ name }) => name);
    const header: JournalHeader = {
      kind: "haft-experiment",
      version: 1,
      asked: hash,
      agent: agent.name,
      arms: names,
      startedAt,
    };
    wrapFileErrors(path, () => writeFileSync(path, toLine(header)));
    return { startedAt, finished: new Map(), add };
  }
  const completeLines = text.slice(0, text.lastIndexOf("\n") + 1);
  const [first = "", ...lines] = completeLines.split("\n").slice(0, -1);
  const header = readHeader(path, first, plan);
  const finished = readRecords(path, lines, plan);
  const left = text.slice(completeLines.length);
  if (left !== "") wrapFileErrors(path, () => truncateSync(path, Buffer.byteLength(completeLines)));
  return { startedAt: header.startedAt, finished, add };
};

const isBlank = (text: string): boolean =>
  text === "" || (!text.includes("\n") && (text.startsWith(headerPrefix) || headerPrefix.startsWith(text)));

const readHeader = (path: string, line: string, { hash }: ExperimentPlan): JournalHeader => {
  const header = parseLine(line) as Partial<JournalHeader> | undefined;
  if (header?.kind !== "haft-experiment" || typeof header.startedAt !== "string") {
    throw invalidConfigError(
      `The file "${path}" is not a journal of an experiment. Use another path, or remove the file.`,
    );
  }
  if (header.version === 1 && header.asked === hash) return header as JournalHeader;
  throw invalidConfigError(
    `The journal "${path}" belongs to another experiment: its agent, arms, inputs, runs or seed differ. Use another path, or repeat the same experiment.`,
  );
};

const readRecords = (
  path: string,
  lines: readonly string[],
  { arms, inputs, repetitions }: ExperimentPlan,
): ReadonlyMap<string, ExperimentRun> => {
  const names = new Set(arms.map(({ name }) => name));
  const ids = new Set(inputs.map(({ id }) => id));
  const finished = new Map<string, ExperimentRun>();
  for (const [index, line] of lines.entries()) {
    const record = parseLine(line);
    const isOurs =
      isRunRecord(record) &&
      names.has(record.arm) &&
      ids.has(record.input) &&
      record.repetition <= repetitions;
    if (!isOurs)
      throw invalidConfigError(`Line ${index + 2} of the journal "${path}" is not a run of this experiment.`);
    const key = runKey(record.arm, record.input, record.repetition);
    if (!finished.has(key)) finished.set(key, record);
  }
  return finished;
};

const toLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const readFileIfPresent = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
};

const wrapFileErrors = <A>(path: string, body: () => A): A => {
  try {
    return body();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidConfigError(`The journal "${path}" cannot be read or written: ${why}`);
  }
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);

const isRunRecord = (value: unknown): value is ExperimentRun => {
  if (!isObject(value)) return false;
  const { arm, input, repetition, success, status, reason, latencyMs, usage, turns, tools, scores, answer } =
    value;
  return (
    [arm, input, status, answer].every((text) => typeof text === "string") &&
    (reason === undefined || typeof reason === "string") &&
    typeof success === "boolean" &&
    Number.isSafeInteger(repetition) &&
    (repetition as number) >= 1 &&
    (latencyMs === null || isAmount(latencyMs)) &&
    (turns === null || isAmount(turns)) &&
    (usage === null || (isObject(usage) && isAmount(usage.inputTokens) && isAmount(usage.outputTokens))) &&
    Array.isArray(tools) &&
    tools.every(isToolUse) &&
    isObject(scores) &&
    Object.values(scores).every((score) => Number.isFinite(score))
  );
};

const isToolUse = (value: unknown): value is ToolUse =>
  isObject(value) && typeof value.name === "string" && isAmount(value.calls) && isAmount(value.failures);

const isAmount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;
