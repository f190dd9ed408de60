import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { failed, isOutcome, type Outcome } from "../../types/outcome.ts";
import {
  type AnyLayer,
  type AnyTool,
  type Handler,
  isIdempotent,
  type LayerScopes,
  type TimeLimit,
  type ToolSpec,
} from "../../types/tool.ts";
import {
  type AttemptStart,
  type CallAwaitingApproval,
  type CallServices,
  isAwaitingApproval,
  isStopped,
  type PermittedCall,
  type StoppedCall,
} from "../call-state.ts";
import { type MaybeEffect, toEffect } from "../maybe-effect.ts";

export interface GateDependencies {
  readonly permittedCallOf: (grant: unknown) => PermittedCall | undefined;
  readonly reauthorize: (
    call: PermittedCall,
    input: unknown,
    mode: ToolSpec["validate"] | undefined,
  ) => MaybeEffect<PermittedCall | CallAwaitingApproval | StoppedCall>;
  readonly run: (start: AttemptStart) => Effect.Effect<Outcome>;
}

/**
 * The innermost handler, and the only place that starts an attempt. It runs the call stored in the permit and
 * takes only `input` and `env` from the layer's object. An input that a layer changed is validated and
 * authorized again.
 */
export const createGate = (services: CallServices, parts: GateDependencies) => {
  const gateHandler = (mode: ToolSpec["validate"] | undefined, limit: TimeLimit | undefined): Handler => {
    // Checks the permit when the handler runs, so that a late run finds it void.
    const handler: Handler = (call) => Effect.withFiber((fiber) => enter(call, fiber));

    const enter = (call: AuthorizedCall, fiber: Fiber<unknown, unknown>): Effect.Effect<Outcome> => {
      const { grant, input, env, principal, request, registration, spec } = call;
      const permitted = parts.permittedCallOf(grant);
      if (permitted === undefined) return Effect.succeed(forgedPermitOutcome(String(registration?.key)));
      const isSame =
        principal === permitted.principal &&
        request === permitted.request &&
        registration?.key === permitted.registration.key &&
        spec === permitted.spec;
      if (!isSame) return Effect.succeed(forgedPermitOutcome(permitted.registration.key));
      const expired = refuseExpiredPermit(services, permitted);
      if (expired !== undefined) return Effect.succeed(expired);
      if (input === permitted.grant.input) return start(permitted, env, fiber);
      return Effect.flatMap(toEffect(parts.reauthorize(permitted, input, mode)), (reauthorized) => {
        if (isStopped(reauthorized)) return Effect.succeed(reauthorized.outcome);
        return isAwaitingApproval(reauthorized)
          ? Effect.succeed(changedInputNeedsApproval(reauthorized))
          : start(reauthorized, env, fiber);
      });
    };

    const start = (
      call: PermittedCall,
      env: unknown,
      fiber: Fiber<unknown, unknown>,
    ): Effect.Effect<Outcome> => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
      const attempt = call.recorder.startAttempt(now, call.input, isIdempotent(call.spec));
      if (attempt === undefined) return Effect.succeed(alreadyStartedOutcome(call.registration.key));
      if (call.isRevised) call.recorder.ranWith = { input: call.input };
      return parts.run({ call, env, attempt, limit, fiber });
    };

    return Object.assign(handler, {
      within: (other: TimeLimit) =>
        gateHandler(mode, limit !== undefined && limit.millis <= other.millis ? limit : other),
    });
  };
  return (mode: ToolSpec["validate"] | undefined): Handler => gateHandler(mode, undefined);
};

const refuseExpiredPermit = (services: CallServices, call: PermittedCall): Outcome | undefined => {
  const { registration, recorder } = call;
  if (!recorder.isOpen || !services.isOpen()) {
    return failed({
      code: "call_over",
      tool: registration.key,
      ran: false,
      message: `The call of "${registration.key}" has ended. Nothing more runs for it.`,
    });
  }
  if (registration.origin === "agent" || services.registry.holds(registration)) return undefined;
  return failed({
    code: "unknown_tool",
    tool: registration.key,
    ran: false,
    message: `The tool "${registration.key}" is no longer registered.`,
  });
};

const forgedPermitOutcome = (tool: string): Outcome =>
  failed({
    code: "denied",
    tool,
    ran: false,
    message: `You are not allowed to call "${tool}" with these arguments.`,
    detail: "a layer changed the caller, the tool, or the permit",
  });

/** No approver can be asked inside the layers, so an input that requires approval is refused. */
const changedInputNeedsApproval = ({ call, reason }: CallAwaitingApproval): Outcome =>
  failed({
    code: "approval_required",
    tool: call.registration.key,
    ran: false,
    message: `A person must approve this call of "${call.registration.key}", and no approver is configured.`,
    detail: reason,
  });

const alreadyStartedOutcome = (tool: string): Outcome =>
  failed({
    code: "already_started",
    tool,
    ran: false,
    message: `The tool "${tool}" was already started for this call and is not idempotent, so it is not started again.`,
  });

interface LayerStack {
  readonly handler: Handler;
  readonly approvers: readonly AnyLayer[];
  readonly labels: readonly string[];
  /** Whether a layer runs user code, which may make calls. */
  readonly runsCode: boolean;
}

type GateFactory = (mode: ToolSpec["validate"] | undefined) => Handler;

/** The last layer is outermost. */
export const buildLayerStack = (layers: readonly AnyLayer[], makeGate: GateFactory): LayerStack => {
  let handler = makeGate(layers.find(({ validate }) => validate !== undefined)?.validate);
  for (const layer of layers) handler = layer(handler) as Handler;
  const outward = layers.toReversed();
  return {
    handler,
    approvers: outward.filter((layer) => layer.approve !== undefined),
    labels: Object.freeze(outward.map(({ label }) => label ?? "layer")),
    runsCode: layers.some(({ runsNoCode }) => runsNoCode !== true),
  };
};

export type LayerStackLookup = (tool: AnyTool, scopes: LayerScopes) => LayerStack;

export const createLayerStackCache = (
  operator: readonly AnyLayer[],
  makeGate: GateFactory,
): LayerStackLookup => {
  const built = new WeakMap<LayerScopes, WeakMap<AnyTool, LayerStack>>();
  return (tool, scopes) => {
    let ofScopes = built.get(scopes);
    if (ofScopes === undefined) {
      ofScopes = new WeakMap();
      built.set(scopes, ofScopes);
    }
    let layerStack = ofScopes.get(tool);
    if (layerStack === undefined) {
      layerStack = buildLayerStack([...tool.layers, ...scopes.agent, ...scopes.run, ...operator], makeGate);
      ofScopes.set(tool, layerStack);
    }
    return layerStack;
  };
};

/** The error channel is empty, so the cause is a cancellation or a defect of a layer. */
export const toCauseOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  return defect === undefined ? cancelledOutcome(key, false) : layerBrokeOutcome(key, defect.defect);
};

export const approverFailedOutcome = (cause: Cause.Cause<never>, key: string): Outcome => {
  const defect = cause.reasons.find(Cause.isDieReason);
  if (defect === undefined) return cancelledOutcome(key, false);
  return failed({
    code: "approval_required",
    tool: key,
    ran: false,
    message: `The call of "${key}" requires approval, and no approver is configured.`,
    detail: `the approver failed: ${thrownMessage(defect.defect)}`,
    cause: defect.defect,
  });
};

/** Checks the return value of untyped layers. Only stage 3 can make a call pending. */
export const requireOutcome = (outcome: Outcome, key: string): Outcome =>
  isOutcome(outcome) && outcome._tag !== "pending"
    ? outcome
    : layerBrokeOutcome(
        key,
        typeof outcome === "function"
          ? "a layer returned a function instead of an outcome: call the function that creates the layer, as in .layer(retry())"
          : "a layer returned a value that is not an outcome",
      );

export const cancelledOutcome = (key: string, ran = true): Outcome =>
  failed({ code: "cancelled", tool: key, ran, message: `The call of "${key}" was cancelled.` });

export const layerBrokeOutcome = (key: string, cause: unknown): Outcome =>
  failed({
    code: "layer_broke",
    tool: key,
    ran: true,
    message: `A layer around "${key}" failed.`,
    detail: thrownMessage(cause),
    cause,
  });
