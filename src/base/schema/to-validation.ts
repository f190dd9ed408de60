import type { Validation } from "../../types/validator.ts";
import { copyJson } from "../json/copy-json.ts";
import { isSameJson } from "../json/is-same-json.ts";

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
