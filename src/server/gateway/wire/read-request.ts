import { isObject } from "../../../base/json/is-object.ts";
import type { JsonReading } from "../../../base/json/json-problem.ts";
import { rewriteSlices, slicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { ReadMessageResult } from "../../../mcp/client/transport/read-message.ts";

const argumentPaths = slicePaths("params.arguments", "*.params.arguments");

/** The transport limits the size. */
const requestTextLimits = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 128 };

/**
 * Strict: no duplicate keys, no `__proto__`, no numbers that lose precision. `arguments` of `tools/call` keep
 * their exact text for stage 1; other types become `false` and are rejected later.
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
  // Without duplicate keys, the texts match the messages in order.
  for (const message of Array.isArray(value) ? value : [value]) {
    const problem = restoreArguments(message, argumentTexts);
    if (problem !== undefined) return problem;
  }
  return reading;
};

type RequestMembers = Record<string, unknown>;
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

/** Malformed JSON closes a persistent connection. */
export const readRequestLine = (text: string): ReadMessageResult => {
  const reading = readRequest(text);
  return reading.ok
    ? reading
    : { ok: false, kind: "harm", reason: `not strict JSON: ${reading.problem.message}` };
};
