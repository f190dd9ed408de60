import { readFileSync } from "node:fs";
import { readJson } from "../../json/read-json.ts";
import { ConfigurationError } from "../../words/errors.ts";
import { readIgnore } from "./ignored.ts";
import { type Tape, type TapeEntry, tapeLimits, tapeVersion } from "./tape.ts";
import { outcomeProblem } from "./taped-outcome.ts";

export interface ReadTape extends Tape {
  /** On which line of the file each entry begins, from 1. */
  readonly lines: readonly number[];
}

/** The tape in a file. Whatever is wrong with it is said, and nothing is guessed. */
export const readTape = (path: string): ReadTape => {
  const text = readText(path);
  const reading = readJson(text, tapeLimits);
  if (!reading.ok) throw refused(path, `is not strict JSON. ${reading.problem.message}`);
  const { kind, version, ignore, entries } = (reading.value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== "haft cassette") throw refused(path, 'is no cassette: its `kind` is not "haft cassette".');
  if (version !== tapeVersion) {
    const hint = typeof version === "number" && version > tapeVersion ? " A newer haft wrote it." : "";
    throw refused(path, `has version ${JSON.stringify(version)}; this haft reads ${tapeVersion}.${hint}`);
  }
  if (!Array.isArray(entries) || !isTexts(ignore)) throw refused(path, "has no list `entries` or `ignore`.");
  readIgnore(ignore);
  const lines = entryLines(text);
  entries.forEach((entry, index) => {
    const problem = entryProblem(entry);
    if (problem !== undefined) {
      throw refused(path, `is damaged: /entries/${index} (line ${lines[index]}) ${problem}.`);
    }
  });
  return { ignore, entries: entries as readonly TapeEntry[], lines };
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw refused(path, `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

const entryProblem = (entry: unknown): string | undefined => {
  if (typeof entry !== "object" || entry === null) return "is no object";
  const { tool, argumentsHash, definition, group, outcome } = entry as Partial<Record<string, unknown>>;
  const named = Object.entries({ tool, argumentsHash, definition });
  const missing = named.find(([, text]) => typeof text !== "string" || text === "")?.[0];
  if (missing !== undefined) return `has no \`${missing}\``;
  if (!Object.hasOwn(entry, "arguments")) return "has no `arguments`";
  return Number.isSafeInteger(group) ? outcomeProblem(outcome) : "has no `group`";
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Only entries are objects in a list of the outermost object, however the file was formatted since. */
const entryLines = (text: string): readonly number[] => {
  const lines: number[] = [];
  let [line, depth] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") line++;
    else if (character === '"') at = stringEnd(text, at);
    else if (character === "{" || character === "[") {
      if (depth === 2 && character === "{") lines.push(line);
      depth++;
    } else if (character === "}" || character === "]") depth--;
  }
  return lines;
};

const stringEnd = (text: string, start: number): number => {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
};

const refused = (path: string, what: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The cassette ${path} ${what} Bring back the file, or delete it and record again.`,
  );
