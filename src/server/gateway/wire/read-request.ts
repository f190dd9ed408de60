import { isObject } from "../../../base/json/is-object.ts";
import type { JsonReading } from "../../../base/json/json-problem.ts";
import { rewriteSlices, slicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { ReadMessageResult } from "../../../mcp/client/transport/read-message.ts";

const argumentPaths = slicePaths("params.arguments", "*.params.arguments");

/** The text was bounded in bytes already. Arguments have a limit of their own, in stage 1. */
const requestTextLimits = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 128 };

/**
 * What a client sent, read strictly: no key twice, no `__proto__`, no number that JavaScript would change. The
 * arguments of a tool's call are not read but stay the exact text, for stage 1: a string in `/params/arguments` of a
 * `tools/call` is the text of an object. Whatever else a client wrote there is `false`, and refused as no object.
 */
export const readRequest = (text: string): JsonReading => {
  const argumentTexts: string[] = [];
  const envelope = rewriteSlices(text, argumentPaths, (slice) => {
    if (!slice.startsWith("{")) return slice === "null" ? "null" : "false";
    argumentTexts.push(slice);
    return '""';
  });
  const reading = readJson(envelope.text, requestTextLimits);
  if (!reading.ok) return reading;
  const { value } = reading;
  // A key that comes twice was refused, so each text that was kept has its one place, in the order of the messages.
  for (const message of Array.isArray(value) ? value : [value]) {
    const problem = restoreArguments(message, argumentTexts);
    if (problem !== undefined) return problem;
  }
  return reading;
};

type RequestMembers = Record<string, unknown>;
/** Of anything but a tool's call, arguments are values like the rest of the message. */
const restoreArguments = (message: unknown, argumentTexts: string[]): JsonReading | undefined => {
  const params = isObject(message) ? message.params : undefined;
  if (!isObject(params) || typeof params.arguments !== "string") return undefined;
  const text = argumentTexts.shift()!;
  params.arguments = text;
  if ((message as RequestMembers).method === "tools/call") return undefined;
  const reading = readJson(text, requestTextLimits);
  if (!reading.ok) return reading;
  params.arguments = reading.value;
  return undefined;
};

/** The same for connections that last, where what nobody sends by accident ends the connection. */
export const readRequestLine = (text: string): ReadMessageResult => {
  const reading = readRequest(text);
  return reading.ok
    ? reading
    : { ok: false, kind: "harm", reason: `no strict JSON: ${reading.problem.message}` };
};
