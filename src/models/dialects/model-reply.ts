import type { RawCall } from "../../types/call.ts";
import type { ContentPart } from "../../types/content.ts";
import { markIncompleteCalls } from "../../types/mark-incomplete-calls.ts";
import type { ProviderEcho } from "../../types/message.ts";
import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../types/model.ts";

export interface ReplyCollector {
  /** Returns the events that can be emitted immediately. */
  readonly push: (event: unknown) => readonly ModelEvent[];
  /** Undefined if the stream ended early. */
  readonly reply: () => ModelReply | undefined;
}

export const readField = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

export const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toTextOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

export const toCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

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
  /** Sources of untrusted content. */
  readonly taints: readonly string[];
}

/** A reply with calls finishes with `calls`, whatever the server says. */
export const toModelReply = (given: ReplyParts): ModelReply => {
  const { text, calls, usage, finish, parts = [], reasoning = "", echo, taints } = given;
  const isPlain = finish === "stop" || finish === "calls";
  const isCalling = calls.some((call) => call.providerExecuted !== true);
  // An empty list states that provider calls returned no untrusted content.
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
