import type { RawCall } from "../words/call.ts";
import type { ContentPart } from "../words/content.ts";
import type { Echo } from "../words/message.ts";
import type { Finish, ModelEvent, ModelReply, Usage } from "../words/model.ts";

/** Gathers the events of one streamed reply. */
export interface ReplyCollector {
  /** What this event says that can be told at once. */
  readonly push: (event: unknown) => readonly ModelEvent[];
  /** The whole reply, or nothing if the stream ended before the model did. */
  readonly reply: () => ModelReply | undefined;
}

/** Foreign JSON, looked at without trust: whatever is not there is `undefined`. */
export const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

export const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** A piece of text or of thoughts as an event; no event for an empty one. */
export const deltaOf = (kind: "text" | "reasoning", text: string): readonly ModelEvent[] =>
  text === "" ? [] : [{ kind, text }];

interface ReplyParts {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly usage: Usage;
  readonly finish: Finish;
  readonly parts?: readonly ContentPart[];
  readonly reasoning?: string;
  readonly echo?: Echo | undefined;
}

/** A model that calls has not simply stopped, whatever its server says. */
export const toModelReply = (given: ReplyParts): ModelReply => {
  const { text, calls, usage, finish, parts = [], reasoning = "", echo } = given;
  const isPlain = finish === "stop" || finish === "calls";
  const isCalling = calls.some((call) => call.providerExecuted !== true);
  return Object.freeze({
    text,
    calls: Object.freeze([...calls]),
    usage,
    finish: isPlain ? (isCalling ? "calls" : "stop") : finish,
    ...(parts.length === 0 ? {} : { parts: Object.freeze([...parts]) }),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(echo === undefined ? {} : { echo }),
  });
};
