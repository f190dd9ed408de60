import { type Attributes, SpanKind, type Tracer } from "@opentelemetry/api";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import type { AgentResponse } from "../../types/agent.ts";
import { ToolError } from "../../types/errors.ts";
import type { MaskText, ObservedRun } from "../../types/observer.ts";
import { startCallSpan } from "./call-span.ts";
import type { Instruments } from "./instruments.ts";
import { modelAttributes, toAttributeText } from "./operation.ts";
import { redactorOf } from "./redactor-of.ts";
import type { EnteredSpan } from "./run-in-span.ts";
import { reportErrors } from "./run-safely.ts";
import { activeContext } from "./trace-carrier.ts";

type RunExit = Exit.Exit<AgentResponse, ToolError>;

export const startRunSpan =
  (tracer: () => Tracer, instruments: () => Instruments, run: ObservedRun) =>
  (parent: Fiber<unknown, unknown>): EnteredSpan<AgentResponse, ToolError> => {
    const clock = parent.getRef(Clock.Clock);
    const startedAt = clock.monotonicTimeNanosUnsafe();
    const mask = redactorOf(parent.context).text;
    const series = runSeries(run);
    const { context, span, end } = startCallSpan(
      tracer,
      {
        spanName: `invoke_agent ${toAttributeText(run.agent)}`,
        spanKind: SpanKind.INTERNAL,
        attributes: { ...series, ...runAttributes(run, mask) },
      },
      activeContext(),
    );
    return {
      context,
      span,
      end: (exit) => {
        const errorType = runErrorType(exit);
        end({ attributes: runEndAttributes(exit, errorType), errorType });
        const seconds = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9;
        reportErrors("record", () => instruments().recordRun(series, errorType, seconds));
      },
    };
  };

const runSeries = ({ agent, model }: ObservedRun): Attributes => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": toAttributeText(agent),
  ...(model === undefined ? {} : modelAttributes(toAttributeText(model))),
});

const runAttributes = ({ id, principal, isResumed }: ObservedRun, mask: MaskText): Attributes => ({
  "haft.run.id": id,
  ...(principal?.session === undefined
    ? {}
    : { "gen_ai.conversation.id": toAttributeText(mask(principal.session)) }),
  ...(isResumed ? { "haft.run.resumed": true } : {}),
});

const runErrorType = (exit: RunExit): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined;
  if (Cause.hasInterruptsOnly(exit.cause)) return "cancelled";
  const error = Cause.squash(exit.cause);
  return ToolError.is(error) ? error.code : "crashed";
};

const runEndAttributes = (exit: RunExit, errorType: string | undefined): Attributes => {
  if (Exit.isFailure(exit)) return { "haft.outcome": "failure", "error.type": errorType };
  const { status, usage, turns } = exit.value;
  return {
    "haft.outcome": status,
    "haft.run.turns": turns,
    ...(Number.isFinite(usage.inputTokens) ? { "gen_ai.usage.input_tokens": usage.inputTokens } : {}),
    ...(Number.isFinite(usage.outputTokens) ? { "gen_ai.usage.output_tokens": usage.outputTokens } : {}),
  };
};
