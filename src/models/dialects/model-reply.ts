import type { RawCall } from "../../types/call.ts";
import type { ContentPart } from "../../types/content.ts";
import { markIncompleteCalls } from "../../types/mark-incomplete-calls.ts";
import type { ProviderEcho } from "../../types/message.ts";
import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../types/model.ts";

/** Gathers the events of one streamed reply. */
export interface ReplyCollector {
  /** What this event says that can be told at once. */
  readonly push: (event: unknown) => readonly ModelEvent[];
  /** The whole reply, or nothing if the stream ended before the model did. */
  readonly reply: () => ModelReply | undefined;
}

/** Foreign JSON, looked at without trust: whatever is not there is `undefined`. */
export const readField = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toTextOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

export const toCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** A piece of text or of thoughts as an event; no event for an empty one. */
export const deltaOf = (kind: "text" | "reasoning", text: string): readonly ModelEvent[] =>
  text === "" ? [] : [{ kind, text }];

interface ReplyParts {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly usage: Usage;
  readonly finish: FinishReason;
  readonly parts?: readonly ContentPart[];
  readonly reasoning?: string;
  readonly echo?: ProviderEcho | undefined;
  /** Untrusted content that is in the reply or that the model has read for it, by source. */
  readonly taints: readonly string[];
}

/** A model that calls has not simply stopped, whatever its server says. */
export const toModelReply = (given: ReplyParts): ModelReply => {
  const { text, calls, usage, finish, parts = [], reasoning = "", echo, taints } = given;
  const isPlain = finish === "stop" || finish === "calls";
  const isCalling = calls.some((call) => call.providerExecuted !== true);
  // An empty list says that the calls which the provider made brought nothing in.
  const isJudged = taints.length > 0 || calls.some((call) => call.providerExecuted === true);
  return Object.freeze({
    text,
    calls: Object.freeze([...markIncompleteCalls(calls, finish)]),
    usage,
    finish: isPlain ? (isCalling ? "calls" : "stop") : finish,
    ...(parts.length === 0 ? {} : { parts: Object.freeze([...parts]) }),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(echo === undefined ? {} : { echo }),
    ...(isJudged ? { taints: Object.freeze([...new Set(taints)]) } : {}),
  });
};
