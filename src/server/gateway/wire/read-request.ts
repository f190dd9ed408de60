import type { JsonReading } from "../../../base/json/json-problem.ts";
import { isObject } from "../../../base/json/json-value.ts";
import { rewriteSlices, slicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { ReadMessageResult } from "../../../mcp/client/transport/inbound-messages.ts";
import { decodeBody } from "../../request/read-body.ts";
import type { RequestKind } from "../../request/request-slots.ts";

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

const controlMethods: ReadonlySet<string> = new Set(["ping", "tasks/get", "tasks/update", "tasks/cancel"]);

/** Callers at their concurrency limit can still send notes. */
export const kindOfMessage = (message: unknown): RequestKind => {
  // Malformed messages count as calls until they are rejected.
  if (!isObject(message)) return "call";
  if (!("method" in message)) return "result" in message || "error" in message ? "note" : "call";
  if (!("id" in message)) return "note";
  if (message.method === "subscriptions/listen") return "standing";
  return controlMethods.has(String(message.method)) ? "note" : "call";
};

const isControlBody = (body: unknown): boolean =>
  Array.isArray(body)
    ? body.every((message) => kindOfMessage(message) === "note")
    : kindOfMessage(body) === "note";

export const parseBody = (body: Uint8Array): unknown => {
  const text = decodeBody(body);
  const reading = text === undefined ? undefined : readRequest(text);
  return reading?.ok === true ? reading.value : undefined;
};

export const isControlBytes = (body: Uint8Array): boolean => {
  const value = parseBody(body);
  return value !== undefined && isControlBody(value);
};
