import type { SlicePaths } from "../../../base/json/raw-slices.ts";
import { unreadableReply } from "./parse-reply.ts";
import { withArgumentText } from "./with-argument-text.ts";

export interface EventSink {
  readonly event: (event: unknown) => void;
  readonly done: () => void;
}

export interface EventTextReader {
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

/** Reads server-sent events, JSON lines or one JSON value from text that may be split anywhere. */
export const eventTextReader = (sink: EventSink, argumentPaths: SlicePaths | undefined): EventTextReader => {
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
