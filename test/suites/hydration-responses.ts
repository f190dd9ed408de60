import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { callCollector, collectCalls, readCalls } from "../../src/models/dialects/read-calls.ts";
import type { WireName } from "../../src/models/dialects/wires.ts";
import type { RawCall } from "../../src/types/call.ts";
import type { Suite } from "./suite.ts";

interface Expected {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: unknown;
  readonly argumentsParse: boolean;
  readonly executedBy?: "provider";
}

interface Entry {
  readonly file: string;
  readonly wire: WireName;
  readonly expected: readonly Expected[];
}

export const name = "recorded provider replies whose calls are read, whole and streamed";

export const floor = 1;

export const mostWrong = 0;

const unreadable = Symbol("unreadable");

/** The value that hydration reads before any schema. An empty text has no arguments. */
const findToolArguments = ({ input, finish }: RawCall): unknown => {
  if (finish !== "complete") return unreadable;
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return unreadable;
  }
};

const differs = (
  call: RawCall | undefined,
  expected: Expected | undefined,
  place: number,
): string | undefined => {
  if (call === undefined) return `call ${place} is missing`;
  if (expected === undefined) return `call ${place} is none`;
  if (expected.id ? call.id !== expected.id : call.id === "") return `call ${place} has the id ${call.id}`;
  if (call.tool !== expected.name) return `call ${place} is of ${call.tool}`;
  if (call.index !== place) return `call ${place} has the index ${call.index}`;
  if ((call.providerExecuted === true) !== (expected.executedBy === "provider")) {
    return `call ${place} is run by the provider`;
  }
  const wanted = expected.argumentsParse ? expected.arguments : unreadable;
  return isDeepStrictEqual(findToolArguments(call), wanted) ? undefined : `call ${place} has other arguments`;
};

const compare = (calls: readonly RawCall[], expected: readonly Expected[]): string | undefined =>
  Array.from({ length: Math.max(calls.length, expected.length) }, (_, place) =>
    differs(calls[place], expected[place], place),
  ).find((difference) => difference !== undefined);

/** Every way a stream may reach the collector; all must give the same calls. */
const streamed = (wire: WireName, text: string, framed: boolean): readonly (readonly RawCall[])[] => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const data = lines.filter((line) => !framed || line.startsWith("data:"));
  const values = data.map((line) => line.replace(/^data:/, "").trim()).filter((line) => line !== "[DONE]");
  const events = values.map((line) => JSON.parse(line) as unknown);
  const sse = framed ? text : `${values.map((line) => `data: ${line}`).join("\n\n")}\n\n`;
  const collector = callCollector(wire);
  for (const event of events) collector.push(event);
  const pieces = sse.match(/[\s\S]{1,37}/g) ?? [];
  return [
    collector.calls(),
    ...[events, lines, values, sse, pieces].map((given) => collectCalls(wire, given)),
  ];
};

const read = (file: string, wire: WireName, text: string): readonly (readonly RawCall[])[] =>
  file.endsWith(".json")
    ? [readCalls(wire, text), readCalls(wire, JSON.parse(text))]
    : streamed(wire, text, !file.endsWith(".chunks.txt"));

export const run: Suite["run"] = async (dataDir) => {
  const folder = join(dataDir, "hydration");
  const entries = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as Entry[];
  const notes: string[] = [];
  let calls = 0;
  for (const { file, wire, expected } of entries) {
    calls += expected.length;
    try {
      const ways = read(file, wire, await readFile(join(folder, file), "utf8"));
      const difference = ways.map((way) => compare(way, expected)).find((each) => each !== undefined);
      if (difference !== undefined) notes.push(`${file}: ${difference}`);
    } catch (error) {
      notes.push(`${file}: ${String(error)}`);
    }
  }
  const wrong = notes.length;
  return { right: entries.length - wrong, wrong, total: entries.length, notes: [`${calls} calls`, ...notes] };
};
