import type { Issue } from "../../words/json.ts";
import { failed, type Outcome, type Value } from "../../words/outcome.ts";
import type { Registration } from "../../words/tool.ts";
import type { Validator } from "../../words/validator.ts";

/** An outcome whose value keeps the promise and is JSON; the text is the proof of the latter. */
export interface Checked {
  readonly outcome: Outcome;
  readonly text: string;
}

/** Stands outside the layers, so that cached, rewritten and final values are checked too. */
export const check = (
  registration: Registration | undefined,
  outcome: Outcome,
  maxBytes: number,
): Checked => {
  if (registration === undefined || outcome._tag !== "value") return { outcome, text: "" };
  const { key, tool } = registration;
  const kept =
    tool.output === undefined || outcome.flow.kind === "handoff" ? outcome : keep(tool.output, key, outcome);
  return kept._tag === "value" ? encode(kept, key, maxBytes) : { outcome: kept, text: "" };
};

const keep = (promise: Validator, key: string, outcome: Value): Outcome => {
  const validation = promise(outcome.value);
  if (!validation.ok)
    return broken(key, validation.issues.map((issue) => issue.message).join("; "), validation.issues);
  return validation.value === outcome.value ? outcome : { ...outcome, value: validation.value };
};

const encode = (outcome: Value, key: string, maxBytes: number): Checked => {
  let text: string | undefined;
  try {
    text = JSON.stringify(outcome.value) ?? "null";
  } catch (cause) {
    return {
      outcome: broken(key, `it is not JSON: ${cause instanceof Error ? cause.message : cause}`),
      text: "",
    };
  }
  // A code unit takes up to three bytes, so most results need no counting.
  const tooLarge =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  return tooLarge
    ? { outcome: broken(key, `it is larger than ${maxBytes} bytes`), text: "" }
    : { outcome, text };
};

const broken = (key: string, why: string, issues?: readonly Issue[]): Outcome =>
  failed({
    code: "invalid_output",
    tool: key,
    ran: true,
    message: `The result of "${key}" breaks its promise: ${why}.`,
    ...(issues === undefined ? {} : { issues }),
  });
