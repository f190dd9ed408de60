import type { Issue } from "../../types/json.ts";
import type { Validation, Validator } from "../../types/validator.ts";
import { freezeJson } from "../json/freeze-json.ts";
import { toPointer } from "../json/to-pointer.ts";
import { compileSchema } from "./compile-schema.ts";
import type { ParsedSchema } from "./read-schema.ts";
import type { StandardIssue, StandardResult, StandardValidate } from "./standard-schema.ts";
import { toValidation } from "./to-validation.ts";
import { withoutDefaults } from "./without-defaults.ts";

/**
 * Input: the JSON Schema, which fills defaults, and then the author's library. Output: the library if there
 * is one; otherwise defaults are not filled, because the tool may keep or freeze its value.
 */
export const toValidator = (read: ParsedSchema): Validator => {
  const { standard, side, schema } = read;
  if (standard === undefined) return compileSchema(side === "input" ? schema : withoutDefaults(schema));
  if (side === "output")
    return namedValidator((value) => runStandardValidator(standard, value), standard.vendor);
  const compiled = compileSchema(schema);
  return namedValidator((value) => {
    const first = compiled(value);
    return first.ok ? validateWithAuthor(standard, first.value) : first;
  }, `${compiled.engine} + ${standard.vendor}`);
};

/** The JSON is frozen, so that the library cannot change it. */
export const validateWithAuthor = (standard: StandardValidate, value: unknown): Validation => {
  const json = freezeJson(value);
  const judged = runStandardValidator(standard, json);
  return judged.ok ? toValidation(json, judged.value) : judged;
};

const namedValidator = (validate: (value: unknown) => Validation, engine: string): Validator =>
  Object.assign(validate, { engine });

const runStandardValidator = (standard: StandardValidate, value: unknown): Validation => {
  let result: unknown;
  try {
    result = standard.validate(value);
  } catch (thrown) {
    return brokenValidation(
      `The ${standard.vendor} schema threw: ${thrown instanceof Error ? thrown.message : thrown}`,
    );
  }
  if (isThenable(result)) {
    // A rejection must not end the process.
    Promise.resolve(result).catch(() => {});
    return brokenValidation(
      `The ${standard.vendor} schema returned a promise, and validation is synchronous by design`,
    );
  }
  if (!isResult(result)) {
    return brokenValidation(`The ${standard.vendor} schema returned neither a value nor issues`);
  }
  if (result.issues === undefined) return { ok: true, value: result.value };
  // A library's array subclass may break `map`.
  return { ok: false, issues: Array.from(result.issues, toIssue) };
};

/** Also promises of libraries and other realms. */
const isThenable = (result: unknown): result is PromiseLike<unknown> =>
  typeof (result as { readonly then?: unknown } | null | undefined)?.then === "function";

/** Some results are functions or arrays. */
const isResult = (result: unknown): result is StandardResult =>
  ((typeof result === "object" && result !== null) || typeof result === "function") &&
  ((result as { readonly issues?: unknown }).issues !== undefined || "value" in result);

const brokenValidation = (message: string): Validation => ({ ok: false, issues: [{ pointer: "", message }] });

const toIssue = (issue: StandardIssue): Issue => {
  const pointer = toPointer(Array.from(issue.path ?? [], toStep));
  return { pointer, message: pointer === "" ? issue.message : `${pointer}: ${issue.message}` };
};

const toStep = (step: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? key : String(key);
};
