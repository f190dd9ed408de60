import { isObject } from "../../base/json/is-object.ts";
import type { RawCall } from "../../types/call.ts";
import { callDrafts } from "./calls/call-drafts.ts";
import { eventTextReader } from "./calls/event-text-reader.ts";
import { parseReply } from "./calls/parse-reply.ts";
import { type WireName, wireReader } from "./wires.ts";

/** Collects the calls of a streamed reply. */
export interface CallCollector {
  /**
   * Takes an event, or text of events, and returns the calls that just started, with id and tool but no
   * input.
   */
  readonly push: (event: unknown) => readonly RawCall[];
  /** Returns all calls so far. Unfinished calls are incomplete. */
  readonly calls: () => readonly RawCall[];
}

/** Creates a collector for the calls of a streamed reply. Its total work is linear in the input. */
export const callCollector = (wire: WireName): CallCollector => {
  const collected = callDrafts();
  const { argumentPaths, ...reader } = wireReader(wire);
  const events = reader.events(collected);
  const read = (event: unknown): void => {
    if (isObject(event)) events.read(event);
    else if (Array.isArray(event)) for (const each of event) read(each);
  };
  const text = eventTextReader({ event: read, done: () => events.done?.() }, argumentPaths);
  return Object.freeze({
    push: (event: unknown) => {
      if (typeof event === "string") text.push(event);
      else read(event);
      return collected.takeStarted();
    },
    calls: () => {
      text.flush();
      return collected.calls();
    },
  });
};

/** Reads the calls of a streamed reply from its events, parsed or as text, or from the whole text. */
export const collectCalls = (wire: WireName, events: Iterable<unknown>): readonly RawCall[] => {
  const collector = callCollector(wire);
  if (typeof events === "string") collector.push(events);
  else for (const event of events) collector.push(event);
  return collector.calls();
};

/**
 * Reads the calls of a complete reply, parsed or as text, which preserves the exact arguments. Throws a
 * ModelError if the text is not JSON.
 */
export const readCalls = (wire: WireName, body: unknown): readonly RawCall[] => {
  const collected = callDrafts();
  const reader = wireReader(wire);
  const reply = parseReply(body, reader.argumentPaths);
  // Gemini may send a stream as one list of events.
  if (Array.isArray(reply)) return collectCalls(wire, reply);
  if (isObject(reply)) reader.body(collected, reply);
  return collected.calls();
};
