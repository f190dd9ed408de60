import { copyJson } from "../../json/copy-json.ts";
import { freezeJson } from "../../json/freeze-json.ts";
import type { JsonReading } from "../../json/problem.ts";
import { readJson } from "../../json/read-json.ts";
import type { BoundCall } from "../../words/call.ts";
import type { Issue } from "../../words/json.ts";
import { failed, isOutcome, type Outcome } from "../../words/outcome.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool } from "../../words/tool.ts";
import type { House } from "../house.ts";

export interface ReadInput {
  readonly input: unknown;
  readonly validated: boolean;
  /** What a lenient tool lets pass. */
  readonly violations: readonly Issue[];
}

const none: readonly Issue[] = Object.freeze([]);

/** Arguments become a frozen value that obeys the spec. The value a caller gave is never touched. */
export const readInput = (house: House, tool: AnyTool, raw: unknown): ReadInput | Outcome => {
  const reading = read(house, raw);
  if (!reading.ok) return unreadable(tool.spec, reading.problem.message);
  const validation = tool.input(reading.value);
  if (validation.ok) {
    const validated = tool.spec.noSchemaMode === undefined;
    return { input: freezeJson(validation.value), validated, violations: none };
  }
  if (tool.spec.validate === "lenient") {
    return { input: freezeJson(reading.value), validated: false, violations: validation.issues };
  }
  return invalid(tool.spec, validation.issues);
};

/** An input that was changed on the way is read and validated like the first. */
export const reviseInput = (house: House, call: BoundCall, input: unknown): BoundCall | Outcome => {
  const read = readInput(house, call.registration.tool, input);
  if (isOutcome(read)) return read;
  for (const violation of read.violations) call.trip.notes.push(`lenient input: ${violation.message}`);
  return { ...call, input: read.input, validated: read.validated };
};

/** Providers send an empty text for a call without arguments. */
const read = (house: House, raw: unknown): JsonReading => {
  if (typeof raw !== "string") return copyJson(raw === undefined ? {} : raw, house.settings.json);
  return readJson(raw === "" ? "{}" : raw, house.settings.json);
};

const unreadable = (spec: ToolSpec, problem: string): Outcome =>
  failed({
    code: "unreadable_input",
    tool: spec.name,
    message: `The arguments of "${spec.name}" cannot be read: ${problem} Send one JSON object.`,
  });

const invalid = (spec: ToolSpec, issues: readonly Issue[]): Outcome =>
  failed({
    code: "invalid_input",
    tool: spec.name,
    issues,
    message: `The arguments of "${spec.name}" are invalid: ${issues.map((issue) => issue.message).join("; ")}.`,
  });
