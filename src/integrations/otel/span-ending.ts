import type { Attributes } from "@opentelemetry/api";
import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import type { AuthorizedCall } from "../words/call.ts";
import type { Finish, ModelReply } from "../words/model.ts";
import type { Outcome } from "../words/outcome.ts";
import type { Operation } from "./operation.ts";

/** How a call ended, in numbers and codes only: no word that a tool or a model said is in here. */
export interface SpanEnding {
  readonly outcome: string;
  /** A code of the failure table. */
  readonly errorType: string | undefined;
  readonly cost: number | undefined;
  readonly tokens: { readonly input: number | undefined; readonly output: number | undefined };
  readonly attributes: Attributes;
}

/** Of a layer that answered with something that is no outcome; the corridor calls it broken too. */
export const unreadable: SpanEnding = Object.freeze({
  outcome: "failure",
  errorType: "layer_broke",
  cost: undefined,
  tokens: Object.freeze({ input: undefined, output: undefined }),
  attributes: Object.freeze({ "haft.outcome": "failure", "error.type": "layer_broke" }),
});

/** `spent` is what the call had cost before: of several attempts each shows its own part. */
export const endingOf = (
  operation: Operation,
  call: AuthorizedCall,
  exit: Exit.Exit<Outcome>,
  spent: number | undefined,
): SpanEnding => {
  const { cost: now } = call.recorder;
  const cost = now === spent ? undefined : (now ?? 0) - (spent ?? 0);
  const { outcome, errorType } = read(exit);
  const reply = operation.kind === "model" ? replyOf(exit) : undefined;
  const tokens = { input: count(reply?.usage?.inputTokens), output: count(reply?.usage?.outputTokens) };
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
      ...moreOf(reply),
    },
  };
};

const read = (exit: Exit.Exit<Outcome>): Pick<SpanEnding, "outcome" | "errorType"> => {
  if (Exit.isFailure(exit)) {
    const errorType = Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "layer_broke";
    return { outcome: "failure", errorType };
  }
  const { value } = exit;
  if (value._tag === "failure") return { outcome: "failure", errorType: value.failure.code };
  return { outcome: value._tag === "value" ? value.flow.kind : value._tag, errorType: undefined };
};

/** A model may be anybody's code, so nothing of its reply is taken for granted. */
type UntrustedReply = { readonly [Key in keyof ModelReply]?: Partial<ModelReply[Key]> | undefined };

const replyOf = (exit: Exit.Exit<Outcome>): UntrustedReply | undefined => {
  const value = Exit.isSuccess(exit) && exit.value._tag === "value" ? exit.value.value : undefined;
  return typeof value === "object" && value !== null ? (value as UntrustedReply) : undefined;
};

const moreOf = (reply: UntrustedReply | undefined): Attributes => {
  const cached = count(reply?.usage?.cachedTokens);
  const reason = Object.hasOwn(reasons, String(reply?.finish)) ? reasons[reply?.finish as Finish] : undefined;
  return {
    ...(cached === undefined ? {} : { "gen_ai.usage.cache_read.input_tokens": cached }),
    ...(reason === undefined ? {} : { "gen_ai.response.finish_reasons": [reason] }),
  };
};

const count = (tokens: unknown): number | undefined =>
  typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : undefined;

const reasons: Readonly<Record<Finish, string>> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  refusal: "refusal",
  pause: "pause",
  other: "other",
};
