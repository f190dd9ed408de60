import type { Issue } from "../../words/json.ts";
import { areOwnParts, type Failed, failed, type Outcome, type Value } from "../../words/outcome.ts";
import type { Registration } from "../../words/tool.ts";
import type { Validator } from "../../words/validator.ts";
import type { CheckParts, MediaLimits } from "./check-parts.ts";
import { type PlainValue, toPlainValue } from "./plain-value.ts";

/** An outcome whose value keeps the promise and is JSON; the text is the proof of the latter. */
export interface CheckedOutcome {
  readonly outcome: Outcome;
  readonly text: string;
  /** What was left out of it, for the record. */
  readonly notes?: readonly string[] | undefined;
}

/**
 * Stands outside the layers, so that cached, rewritten and final values are checked too. `checkParts` is loaded by the
 * first outcome with media; without it none pass.
 */
export const check = (
  registration: Registration | undefined,
  outcome: Outcome,
  limits: MediaLimits,
  checkParts?: CheckParts,
): CheckedOutcome => {
  if (registration === undefined || outcome._tag !== "value") return { outcome, text: "" };
  const { key, tool } = registration;
  const { maxResultBytes: maxBytes } = limits;
  const promise = outcome.flow.kind === "handoff" ? undefined : tool.output;
  const kept = keep(promise, key, toPlainValue(outcome.value));
  if ("failure" in kept) return { outcome: failed(kept.failure, outcome.taints), text: "" };
  // A code unit takes up to three bytes, so most results need no counting.
  const { text, value } = kept;
  const isTooLarge =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  if (isTooLarge) return withheld(key, outcome, `it is larger than ${maxBytes} bytes`);
  const { parts: given, ...rest } = outcome;
  if (given === undefined) return { outcome: { ...outcome, value }, text };
  if (!areOwnParts(outcome)) return { outcome: { ...rest, value }, text, notes: replaced };
  const checked = checkParts?.(given, limits) ?? unread;
  if (!checked.ok) return withheld(key, outcome, checked.why);
  const { parts, left } = checked;
  return { outcome: { ...rest, value, ...(parts.length === 0 ? {} : { parts }) }, text, notes: left };
};

const replaced = Object.freeze(["left out: media of a value that a layer replaced"]);

const unread = Object.freeze({ ok: false, why: "its parts cannot be read" } as const);

const withheld = (key: string, { taints }: Value, why: string): CheckedOutcome => ({
  outcome: failed(broken(key, why).failure, taints),
  text: "",
});

type CheckedValue = { readonly value: unknown; readonly text: string } | Failed;

const keep = (promise: Validator | undefined, key: string, plain: PlainValue): CheckedValue => {
  if (!plain.ok) return broken(key, plain.why);
  if (promise === undefined) return plain;
  const validation = promise(plain.value);
  if (!validation.ok) {
    return broken(key, validation.issues.map((issue) => issue.message).join("; "), validation.issues);
  }
  // An author's schema may give back another value than it was given.
  return validation.value === plain.value ? plain : keep(undefined, key, toPlainValue(validation.value));
};

const broken = (key: string, why: string, issues?: readonly Issue[]): Failed =>
  failed({
    code: "invalid_output",
    tool: key,
    ran: true,
    message: `The result of "${key}" breaks its promise: ${why}.`,
    ...(issues === undefined ? {} : { issues }),
  });
