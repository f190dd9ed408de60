import type { Issue } from "../../types/json.ts";
import {
  type FailureOutcome,
  failed,
  hasOriginalParts,
  type Outcome,
  type ValueOutcome,
} from "../../types/outcome.ts";
import type { Registration } from "../../types/tool.ts";
import type { Validator } from "../../types/validator.ts";
import type { MediaLimits, PartsChecker } from "./check-parts.ts";
import { type PlainValue, toPlainValue } from "./plain-value.ts";

export interface CheckedOutcome {
  readonly outcome: Outcome;
  readonly text: string;
  readonly notes?: readonly string[] | undefined;
}

/** Runs outside the layers, so that cached, rewritten and final values are checked too. */
export const checkResult = (
  registration: Registration | undefined,
  outcome: Outcome,
  limits: MediaLimits,
  checkParts?: PartsChecker,
): CheckedOutcome => {
  if (registration === undefined || outcome._tag !== "value") return { outcome, text: "" };
  const { key, tool } = registration;
  const { maxResultBytes: maxBytes } = limits;
  const outputSchema = outcome.flow.kind === "handoff" ? undefined : tool.output;
  const checkedValue = checkValue(outputSchema, key, toPlainValue(outcome.value));
  if ("failure" in checkedValue) return { outcome: failed(checkedValue.failure, outcome.taints), text: "" };
  // A UTF-16 code unit has at most three UTF-8 bytes.
  const { text, value } = checkedValue;
  const isTooLarge =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  if (isTooLarge) return withholdResult(key, outcome, `it is larger than ${maxBytes} bytes`);
  const { parts: given, ...rest } = outcome;
  if (given === undefined) return { outcome: { ...outcome, value }, text };
  if (!hasOriginalParts(outcome)) return { outcome: { ...rest, value }, text, notes: replacedMediaNotes };
  const checked = checkParts?.(given, limits) ?? unreadableParts;
  if (!checked.ok) return withholdResult(key, outcome, checked.why);
  const { parts, left } = checked;
  return { outcome: { ...rest, value, ...(parts.length === 0 ? {} : { parts }) }, text, notes: left };
};

const replacedMediaNotes = Object.freeze(["left out: media of a value that a layer replaced"]);

const unreadableParts = Object.freeze({ ok: false, why: "its parts cannot be read" } as const);

const withholdResult = (key: string, { taints }: ValueOutcome, why: string): CheckedOutcome => ({
  outcome: failed(invalidOutputOutcome(key, why).failure, taints),
  text: "",
});

type ValueCheckResult = { readonly value: unknown; readonly text: string } | FailureOutcome;

const checkValue = (
  outputSchema: Validator | undefined,
  key: string,
  plain: PlainValue,
): ValueCheckResult => {
  if (!plain.ok) return invalidOutputOutcome(key, plain.why);
  if (outputSchema === undefined) return plain;
  const validation = outputSchema(plain.value);
  if (!validation.ok) {
    return invalidOutputOutcome(
      key,
      validation.issues.map((issue) => issue.message).join("; "),
      validation.issues,
    );
  }
  // The author's schema may return a different value.
  return validation.value === plain.value
    ? plain
    : checkValue(undefined, key, toPlainValue(validation.value));
};

const invalidOutputOutcome = (key: string, why: string, issues?: readonly Issue[]): FailureOutcome =>
  failed({
    code: "invalid_output",
    tool: key,
    ran: true,
    message: `The result of "${key}" is invalid: ${why}.`,
    ...(issues === undefined ? {} : { issues }),
  });
