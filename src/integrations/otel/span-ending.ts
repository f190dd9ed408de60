import type { Attributes } from "@opentelemetry/api";
import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import type { AuthorizedCall } from "../../types/call.ts";
import type { FinishReason, ModelReply } from "../../types/model.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { OtelOperation } from "./operation.ts";

/** Codes and numbers only: contains no text of a tool or a model. */
export interface SpanEnding {
  readonly outcome: string;
  readonly errorType: string | undefined;
  readonly cost: number | undefined;
  readonly tokens: { readonly input: number | undefined; readonly output: number | undefined };
  readonly attributes: Attributes;
}

/** For an outcome that is unreadable, which the pipeline reports as a broken layer too. */
export const unreadableEnding: SpanEnding = Object.freeze({
  outcome: "failure",
  errorType: "layer_broke",
  cost: undefined,
  tokens: Object.freeze({ input: undefined, output: undefined }),
  attributes: Object.freeze({ "haft.outcome": "failure", "error.type": "layer_broke" }),
});

/** `costBefore` is the cost before this attempt, so that each attempt reports its own part. */
export const spanEndingOf = (
  operation: OtelOperation,
  call: AuthorizedCall,
  exit: Exit.Exit<Outcome>,
  costBefore: number | undefined,
): SpanEnding => {
  const { cost: now } = call.recorder;
  const cost = now === costBefore ? undefined : (now ?? 0) - (costBefore ?? 0);
  const { outcome, errorType } = readOutcome(exit);
  const reply = operation.kind === "model" ? replyOf(exit) : undefined;
  const tokens = {
    input: tokenCount(reply?.usage?.inputTokens),
    output: tokenCount(reply?.usage?.outputTokens),
  };
  return {
    outcome,
    errorType,
    cost,
    tokens,
    attributes: {
      "haft.outcome": outcome,
      ...(errorType === undefined ? {} : { "error.type": errorType }),
      ...(cost === undefined ? {} : { "haft.cost": cost }),
      ...(tokens.input === undefined ? {} : { "gen_ai.usage.input_tokens": tokens.input }),
      ...(tokens.output === undefined ? {} : { "gen_ai.usage.output_tokens": tokens.output }),
      ...modelReplyAttributes(reply),
    },
  };
};

const readOutcome = (exit: Exit.Exit<Outcome>): Pick<SpanEnding, "outcome" | "errorType"> => {
  if (Exit.isFailure(exit)) {
    const errorType = Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "layer_broke";
    return { outcome: "failure", errorType };
  }
  const { value } = exit;
  if (value._tag === "failure") return { outcome: "failure", errorType: value.failure.code };
  return { outcome: value._tag === "value" ? value.flow.kind : value._tag, errorType: undefined };
};

/** A model may be third-party code. */
type UntrustedReply = { readonly [Key in keyof ModelReply]?: Partial<ModelReply[Key]> | undefined };

const replyOf = (exit: Exit.Exit<Outcome>): UntrustedReply | undefined => {
  const value = Exit.isSuccess(exit) && exit.value._tag === "value" ? exit.value.value : undefined;
  return typeof value === "object" && value !== null ? (value as UntrustedReply) : undefined;
};

const modelReplyAttributes = (reply: UntrustedReply | undefined): Attributes => {
  const cached = tokenCount(reply?.usage?.cachedTokens);
  const reason = Object.hasOwn(finishReasonNames, String(reply?.finish))
    ? finishReasonNames[reply?.finish as FinishReason]
    : undefined;
  return {
    ...(cached === undefined ? {} : { "gen_ai.usage.cache_read.input_tokens": cached }),
    ...(reason === undefined ? {} : { "gen_ai.response.finish_reasons": [reason] }),
  };
};

const tokenCount = (tokens: unknown): number | undefined =>
  typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : undefined;

const finishReasonNames: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  refusal: "refusal",
  pause: "pause",
  other: "other",
};
