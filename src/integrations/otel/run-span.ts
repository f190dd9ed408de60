import { type Attributes, SpanKind, type Tracer } from "@opentelemetry/api";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import type { AgentResponse } from "../words/agent.ts";
import { ToolError } from "../words/errors.ts";
import type { ObservedRun } from "../words/observer.ts";
import { callSpan } from "./call-span.ts";
import type { Entered } from "./inside.ts";
import type { Instruments } from "./instruments.ts";
import { cut, modelAttributes } from "./operation.ts";
import { safely } from "./safely.ts";
import { activeContext } from "./trace-carrier.ts";

type RunExit = Exit.Exit<AgentResponse, ToolError>;

/** The span around a whole run, under which its questions to models and its calls stand. */
export const runSpan =
  (tracer: () => Tracer, instruments: () => Instruments, run: ObservedRun) =>
  (parent: Fiber<unknown, unknown>): Entered<AgentResponse, ToolError> => {
    const clock = parent.getRef(Clock.Clock);
    const since = clock.monotonicTimeNanosUnsafe();
    const series = seriesOf(run);
    const { context, span, end } = callSpan(
      tracer,
      {
        spanName: `invoke_agent ${cut(run.agent)}`,
        spanKind: SpanKind.INTERNAL,
        attributes: { ...series, ...attributesOf(run) },
      },
      activeContext(),
    );
    return {
      context,
      span,
      end: (exit) => {
        const errorType = errorOf(exit);
        end({ attributes: endingOf(exit, errorType), errorType });
        const seconds = Number(clock.monotonicTimeNanosUnsafe() - since) / 1e9;
        safely("record", () => instruments().recordRun(series, errorType, seconds));
      },
    };
  };

const seriesOf = ({ agent, model }: ObservedRun): Attributes => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": cut(agent),
  ...(model === undefined ? {} : modelAttributes(cut(model))),
});

const attributesOf = ({ id, principal, isResumed }: ObservedRun): Attributes => ({
  "haft.run.id": id,
  ...(principal?.session === undefined ? {} : { "gen_ai.conversation.id": cut(principal.session) }),
  ...(isResumed ? { "haft.run.resumed": true } : {}),
});

const errorOf = (exit: RunExit): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined;
  if (Cause.hasInterruptsOnly(exit.cause)) return "cancelled";
  const error = Cause.squash(exit.cause);
  return ToolError.is(error) ? error.code : "crashed";
};

const endingOf = (exit: RunExit, errorType: string | undefined): Attributes => {
  if (Exit.isFailure(exit)) return { "haft.outcome": "failure", "error.type": errorType };
  const { status, usage, turns } = exit.value;
  return {
    "haft.outcome": status,
    "haft.run.turns": turns,
    ...(Number.isFinite(usage.inputTokens) ? { "gen_ai.usage.input_tokens": usage.inputTokens } : {}),
    ...(Number.isFinite(usage.outputTokens) ? { "gen_ai.usage.output_tokens": usage.outputTokens } : {}),
  };
};
