import * as Effect from "effect/Effect";
import { textOfThrown } from "../text/thrown-text.ts";
import type { CallRequest } from "../words/call.ts";
import type { Failure } from "../words/failure.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import { reviseInput } from "./1-hydrate/hydrate.ts";
import { bind } from "./2-bind/bind.ts";
import { goneTool } from "./3-authorize/refuse.ts";
import { announceStart } from "./7-record/announce.ts";
import {
  mayRunUnrecorded,
  unrecorded,
  type Written,
  writeAbandoned,
  writeHydrated,
  writeOpening,
} from "./7-record/record.ts";
import { finishCall, openCall } from "./call.ts";
import type { CallServices } from "./call-services.ts";
import {
  type CallState,
  type HydratedCall,
  isQuestion,
  isStopped,
  type RawCallOptions,
  type Stopped,
  stopped,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { answerInside, runInside, toRunningCall } from "./current-call.ts";
import { andThen, type Eventually, type Interruptible, toEffect, uninterruptible } from "./eventually.ts";
import { authorizeBound, authorizeHydrated, hydrateOnce, type Prepared } from "./prepare.ts";

/** A call that has been hydrated and goes on when its orchestrator says so, or never. */
export interface PausedCall {
  readonly kind: "paused";
  readonly state: HydratedCall;
  /** The instance of a class tool, where policy let it be made. */
  readonly instance: object | undefined;
  /** Other arguments than those it came with are read and validated like the first. */
  readonly resume: (params?: unknown) => Effect.Effect<Reply>;
}

/** A call that cannot be used: its reply, and as far as it came. */
export interface RefusedCall {
  readonly kind: "refused";
  readonly state: CallState;
  readonly reply: Reply;
}

/**
 * The corridor with a pause, so that an orchestrator decides when a call goes on. The pause is after stage 1; for a
 * class tool it is after stage 3, because its constructor is code, and no code runs before policy was asked. Where
 * a person must be asked, the instance is made when the yes comes.
 */
export const hydrateOnly = (
  services: CallServices,
  request: CallRequest,
  options?: RawCallOptions,
): Effect.Effect<PausedCall | RefusedCall> =>
  uninterruptible((fiber, interruptible) =>
    andThen(openCall(services, request, fiber, options), (state) =>
      andThen(hydrateOnce(services, { ...state, isTimed: true }, interruptible), (hydrated) =>
        isStopped(hydrated) ? refuse(services, hydrated) : pause(services, hydrated),
      ),
    ),
  );

/** Seen and answered, but not hydrated. */
export const refuseOnly = (
  services: CallServices,
  request: CallRequest,
  failure: Failure,
  options?: RawCallOptions,
): Effect.Effect<RefusedCall> =>
  uninterruptible((fiber) =>
    andThen(openCall(services, request, fiber, options), (state) =>
      refuse(services, stopped(state, failed(failure))),
    ),
  );

const refuse = (services: CallServices, { state, outcome }: Stopped): Eventually<RefusedCall> => {
  announceStart(services, state);
  return andThen(conclude(services, state, outcome), (reply) => ({ kind: "refused", state, reply }) as const);
};

const pause = (services: CallServices, call: HydratedCall): Eventually<PausedCall | RefusedCall> =>
  andThen(mayConstruct(services, call), (answer) => {
    if (isStopped(answer)) return refuse(services, answer);
    const { recorder, registration, ledgerError } = call;
    const { prepare } = registration.tool.implementation;
    const makes = answer.isAllowed && prepare !== undefined;
    if (makes) recorder.note("an instance of the tool's class is made");
    return andThen(ledgerError === undefined ? writeHydrated(services, call) : undefined, (lost) => {
      const error = ledgerError ?? lost;
      if (makes && error !== undefined && !mayRunUnrecorded(services, call, error)) {
        return refuse(services, stopped(call, unrecorded(registration.key, error, false)));
      }
      const instance = makes ? construct(services, call, prepare) : undefined;
      if (instance !== undefined && "outcome" in instance) {
        return andThen(reopen(services, call), (again) => refuse(services, stopped(again, instance.outcome)));
      }
      return toPaused(services, { ...call, ledgerError: error }, instance?.made);
    });
  });

interface AllowedInstance {
  readonly isAllowed: boolean;
}

/** Asked of a class tool alone: of any other, nothing runs before the call goes on, and policy is asked then. */
const mayConstruct = (services: CallServices, call: HydratedCall): Eventually<AllowedInstance | Stopped> => {
  if (call.registration.tool.implementation.prepare === undefined) return { isAllowed: false };
  const bound = bind(call);
  if (isStopped(bound)) return bound;
  return andThen(authorizeBound(services, bound), (prepared) =>
    isStopped(prepared) ? prepared : { isAllowed: !isQuestion(prepared) },
  );
};

/** A constructor is the tool's own code: what it throws is a failure of the tool. */
const construct = (
  services: CallServices,
  call: HydratedCall,
  prepare: (input: unknown) => object,
): { readonly made: object } | { readonly outcome: Outcome } => {
  const { registration, input, transformed } = call;
  try {
    return {
      made: runInside(toRunningCall(services, call), () =>
        prepare(transformed === undefined ? input : transformed.value),
      ),
    };
  } catch (cause) {
    const why = answerInside(services, call, () => textOfThrown(cause));
    const message = `The tool "${registration.key}" could not be made ready: ${why}`;
    return { outcome: failed({ code: "failed", tool: registration.key, ran: true, message, cause }) };
  }
};

const toPaused = (services: CallServices, call: HydratedCall, instance: object | undefined): PausedCall => {
  const paused: PausedCall = {
    kind: "paused",
    state: call,
    instance,
    resume: (params) => {
      abandoned.unregister(paused);
      return resumePaused(services, call, params);
    },
  };
  if (call.ledgerError === undefined) abandoned.register(paused, lastEntry(services, call), paused);
  return paused;
};

/** Made apart from the paused call, which it would keep alive otherwise. */
const lastEntry = (services: CallServices, state: CallState) => (): Written =>
  writeAbandoned(services, state);

/** A call that nobody can go on with any more is over, or its open entry would stay for good. */
const abandoned = new FinalizationRegistry<() => Written>((close) => {
  const written = close();
  Effect.runFork(toEffect(written));
});

const resumePaused = (services: CallServices, call: HydratedCall, params: unknown): Effect.Effect<Reply> =>
  uninterruptible((_, interruptible) =>
    andThen(reopen(services, call), (again) => {
      announceStart(services, again);
      return andThen(authorizeLate(services, again, params, interruptible), (prepared) =>
        finishCall(services, prepared, interruptible),
      );
    }),
  );

/** Open again, so that nobody takes it for a call that waits while its code runs. */
const reopen = (services: CallServices, call: HydratedCall): Eventually<HydratedCall> => {
  const { clock, request, principal, ledgerError } = call;
  const state = { ...call, startedAt: clock.monotonicTimeNanosUnsafe() };
  if (ledgerError !== undefined) return state;
  const again = { ...request, isAgain: true };
  const written = writeOpening(services, again, principal, clock.currentTimeMillisUnsafe());
  return andThen(written, (lost) => (lost === undefined ? state : { ...state, ledgerError: lost }));
};

/** Much may have happened since stage 1: the tool may be gone, and rights may have changed. */
const authorizeLate = (
  services: CallServices,
  call: HydratedCall,
  params: unknown,
  interruptible: Interruptible,
): Eventually<Prepared> => {
  const { key, origin } = call.registration;
  if (origin !== "agent" && services.registry.get(key) !== call.registration) {
    return stopped(call, goneTool(key));
  }
  if (params === undefined) return authorizeHydrated(services, call, interruptible);
  const bound = bind(call);
  if (isStopped(bound)) return bound;
  const revised = reviseInput(services, bound, params);
  return isStopped(revised) ? revised : authorizeHydrated(services, revised, interruptible);
};
