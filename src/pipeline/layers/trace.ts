import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Tracer from "effect/Tracer";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";

/** Creates an OpenTelemetry span per call, without arguments and results. Does nothing without a tracer. */
export const trace = (): ToolLayer =>
  Object.assign(
    (next: Handler): Handler =>
      (call) =>
        Effect.withFiber((fiber) =>
          Context.getOrUndefined(fiber.context, Tracer.Tracer) === undefined
            ? next(call)
            : runInSpan(call, next),
        ),
    { label: "trace", runsNoCode: true },
  );

const runInSpan = (call: AuthorizedCall, next: Handler): Effect.Effect<Outcome> => {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.registration.key,
    "gen_ai.tool.call.id": call.request.raw.id,
  };
  return Effect.useSpan(`execute_tool ${call.registration.key}`, { attributes }, (span) =>
    Effect.map(Effect.withParentSpan(next(call), span), (outcome) => {
      span.attribute("haft.outcome", outcome._tag === "value" ? outcome.flow.kind : outcome._tag);
      if (outcome._tag === "failure") span.attribute("error.type", outcome.failure.code);
      return outcome;
    }),
  );
};
