import { canonicalJson, hashText } from "../../base/json/canonical-json.ts";
import { stringifyValue } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { RawCall } from "../../types/call.ts";

export interface SessionCall {
  readonly call: RawCall;
  /** Id, tool and arguments. */
  readonly key: string;
}

/**
 * Reads a call with canonical arguments, because a loop may pass text first and a value after a restart, and
 * stores may reorder keys.
 */
export const readSessionCall = (given: RawCall): SessionCall => {
  const copy = copyCall(given);
  const text = canonicalInputText(copy.input);
  const { input } = copy;
  if (text === undefined) return withKey(copy);
  const isInOrder = typeof input === "object" && input !== null && JSON.stringify(input) === text;
  return withKey(isInOrder ? copy : { ...copy, input: JSON.parse(text) });
};

const withKey = (call: RawCall): SessionCall => ({
  call,
  key: callKey(call.id, call.tool, hashText(stringifyValue(call.input))),
});

const maxCallKeyLength = 500;

/**
 * The key of a call with this `inputHash`. Long keys are hashed, because keys live as long as the session.
 */
export const callKey = (id: string, tool: string, inputHash: string): string => {
  const key = JSON.stringify([id, tool, inputHash]);
  return key.length <= maxCallKeyLength ? key : hashText(key);
};

const emptyCall: RawCall = Object.freeze({ id: "", tool: "", input: undefined });

const copyCall = (given: RawCall): RawCall => {
  try {
    return { ...emptyCall, ...given };
  } catch {
    return emptyCall;
  }
};

const canonicalInputText = (input: unknown): string | undefined => {
  if (input === undefined || input === null) return "{}";
  try {
    if (typeof input !== "string") return canonicalJson(input);
    const reading = readJson(/\S/.test(input) ? input : "{}");
    return reading.ok ? canonicalJson(reading.value) : undefined;
  } catch {
    return undefined;
  }
};
