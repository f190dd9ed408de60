import { redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import type { AgentResponse, ToolInvocation } from "../../types/agent.ts";
import { ToolError } from "../../types/errors.ts";
import type { Usage } from "../../types/model.ts";
import type { ExperimentRun, ToolUse } from "./experiment-result.ts";
import type { Measure, PlannedRun, RunScore } from "./options.ts";

export type FinishedRun =
  | { readonly kind: "response"; readonly response: AgentResponse; readonly latencyMs: number }
  | { readonly kind: "thrown"; readonly error: unknown };

const maxTextLength = 400;

/** A run that threw has no latency, but its usage counts. A measure that throws fails the run. */
export const measureRun = async (
  planned: PlannedRun,
  end: FinishedRun,
  measure: Measure | undefined,
): Promise<ExperimentRun> => {
  const response = end.kind === "response" ? end.response : responseOf(end.error);
  const judged =
    end.kind === "response" ? await scoreResponse(end.response, planned, measure) : scoreOfThrown(end.error);
  return {
    arm: planned.arm.name,
    input: planned.input.id,
    repetition: planned.repetition,
    success: judged.success,
    status: end.kind === "response" ? end.response.status : "threw",
    ...(judged.reason === undefined ? {} : { reason: redactText(judged.reason) }),
    latencyMs: end.kind === "response" ? end.latencyMs : null,
    usage: toUsage(response?.usage),
    turns: response === undefined || !Number.isFinite(response.turns) ? null : response.turns,
    tools: toToolUses(response?.toolsUsed ?? []),
    scores: judged.scores,
    answer: redactText(String(response?.content ?? "")),
  };
};

interface ScoredRun {
  readonly success: boolean;
  readonly reason?: string | undefined;
  readonly scores: Readonly<Record<string, number>>;
}

const scoreResponse = async (
  response: AgentResponse,
  { input }: PlannedRun,
  measure: Measure | undefined,
): Promise<ScoredRun> => {
  const { status, reason } = response;
  try {
    const judgment = checkScore(await measure?.(response, input));
    const success = judgment.success ?? status === "done";
    const scores = Object.fromEntries(Object.entries(judgment.scores ?? {}));
    if (success) return { success, scores };
    return {
      success,
      scores,
      reason: reason ?? (status === "done" ? "the measure returned success: false" : `ended ${status}`),
    };
  } catch (error) {
    return { success: false, scores: {}, reason: `The measure function failed: ${messageOf(error)}` };
  }
};

const checkScore = (judgment: RunScore | undefined): RunScore => {
  if (judgment === undefined) return {};
  const { success, scores = {} } = Object(judgment) as RunScore;
  if (success !== undefined && typeof success !== "boolean")
    throw new Error("`success` is not true or false.");
  for (const [name, score] of Object.entries(Object(scores))) {
    if (!Number.isFinite(score)) throw new Error(`The score "${name}" is not a number.`);
  }
  return { ...(success === undefined ? {} : { success }), scores };
};

const scoreOfThrown = (error: unknown): ScoredRun => ({
  success: false,
  scores: {},
  reason: messageOf(error),
});

const messageOf = (error: unknown): string => {
  try {
    return (error instanceof Error ? error.message : String(error)) || "It threw an error without a message.";
  } catch {
    return "It threw a value that cannot be read.";
  }
};

const responseOf = (error: unknown): AgentResponse | undefined =>
  ToolError.is(error) ? error.response : undefined;

const toUsage = (usage: Usage | undefined): Usage | null => {
  if (!Number.isFinite(usage?.inputTokens) || !Number.isFinite(usage?.outputTokens)) return null;
  const { inputTokens, outputTokens, cachedTokens } = usage!;
  return { inputTokens, outputTokens, ...(Number.isFinite(cachedTokens) ? { cachedTokens } : {}) } as Usage;
};

const toToolUses = (invocations: readonly ToolInvocation[]): readonly ToolUse[] => {
  const uses = new Map<string, { readonly name: string; calls: number; failures: number }>();
  for (const { name, ok } of invocations) {
    const use = uses.get(name) ?? { name, calls: 0, failures: 0 };
    use.calls += 1;
    if (!ok) use.failures += 1;
    uses.set(name, use);
  }
  return [...uses.values()];
};

const redact = redactor();

const redactText = (text: string): string => {
  const masked = String(redact.value(text.slice(0, maxTextLength * 2)));
  return shorten(masked, maxTextLength).toWellFormed();
};
