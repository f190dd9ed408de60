import { canonicalJson } from "../../json/canonical-json.ts";
import { hashText } from "../../json/hash.ts";
import { readJson } from "../../json/read-json.ts";
import { toText } from "../../json/to-text.ts";
import type { RawCall } from "../../words/call.ts";

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
export const readCall = (given: RawCall): SessionCall => {
  const copy = copyOf(given);
  const text = textOf(copy.input);
  const { input } = copy;
  if (text === undefined) return withKey(copy);
  // Most are in order already, and then they are what the text says.
  const isInOrder = typeof input === "object" && input !== null && JSON.stringify(input) === text;
  return withKey(isInOrder ? copy : { ...copy, input: JSON.parse(text) });
};

const withKey = (call: RawCall): SessionCall => ({
  call,
  key: callKey(call.id, call.tool, hashText(toText(call.input))),
});

const longestKey = 500;

/** The key of a call whose ledger entry has this `inputHash`. Keys live as long as the session, so long ones are hashed. */
export const callKey = (id: string, tool: string, inputHash: string): string => {
  const key = JSON.stringify([id, tool, inputHash]);
  return key.length <= longestKey ? key : hashText(key);
};

const noCall: RawCall = Object.freeze({ id: "", tool: "", input: undefined });

const copyOf = (given: RawCall): RawCall => {
  try {
    return { ...noCall, ...given };
  } catch {
    return noCall;
  }
};

/** Nothing where it is not even JSON: stage 1 says what is wrong with it. */
const textOf = (input: unknown): string | undefined => {
  if (input === undefined || input === null) return "{}";
  try {
    if (typeof input !== "string") return canonicalJson(input);
    const reading = readJson(/\S/.test(input) ? input : "{}");
    return reading.ok ? canonicalJson(reading.value) : undefined;
  } catch {
    return undefined;
  }
};
