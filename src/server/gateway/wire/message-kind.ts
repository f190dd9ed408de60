import { isObject } from "../../../base/json/is-object.ts";
import { readRequest } from "./read-request.ts";

/** What a message asks of a gateway: to run something, to keep something open, or neither. */
export type MessageKind = "call" | "standing" | "note";

/** Requests that only look at a call, answer its question or end it. */
const controlMethods: ReadonlySet<string> = new Set(["ping", "tasks/get", "tasks/update", "tasks/cancel"]);

/** Notifications and responses start nothing, so a caller whose calls fill every place can still send them. */
export const kindOfMessage = (message: unknown): MessageKind => {
  // What is no message is refused by whoever reads it next; until then it counts as a call.
  if (!isObject(message)) return "call";
  if (!("method" in message)) return "result" in message || "error" in message ? "note" : "call";
  if (!("id" in message)) return "note";
  if (message.method === "subscriptions/listen") return "standing";
  return controlMethods.has(String(message.method)) ? "note" : "call";
};

/** Of a body, which may be a batch: a note where all its messages are. */
export const isControlBody = (body: unknown): boolean =>
  Array.isArray(body)
    ? body.every((message) => kindOfMessage(message) === "note")
    : kindOfMessage(body) === "note";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The one message of a body or all of a batch, or nothing where it cannot be read. */
export const parseBody = (body: Uint8Array): unknown => {
  try {
    const reading = readRequest(decoder.decode(body));
    return reading.ok ? reading.value : undefined;
  } catch {
    return undefined;
  }
};

/** The same of a body that nobody has read yet. What cannot be read is none. */
export const isControlBytes = (body: Uint8Array): boolean => {
  const value = parseBody(body);
  return value !== undefined && isControlBody(value);
};
