import type { Failure } from "../words/failure.ts";
import type { ModelReply } from "../words/model.ts";

export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: Failure };

/** A model may be anybody's code: what it leaves out is nothing, and what makes no sense is refused. */
export const toAnswer = (id: string, value: unknown, parts: ModelReply["parts"]): ModelAnswer => {
  const given = (value ?? { text: null }) as Partial<ModelReply>;
  const { text = "", calls = [], usage, finish, reasoning, losses, echo, nulls } = given;
  if (typeof text !== "string" || !Array.isArray(calls) || !calls.every(isCall)) {
    const message = `${id} gave back something that is no reply: it needs a text and a list of calls.`;
    return refused({ code: "model_unreadable", message });
  }
  return {
    ok: true,
    reply: {
      text,
      calls,
      usage: {
        inputTokens: countOf(usage?.inputTokens),
        outputTokens: countOf(usage?.outputTokens),
        ...(usage?.cachedTokens === undefined ? {} : { cachedTokens: countOf(usage.cachedTokens) }),
      },
      finish: finish ?? (calls.length > 0 ? "calls" : "stop"),
      ...(parts === undefined ? {} : { parts }),
      ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning } : {}),
      ...(Array.isArray(losses) ? { losses } : {}),
      ...(echo === undefined ? {} : { echo }),
      ...(nulls === undefined ? {} : { nulls }),
    },
  };
};

/** What is no count of tokens meets no budget, so it is none: a budget stops the run over it. */
const countOf = (tokens: unknown): number => {
  if (tokens === undefined) return 0;
  return typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : Number.NaN;
};

const isCall = (call: unknown): boolean => {
  const { id, tool } = (call ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
  return typeof id === "string" && typeof tool === "string";
};

export const refused = (failure: Failure): ModelAnswer => ({ ok: false, failure });
