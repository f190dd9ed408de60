import type { Failure } from "../types/failure.ts";
import { markIncompleteCalls } from "../types/mark-incomplete-calls.ts";
import type { ModelReply } from "../types/model.ts";

export type ModelCallResult =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: Failure };

/** Validates a reply, because any code can implement `Model`. */
export const toModelCallResult = (
  id: string,
  value: unknown,
  parts: ModelReply["parts"],
): ModelCallResult => {
  const given = (value ?? { text: null }) as Partial<ModelReply>;
  const { text = "", calls = [], usage, finish, reasoning, losses, echo, nulls, taints } = given;
  if (typeof text !== "string" || !Array.isArray(calls) || !calls.every(isCall)) {
    const message = `${id} returned a value that is not a reply: a reply has a text and a list of calls.`;
    return failedModelCall({ code: "model_unreadable", message });
  }
  return {
    ok: true,
    reply: {
      text,
      calls: markIncompleteCalls(calls, finish),
      usage: {
        inputTokens: tokenCount(usage?.inputTokens),
        outputTokens: tokenCount(usage?.outputTokens),
        ...(usage?.cachedTokens === undefined ? {} : { cachedTokens: tokenCount(usage.cachedTokens) }),
      },
      finish: finish ?? (calls.length > 0 ? "calls" : "stop"),
      ...(parts === undefined ? {} : { parts }),
      ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning } : {}),
      ...(Array.isArray(losses) ? { losses } : {}),
      ...(echo === undefined ? {} : { echo }),
      ...(nulls === undefined ? {} : { nulls }),
      ...(isNames(taints) ? { taints } : {}),
    },
  };
};

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** An invalid count becomes NaN, which exceeds every budget and stops the run. */
const tokenCount = (tokens: unknown): number => {
  if (tokens === undefined) return 0;
  return typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : Number.NaN;
};

const isCall = (call: unknown): boolean => {
  const { id, tool } = (call ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
  return typeof id === "string" && typeof tool === "string";
};

export const failedModelCall = (failure: Failure): ModelCallResult => ({ ok: false, failure });
