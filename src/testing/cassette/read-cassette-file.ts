import { readFileSync } from "node:fs";
import { isStringList } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { ConfigurationError } from "../../types/errors.ts";
import {
  type CassetteEntry,
  type CassetteFile,
  cassetteJsonLimits,
  cassetteVersion,
} from "./cassette-file.ts";
import { parseIgnorePointers } from "./ignored-arguments.ts";
import { outcomeProblem } from "./recorded-outcome.ts";

export interface ParsedCassetteFile extends CassetteFile {
  /** The line of each entry, from 1. */
  readonly lines: readonly number[];
}

export const readCassetteFile = (path: string): ParsedCassetteFile => {
  const text = readCassetteText(path);
  const reading = readJson(text, cassetteJsonLimits);
  if (!reading.ok) throw cassetteFileError(path, `is not strict JSON. ${reading.problem.message}`);
  const { kind, version, ignore, entries } = (reading.value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== "haft cassette")
    throw cassetteFileError(path, 'is not a cassette: its `kind` is not "haft cassette".');
  if (version !== cassetteVersion) {
    const hint = typeof version === "number" && version > cassetteVersion ? " A newer haft wrote it." : "";
    throw cassetteFileError(
      path,
      `has version ${JSON.stringify(version)}; this haft reads ${cassetteVersion}.${hint}`,
    );
  }
  if (!Array.isArray(entries) || !isStringList(ignore))
    throw cassetteFileError(path, "has no list `entries` or `ignore`.");
  parseIgnorePointers(ignore);
  const lines = findEntryLines(text);
  entries.forEach((entry, index) => {
    const problem = entryProblem(entry);
    if (problem !== undefined) {
      throw cassetteFileError(path, `is damaged: /entries/${index} (line ${lines[index]}) ${problem}.`);
    }
  });
  return { ignore, entries: entries as readonly CassetteEntry[], lines };
};

const readCassetteText = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw cassetteFileError(
      path,
      `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
};

const entryProblem = (entry: unknown): string | undefined => {
  if (typeof entry !== "object" || entry === null) return "is not an object";
  const { tool, argumentsHash, definition, group, outcome } = entry as Partial<Record<string, unknown>>;
  const named = Object.entries({ tool, argumentsHash, definition });
  const missing = named.find(([, text]) => typeof text !== "string" || text === "")?.[0];
  if (missing !== undefined) return `has no \`${missing}\``;
  if (!Object.hasOwn(entry, "arguments")) return "has no `arguments`";
  return Number.isSafeInteger(group) ? outcomeProblem(outcome) : "has no `group`";
};

/** Entries are the only objects at this depth, however the file is formatted. */
const findEntryLines = (text: string): readonly number[] => {
  const lines: number[] = [];
  let [line, depth] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") line++;
    else if (character === '"') at = findStringEnd(text, at);
    else if (character === "{" || character === "[") {
      if (depth === 2 && character === "{") lines.push(line);
      depth++;
    } else if (character === "}" || character === "]") depth--;
  }
  return lines;
};

const findStringEnd = (text: string, start: number): number => {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
};

const cassetteFileError = (path: string, what: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The cassette ${path} ${what} Restore the file, or delete it and record again.`,
  );
