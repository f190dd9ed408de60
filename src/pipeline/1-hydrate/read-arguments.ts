import { copyJson } from "../../base/json/copy-json.ts";
import type { JsonLimits, JsonProblem, JsonReading } from "../../base/json/json-problem.ts";
import { hasNoArguments, isBlankArguments, isObject, withoutMinusZero } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { RawCall } from "../../types/call.ts";
import type { Failure } from "../../types/failure.ts";
import type { Change, RepairMode } from "../../types/hydration.ts";
import type { Issue } from "../../types/json.ts";
import type { ToolSpec, Validation, Validator } from "../../types/tool.ts";
import {
  cutOffMessage,
  invalidArgumentsMessage,
  isCutOff,
  unreadableArgumentsMessage,
} from "./argument-messages.ts";
import { removeNulls, repair } from "./repair/repair.ts";

export interface ArgumentsSchema {
  readonly spec: ToolSpec;
  readonly validate: Validator;
  readonly name?: string;
}

export interface ReadArgumentsOptions {
  readonly limits: JsonLimits | undefined;
  readonly repair?: RepairMode | undefined;
  readonly mode?: ToolSpec["validate"] | undefined;
}

type ValidResult = Extract<Validation, { ok: true }>;

/** Usable arguments. `issues` are violations that a lenient tool accepts. */
export interface AcceptedArguments extends Pick<ValidResult, "value" | "transformed"> {
  readonly ok: true;
  readonly issues: readonly Issue[];
  readonly changes: readonly Change[];
}

export interface RefusedArguments {
  readonly ok: false;
  readonly failure: Failure;
  readonly problem?: JsonProblem;
  readonly isRepairable: boolean;
}

const noItems: readonly never[] = Object.freeze([]);

/** Does not modify its input. */
export const readArguments = (
  target: ArgumentsSchema,
  raw: RawCall,
  options: ReadArgumentsOptions,
): AcceptedArguments | RefusedArguments => {
  const { spec, validate, name = spec.name } = target;
  if (isCutOff(raw.finish)) return refuseUnreadable(name, cutOffMessage(name));
  const reading = parseArguments(raw, options.limits, hasNoParameters(spec));
  if (!reading.ok) {
    const refusal = refuseUnreadable(
      name,
      unreadableArgumentsMessage(name, reading.problem.message),
      reading.problem,
    );
    return options.repair === "deterministic" ? repairArguments(target, raw, options, refusal) : refusal;
  }
  const firstValidation = validate(reading.value);
  const validation = firstValidation.ok && !isObject(firstValidation.value) ? notAnObject : firstValidation;
  if (validation.ok) return toAccepted(validation, noItems, noItems);
  const refusal = refuseInvalid(name, validation.issues);
  const read = options.repair === "deterministic" ? repairArguments(target, raw, options, refusal) : refusal;
  if (read.ok || (options.mode ?? spec.validate) !== "lenient") return read;
  return toAccepted({ ok: true, value: reading.value }, validation.issues, noItems);
};

/** Only tools without parameters accept `null` as their arguments. */
const hasNoParameters = ({ input }: Pick<ToolSpec, "input">): boolean =>
  Object.keys((input.properties as object | undefined) ?? {}).length === 0;

/** Providers send an empty text, whitespace or null if there are no arguments. */
export const parseArguments = (
  { input, nulls }: RawCall,
  limits: JsonLimits | undefined,
  acceptsNull: boolean,
): JsonReading => {
  const isEmptyText = acceptsNull ? hasNoArguments : isBlankArguments;
  const reading =
    typeof input === "string"
      ? readJson(isEmptyText(input) ? "{}" : input, limits)
      : copyArguments(input, limits);
  if (nulls !== undefined && reading.ok) removeNulls(reading.value, nulls);
  return reading;
};

const copyArguments = (input: unknown, limits: JsonLimits | undefined): JsonReading => {
  if (input === undefined || input === null) return { ok: true, value: {} };
  const { problem } = input as { readonly problem?: unknown };
  if (isJsonProblem(input, problem)) return { ok: false, problem };
  const copy = copyJson(input, limits);
  return copy.ok ? { ok: true, value: withoutMinusZero(copy.value) } : copy;
};

const isJsonProblem = (input: unknown, problem: unknown): problem is JsonProblem =>
  Object.getPrototypeOf(input) !== Object.prototype &&
  typeof (problem as Partial<JsonProblem> | undefined)?.message === "string";
const notAnObject: Validation = Object.freeze({
  ok: false,
  issues: [{ pointer: "", message: "Expected an object with named arguments", expected: "object" }],
});

const toAccepted = (
  { value, transformed }: ValidResult,
  issues: readonly Issue[],
  changes: readonly Change[],
): AcceptedArguments =>
  transformed === undefined
    ? { ok: true, value, issues, changes }
    : { ok: true, value, transformed, issues, changes };

const repairArguments = (
  { spec, validate }: ArgumentsSchema,
  { input, nulls }: RawCall,
  { limits }: ReadArgumentsOptions,
  refusal: RefusedArguments,
): AcceptedArguments | RefusedArguments => {
  const given = typeof input === "string" ? { text: input } : { value: input };
  const repaired = repair({ ...given, schema: spec.input, tool: spec.name, validate, nulls, limits });
  return repaired.ok ? toAccepted(repaired, noItems, repaired.changes) : refusal;
};

const refuseUnreadable = (name: string, message: string, problem?: JsonProblem): RefusedArguments => ({
  ok: false,
  failure: { code: "unreadable_input", tool: name, message },
  ...(problem === undefined ? {} : { problem }),
  isRepairable: problem !== undefined,
});

const refuseInvalid = (name: string, issues: readonly Issue[]): RefusedArguments => ({
  ok: false,
  failure: { code: "invalid_input", tool: name, issues, message: invalidArgumentsMessage(name, issues) },
  isRepairable: true,
});
