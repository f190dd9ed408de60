import { isObject } from "../../base/json/is-object.ts";
import type { RawCall } from "../../types/call.ts";
import { callDrafts } from "./calls/call-drafts.ts";
import { eventTextReader } from "./calls/event-text-reader.ts";
import { parseReply } from "./calls/parse-reply.ts";
import { type WireName, wireReader } from "./wires.ts";

/** Puts calls together while their reply is still coming. */
export interface CallCollector {
  /** Takes an event, or text of events, and gives the calls that just began: their id and tool, no input yet. */
  readonly push: (event: unknown) => readonly RawCall[];
  /** All calls so far. Those whose end has not come are incomplete. */
  readonly calls: () => readonly RawCall[];
}

/** Collects the calls of a streamed reply, event by event. The work is linear in what is pushed. */
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
      return collected.news();
    },
    calls: () => {
      text.flush();
      return collected.calls();
    },
  });
};

/** The calls of a streamed reply: of its events, parsed or as text, or of the whole text. */
export const collectCalls = (wire: WireName, events: Iterable<unknown>): readonly RawCall[] => {
  const collector = callCollector(wire);
  if (typeof events === "string") collector.push(events);
  else for (const event of events) collector.push(event);
  return collector.calls();
};

/**
 * The calls of a reply that came whole, parsed or as text, of which arguments stay the exact text. Throws a ModelError
 * if the text is not JSON.
 */
export const readCalls = (wire: WireName, body: unknown): readonly RawCall[] => {
  const collected = callDrafts();
  const reader = wireReader(wire);
  const reply = parseReply(body, reader.argumentPaths);
  // Gemini gives a stream that was not asked for as events in one list.
  if (Array.isArray(reply)) return collectCalls(wire, reply);
  if (isObject(reply)) reader.body(collected, reply);
  return collected.calls();
};
