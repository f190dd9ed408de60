import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readJson } from "../../src/base/json/read-json.ts";
import { compileSchema } from "../../src/base/schema/compile-schema.ts";
import { hydrate } from "../../src/pipeline/1-hydrate/hydrate-arguments.ts";
import { repair } from "../../src/pipeline/1-hydrate/repair/repair.ts";
import type { RawCall } from "../../src/types/call.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import type { ToolSpec } from "../../src/types/tool.ts";
import type { Suite } from "./suite.ts";

interface Malformed {
  readonly id: string;
  readonly class: string;
  readonly raw: string | null;
  readonly chunks?: readonly unknown[];
  readonly schema?: JsonSchema;
  readonly verdict: "accept" | "repair" | "mayRepair" | "refuse";
  readonly value?: unknown;
  readonly finishReason?: string;
}

interface Opinion {
  readonly id: string;
  readonly raw: string;
}

type Answer = "right" | "missed" | "wrong value" | "should have been refused";

export const name = "malformed tool arguments, read with deterministic repair";

export const floor = 40 / 44;

export const mostWrong = 0;

const anyObject: JsonSchema = { type: "object" };

const specOf = (input: JsonSchema): ToolSpec => ({
  name: "tool",
  description: "",
  input,
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
});

/** Joins the fragments of a stream. An object is the value itself. */
const inputOf = ({ raw, chunks }: Malformed): unknown => {
  if (chunks === undefined) return raw;
  return chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks[0];
};

const answer = (given: Malformed): Answer => {
  const { finishReason, verdict, value, schema = anyObject } = given;
  const finish: RawCall["finish"] = finishReason === "length" ? "incomplete" : "complete";
  const raw = { id: given.id, tool: "tool", input: inputOf(given), finish };
  const { success, provenance } = hydrate(raw, specOf(schema), { repair: "deterministic" });
  if (!success) return verdict === "refuse" || verdict === "mayRepair" ? "right" : "missed";
  if (verdict === "refuse") return "should have been refused";
  const isUntouched = verdict !== "accept" || !provenance.repaired;
  return isUntouched && isDeepStrictEqual(provenance.validated, value) ? "right" : "wrong value";
};

/** Opinions of other libraries are not expectations: only a crash or a broken value is a fault. */
const fault = ({ id, raw }: Opinion): string | undefined => {
  const validate = compileSchema(anyObject);
  const result = repair({ text: raw, schema: anyObject, validate });
  if (result.steps > 64 * raw.length + 10_000) return `${id}: ${result.steps} steps`;
  if (!result.ok) return undefined;
  const again = readJson(JSON.stringify(result.value));
  const isSound = again.ok && isDeepStrictEqual(again.value, result.value) && validate(again.value).ok;
  return isSound ? undefined : `${id}: the value does not survive`;
};

const readLines = async <Line>(path: string): Promise<Line[]> =>
  (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

export const run: Suite["run"] = async (dataDir) => {
  const cases = await readLines<Malformed>(join(dataDir, "hydration/malformed-arguments.jsonl"));
  const opinions = await readLines<Opinion>(join(dataDir, "hydration/repair-opinions.jsonl"));
  const answers = cases.map((each) => ({ ...each, answer: answer(each) }));
  const faults = opinions.map(fault).filter((each) => each !== undefined);
  const count = (kind: Answer) => answers.filter((each) => each.answer === kind).length;
  const wrong = count("wrong value") + count("should have been refused") + faults.length;
  const notes = answers
    .filter((each) => each.answer !== "right")
    .map((each) => `${each.id}, ${each.class}: ${each.answer}`);
  const about =
    `${count("missed")} repairs missed, ${count("wrong value")} wrong values, ` +
    `${count("should have been refused")} that should have been refused; ` +
    `${opinions.length - faults.length} of ${opinions.length} other texts harmless`;
  return { right: count("right"), wrong, total: cases.length, notes: [about, ...notes, ...faults] };
};
