import { copyJson } from "../../json/copy-json.ts";
import { freezeJson } from "../../json/freeze-json.ts";
import type { JsonReading } from "../../json/problem.ts";
import { readJson } from "../../json/read-json.ts";
import type { HydratedCall, RawCall } from "../../words/call.ts";
import type { ProvenanceNote, RepairMode } from "../../words/hydration.ts";
import type { Issue } from "../../words/json.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool } from "../../words/tool.ts";
import type { House } from "../house.ts";
import { notePassed, noteRefused, noteRepaired } from "./note.ts";
import { repair } from "./repair/repair.ts";
import { cutOff, invalidArguments, unreadableArguments } from "./sentences.ts";
import { withoutNulls } from "./without-nulls.ts";

export interface ReadInput {
  readonly input: unknown;
  readonly validated: boolean;
  /** What a lenient tool lets pass. */
  readonly violations: readonly Issue[];
  readonly note: ProvenanceNote;
}

/** The arguments cannot be used; what was found out about them is noted all the same. */
export interface RefusedInput {
  readonly refusal: Outcome;
  readonly note: ProvenanceNote;
}

export const isRefused = (read: ReadInput | RefusedInput): read is RefusedInput => "refusal" in read;

const none: readonly Issue[] = Object.freeze([]);

/** Arguments become a frozen value that obeys the spec. The value a caller gave is never touched. */
export const readInput = (
  house: House,
  tool: AnyTool,
  raw: RawCall,
  mode: RepairMode | undefined,
): ReadInput | RefusedInput => {
  if (raw.finish === "incomplete") return refused(tool, unreadable(tool.spec, cutOff(tool.spec.name)));
  const reading = read(house, raw);
  if (!reading.ok) {
    const refusal = unreadable(tool.spec, unreadableArguments(tool.spec.name, reading.problem.message));
    return mode === "deterministic" ? mend(house, tool, raw, refusal) : refused(tool, refusal);
  }
  const validation = tool.input(reading.value);
  if (validation.ok) {
    const note = notePassed(tool);
    return { input: freezeJson(validation.value), validated: note.validated, violations: none, note };
  }
  if (mode === "deterministic") {
    const mended = mend(house, tool, raw, invalid(tool.spec, validation.issues));
    if (!isRefused(mended) || tool.spec.validate !== "lenient") return mended;
  }
  if (tool.spec.validate !== "lenient") return refused(tool, invalid(tool.spec, validation.issues));
  return {
    input: freezeJson(reading.value),
    validated: false,
    violations: validation.issues,
    note: noteRefused(tool),
  };
};

/** An input that was changed on the way is read and validated like the first, and never mended. */
export const reviseInput = <Call extends HydratedCall>(
  house: House,
  call: Call,
  input: unknown,
): Call | Outcome => {
  const { id, tool } = call.trip.raw;
  const revised = readInput(house, call.registration.tool, { id, tool, input }, "off");
  if (isRefused(revised)) return revised.refusal;
  for (const violation of revised.violations) call.trip.notes.push(`lenient input: ${violation.message}`);
  call.trip.ranWith = { input: revised.input };
  return { ...call, input: revised.input, validated: revised.validated };
};

/** Providers send an empty text, or null, for a call without arguments. */
const read = (house: House, { input, nulls }: RawCall): JsonReading => {
  const limits = house.settings.json;
  const reading =
    typeof input === "string"
      ? readJson(input === "" ? "{}" : input, limits)
      : copyJson(input === undefined || input === null ? {} : input, limits);
  if (nulls !== undefined && reading.ok) withoutNulls(reading.value, nulls);
  return reading;
};

/** Once, by rules, and only where the result is beyond doubt; else what was refused before stays refused. */
const mend = (house: House, tool: AnyTool, raw: RawCall, refusal: Outcome): ReadInput | RefusedInput => {
  const given = typeof raw.input === "string" ? { text: raw.input } : { value: raw.input };
  const mended = repair({
    ...given,
    schema: tool.spec.input,
    tool: tool.spec.name,
    validate: tool.input,
    nulls: raw.nulls,
    limits: house.settings.json,
  });
  if (!mended.ok) return refused(tool, refusal);
  const note = noteRepaired(tool, mended.changes);
  return { input: freezeJson(mended.value), validated: note.validated, violations: none, note };
};

const refused = (tool: AnyTool, refusal: Outcome): RefusedInput => ({ refusal, note: noteRefused(tool) });

const unreadable = (spec: ToolSpec, message: string): Outcome =>
  failed({ code: "unreadable_input", tool: spec.name, message });

const invalid = (spec: ToolSpec, issues: readonly Issue[]): Outcome =>
  failed({
    code: "invalid_input",
    tool: spec.name,
    issues,
    message: invalidArguments(spec.name, issues),
  });
