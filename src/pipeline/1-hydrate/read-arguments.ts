import { copyJson } from "../../json/copy-json.ts";
import { isObject } from "../../json/is-object.ts";
import type { JsonLimits } from "../../json/limits.ts";
import { isBlank, isNoArguments } from "../../json/no-arguments.ts";
import type { JsonProblem, JsonReading } from "../../json/problem.ts";
import { readJson } from "../../json/read-json.ts";
import { withoutMinusZero } from "../../json/without-minus-zero.ts";
import type { RawCall } from "../../words/call.ts";
import type { Failure } from "../../words/failure.ts";
import type { Change, RepairMode } from "../../words/hydration.ts";
import type { Issue } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { Validation, Validator } from "../../words/validator.ts";
import { isCutOff } from "./cut-off.ts";
import { repair } from "./repair/repair.ts";
import { cutOff, invalidArguments, unreadableArguments } from "./sentences.ts";
import { withoutNulls } from "./without-nulls.ts";

/** What arguments are held against. */
export interface ArgumentsTarget {
  readonly spec: ToolSpec;
  readonly validate: Validator;
  /** The full name, where there is one: what the caller is told has the spelling of the log. Else the spec's own. */
  readonly name?: string;
}

export interface ReadingOptions {
  readonly limits: JsonLimits | undefined;
  /** Whether what cannot be used as it came is repaired by rules. Asking a model is up to the caller. */
  readonly repair?: RepairMode | undefined;
  /** How an input that breaks the schema is taken; the spec's own mode unless named. */
  readonly mode?: ToolSpec["validate"] | undefined;
}

type Valid = Extract<Validation, { ok: true }>;

/** Arguments that can be used. `issues` are violations that a lenient tool lets pass. */
export interface ReadArguments extends Pick<Valid, "value" | "transformed"> {
  readonly ok: true;
  readonly issues: readonly Issue[];
  readonly changes: readonly Change[];
}

export interface RefusedArguments {
  readonly ok: false;
  readonly failure: Failure;
  /** Where a text stops being JSON. */
  readonly problem?: JsonProblem;
  /** Whether repairing may help: a call that was cut off is not guessed at. */
  readonly isRepairable: boolean;
}

const none: readonly never[] = Object.freeze([]);

/** Text or value → JSON that keeps to the spec, repaired once where that is allowed. What it is given is never touched. */
export const readArguments = (
  target: ArgumentsTarget,
  raw: RawCall,
  options: ReadingOptions,
): ReadArguments | RefusedArguments => {
  const { spec, validate, name = spec.name } = target;
  if (isCutOff(raw.finish)) return unreadable(name, cutOff(name));
  const reading = parseArguments(raw, options.limits, takesNothing(spec));
  if (!reading.ok) {
    const refusal = unreadable(name, unreadableArguments(name, reading.problem.message), reading.problem);
    return options.repair === "deterministic" ? repairArguments(target, raw, options, refusal) : refusal;
  }
  const judged = validate(reading.value);
  const validation = judged.ok && !isObject(judged.value) ? notNamed : judged;
  if (validation.ok) return accepted(validation, none, none);
  const refusal = invalid(name, validation.issues);
  const read = options.repair === "deterministic" ? repairArguments(target, raw, options, refusal) : refusal;
  if (read.ok || (options.mode ?? spec.validate) !== "lenient") return read;
  return accepted({ ok: true, value: reading.value }, validation.issues, none);
};

/** A tool without parameters. Of one that has some, the word null in place of its arguments is a mistake. */
const takesNothing = ({ input }: Pick<ToolSpec, "input">): boolean =>
  Object.keys((input.properties as object | undefined) ?? {}).length === 0;

/** Providers send an empty text, blanks, or null, as a value or as text, for a call without arguments. */
export const parseArguments = (
  { input, nulls }: RawCall,
  limits: JsonLimits | undefined,
  isNullNothing: boolean,
): JsonReading => {
  const isNothing = isNullNothing ? isNoArguments : isBlank;
  const reading =
    typeof input === "string"
      ? readJson(isNothing(input) ? "{}" : input, limits)
      : copyArguments(input, limits);
  if (nulls !== undefined && reading.ok) withoutNulls(reading.value, nulls);
  return reading;
};

const copyArguments = (input: unknown, limits: JsonLimits | undefined): JsonReading => {
  if (input === undefined || input === null) return { ok: true, value: {} };
  const { problem } = input as { readonly problem?: unknown };
  if (isProblem(input, problem)) return { ok: false, problem };
  const copy = copyJson(input, limits);
  return copy.ok ? { ok: true, value: withoutMinusZero(copy.value) } : copy;
};

/** The door left the reason in place of arguments that could not be copied. */
const isProblem = (input: unknown, problem: unknown): problem is JsonProblem =>
  Object.getPrototypeOf(input) !== Object.prototype &&
  typeof (problem as Partial<JsonProblem> | undefined)?.message === "string";
const notNamed: Validation = Object.freeze({
  ok: false,
  issues: [{ pointer: "", message: "Expected an object with named arguments", expected: "object" }],
});

const accepted = (
  { value, transformed }: Valid,
  issues: readonly Issue[],
  changes: readonly Change[],
): ReadArguments =>
  transformed === undefined
    ? { ok: true, value, issues, changes }
    : { ok: true, value, transformed, issues, changes };

/** Once, by rules, and only where the result is beyond doubt; else what was refused before stays refused. */
const repairArguments = (
  { spec, validate }: ArgumentsTarget,
  { input, nulls }: RawCall,
  { limits }: ReadingOptions,
  refusal: RefusedArguments,
): ReadArguments | RefusedArguments => {
  const given = typeof input === "string" ? { text: input } : { value: input };
  const repaired = repair({ ...given, schema: spec.input, tool: spec.name, validate, nulls, limits });
  return repaired.ok ? accepted(repaired, none, repaired.changes) : refusal;
};

const unreadable = (name: string, message: string, problem?: JsonProblem): RefusedArguments => ({
  ok: false,
  failure: { code: "unreadable_input", tool: name, message },
  ...(problem === undefined ? {} : { problem }),
  isRepairable: problem !== undefined,
});

const invalid = (name: string, issues: readonly Issue[]): RefusedArguments => ({
  ok: false,
  failure: { code: "invalid_input", tool: name, issues, message: invalidArguments(name, issues) },
  isRepairable: true,
});
