import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler, TimeLimit } from "../../words/layer.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import { isIdempotent, type ToolSpec } from "../../words/spec.ts";
import type { CallServices } from "../call-services.ts";
import {
  type AttemptStart,
  type GrantedCall,
  isQuestion,
  isStopped,
  type Stopped,
  type UnansweredCall,
} from "../call-state.ts";
import { type Eventually, toEffect } from "../eventually.ts";
import { keepInput, startAttempt } from "../recorder.ts";

/** What the gate is given of the stages around it. */
export interface GateParts {
  /** The call that a grant allows, or nothing if it is no grant of ours. */
  readonly grantedBy: (grant: unknown) => GrantedCall | undefined;
  /** Validates an input that a layer changed, and asks policy and the approval layers about it. */
  readonly reauthorize: (
    call: GrantedCall,
    input: unknown,
    mode: ToolSpec["validate"] | undefined,
  ) => Eventually<GrantedCall | UnansweredCall | Stopped>;
  readonly run: (start: AttemptStart) => Effect.Effect<Outcome>;
}

/**
 * The innermost layer, and the only place where an attempt starts. What runs is built from the sealed grant; of the
 * layer's object only `input` and `env` are taken, each read once. An input that a layer changed is validated and
 * authorized again. Without this, a layer that rewrites its input would run something that nobody allowed.
 */
export const gate = (services: CallServices, parts: GateParts) => {
  const guard = (mode: ToolSpec["validate"] | undefined, limit: TimeLimit | undefined): Handler => {
    // Looked at when it runs, not when it is built: a handler that is run later finds its grant dead.
    const handler: Handler = (call) => Effect.withFiber((fiber) => enter(call, fiber));

    const enter = (call: AuthorizedCall, fiber: Fiber<unknown, unknown>): Effect.Effect<Outcome> => {
      const { grant, input, env, principal, request, registration, spec } = call;
      const granted = parts.grantedBy(grant);
      if (granted === undefined) return Effect.succeed(forged(String(registration?.key)));
      const isSame =
        principal === granted.principal &&
        request === granted.request &&
        registration?.key === granted.registration.key &&
        spec === granted.spec;
      if (!isSame) return Effect.succeed(forged(granted.registration.key));
      const dead = refuseDead(services, granted);
      if (dead !== undefined) return Effect.succeed(dead);
      if (input === granted.grant.input) return start(granted, env, fiber);
      return Effect.flatMap(toEffect(parts.reauthorize(granted, input, mode)), (again) => {
        if (isStopped(again)) return Effect.succeed(again.outcome);
        return isQuestion(again) ? Effect.succeed(needsPersonAgain(again)) : start(again, env, fiber);
      });
    };

    const start = (
      call: GrantedCall,
      env: unknown,
      fiber: Fiber<unknown, unknown>,
    ): Effect.Effect<Outcome> => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
      const attempt = startAttempt(call.recorder, now, call.input, isIdempotent(call.spec));
      if (attempt === undefined) return Effect.succeed(startedBefore(call.registration.key));
      if (call.isRevised) keepInput(call.recorder, call.input);
      return parts.run({ call, env, attempt, limit, fiber });
    };

    return Object.assign(handler, {
      within: (other: TimeLimit) =>
        guard(mode, limit !== undefined && limit.millis <= other.millis ? limit : other),
    });
  };
  return (mode: ToolSpec["validate"] | undefined): Handler => guard(mode, undefined);
};

/** A grant is good for one call, while its tool is there and the runtime is open. */
const refuseDead = (services: CallServices, call: GrantedCall): Outcome | undefined => {
  const { registration, recorder } = call;
  if (!recorder.isOpen || !services.isOpen()) {
    return failed({
      code: "call_over",
      tool: registration.key,
      ran: false,
      message: `The call of "${registration.key}" is over. Nothing runs under it any more.`,
    });
  }
  if (registration.origin === "agent" || services.registry.get(registration.key) === registration)
    return undefined;
  return failed({
    code: "unknown_tool",
    tool: registration.key,
    ran: false,
    message: `The tool "${registration.key}" is not there any more.`,
  });
};

const forged = (tool: string): Outcome =>
  failed({
    code: "denied",
    tool,
    ran: false,
    message: `You are not allowed to call "${tool}" with these arguments.`,
    detail: "a layer changed who calls, what is called, or the grant",
  });

/** Nobody can be asked in here, so a changed input that needs a person is refused. */
const needsPersonAgain = ({ call, reason }: UnansweredCall): Outcome =>
  failed({
    code: "approval_required",
    tool: call.registration.key,
    ran: false,
    message: `A person must approve this call of "${call.registration.key}", and nobody can be asked.`,
    detail: reason,
  });

const startedBefore = (tool: string): Outcome =>
  failed({
    code: "already_started",
    tool,
    ran: false,
    message: `The tool "${tool}" was started for this call already and is not idempotent, so it is not started again.`,
  });
