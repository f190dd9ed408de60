import { isObject } from "../../../base/json/is-object.ts";
import { decodeBody } from "../../request/read-body.ts";
import type { RequestKind } from "../../request/request-slots.ts";
import { readRequest } from "./read-request.ts";

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

export const isControlBody = (body: unknown): boolean =>
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
