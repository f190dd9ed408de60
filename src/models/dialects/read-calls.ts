import { isObject } from "../../base/json/json-value.ts";
import type { SlicePaths } from "../../base/json/raw-slices.ts";
import type { RawCall } from "../../types/call.ts";
import { ModelError } from "../../types/errors.ts";
import { callDrafts } from "./calls/call-drafts.ts";
import { withArgumentText } from "./calls/with-argument-text.ts";
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

interface EventSink {
  readonly event: (event: unknown) => void;
  readonly done: () => void;
}

interface EventTextReader {
  readonly push: (text: string) => void;
  /** Reads a last line without a line end. */
  readonly flush: () => void;
}

const fieldPattern = /^(?:event|id|retry|):/;
const lineStart = /^(?:(?:data|event|id|retry)?:|[{[\r\n]|$)/;

const parseEvent = (
  text: string,
  argumentPaths: SlicePaths | undefined,
): { readonly value: unknown } | undefined => {
  const kept = withArgumentText(text, argumentPaths);
  try {
    return { value: JSON.parse(kept) };
  } catch {
    return undefined;
  }
};

const unreadableReply = (what: string): ModelError =>
  new ModelError("model_unreadable", `The provider's answer cannot be read: ${what} is not JSON.`);

const parseReply = (body: unknown, argumentPaths: SlicePaths | undefined): unknown => {
  if (typeof body !== "string") return body;
  const text = withArgumentText(body, argumentPaths);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableReply("its body");
  }
};

/** Reads server-sent events, JSON lines or one JSON value from text that may be split anywhere. */
const eventTextReader = (sink: EventSink, argumentPaths: SlicePaths | undefined): EventTextReader => {
  const parse = (text: string) => parseEvent(text, argumentPaths);
  let tail: string[] = [];

  const readLine = (line: string): boolean => {
    const data = line.startsWith("data:") ? line.slice(5).trim() : line.trim();
    if (data === "[DONE]") sink.done();
    else if (data !== "" && !fieldPattern.test(line)) {
      const parsed = parse(data);
      if (parsed === undefined) return false;
      sink.event(parsed.value);
    }
    return true;
  };

  const readWhole = (line: string): void => {
    tail.push(line);
    const whole = tail.join("");
    tail = [];
    if (!readLine(whole)) throw unreadableReply("a line of the stream");
  };

  const readRest = (rest: string): void => {
    if (rest === "") return;
    if (fieldPattern.test(rest) || rest === "data:" || !readLine(rest)) tail.push(rest);
  };

  const readLines = (text: string): void => {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      readWhole(text.slice(from, end));
      from = end + 1;
    }
    const rest = text.slice(from);
    if (tail.length === 0) readRest(rest);
    else tail.push(rest);
  };

  const push = (text: string): void => {
    // Callers that split lines themselves omit the line ends.
    if (tail.length === 1 && fieldPattern.test(tail[0]!) && lineStart.test(text)) tail = [];
    const parsed = tail.length === 0 && /^\s*[[{]/.test(text) ? parse(text) : undefined;
    if (parsed !== undefined) sink.event(parsed.value);
    else readLines(text);
  };

  return {
    push,
    flush: () => {
      const rest = tail.join("");
      if (rest !== "" && !fieldPattern.test(rest) && readLine(rest)) tail = [];
    },
  };
};

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
