import { canonicalJson } from "../../base/json/canonical-json.ts";
import { hashText } from "../../base/json/hash.ts";
import { readJson } from "../../base/json/read-json.ts";
import { stringifyValue } from "../../base/json/stringify-value.ts";
import type { RawCall } from "../../types/call.ts";

/** A call of a loop, and what makes it the same call when it is asked for again. */
export interface SessionCall {
  readonly call: RawCall;
  /** Its id, its tool and its arguments. */
  readonly key: string;
}

/**
 * Read once, with its arguments in one spelling: a loop may pass a provider's text first and a value after a restart, and a
 * framework's store may write them in another order. What is no call has neither an id nor a tool, and is told so like any
 * other.
 */
export const readSessionCall = (given: RawCall): SessionCall => {
  const copy = copyCall(given);
  const text = canonicalInputText(copy.input);
  const { input } = copy;
  if (text === undefined) return withKey(copy);
  // Most are in order already, and then they are what the text says.
  const isInOrder = typeof input === "object" && input !== null && JSON.stringify(input) === text;
  return withKey(isInOrder ? copy : { ...copy, input: JSON.parse(text) });
};

const withKey = (call: RawCall): SessionCall => ({
  call,
  key: callKey(call.id, call.tool, hashText(stringifyValue(call.input))),
});

const maxCallKeyLength = 500;

/** The key of a call whose ledger entry has this `inputHash`. Keys live as long as the session, so long ones are hashed. */
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

/** Nothing where it is not even JSON: stage 1 says what is wrong with it. */
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
