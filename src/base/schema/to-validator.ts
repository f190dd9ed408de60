import type { Issue } from "../../types/json.ts";
import type { Validation, Validator } from "../../types/tool.ts";
import { copyJson } from "../json/copy-json.ts";
import { freezeJson, isSameJson, toPointer } from "../json/json-value.ts";
import { compileSchema } from "./compile-schema.ts";
import { withoutDefaults } from "./keywords.ts";
import type { ParsedSchema } from "./read-schema.ts";
import type { StandardIssue, StandardResult, StandardValidate } from "./standard-schema.ts";

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

/**
 * If the author's validator only added members, such as defaults, the completed JSON is recorded. Other
 * transformations reach only the tool.
 */
export const toValidation = (json: unknown, answer: unknown): Validation => {
  if (isSameJson(json, answer)) return { ok: true, value: json };
  const completed = onlyAddsMembers(json, answer) ? copyJson(answer) : undefined;
  return completed?.ok === true
    ? { ok: true, value: completed.value }
    : { ok: true, value: json, transformed: { value: answer } };
};

const onlyAddsMembers = (json: unknown, answer: unknown): boolean => {
  if (typeof json !== "object" || typeof answer !== "object" || json === null || answer === null) {
    return json === answer;
  }
  if (Array.isArray(json) !== Array.isArray(answer)) return false;
  if (Array.isArray(json) && json.length !== (answer as readonly unknown[]).length) return false;
  return Object.entries(json).every(
    ([key, member]) =>
      Object.hasOwn(answer, key) &&
      onlyAddsMembers(member, (answer as Readonly<Record<string, unknown>>)[key]),
  );
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
