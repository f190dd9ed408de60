import * as Effect from "effect/Effect";
import type { Outcome } from "../types/outcome.ts";
import type { CallServices } from "./call-services.ts";
import {
  type BoundCall,
  isAwaitingApproval,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "./call-state.ts";
import { claimIdempotencyKey } from "./idempotency.ts";
import { loadOnDemand } from "./load-on-demand.ts";
import {
  deferEffect,
  flatMapMaybe,
  type MaybeEffect,
  type RestoreInterruption,
  toEffect,
} from "./maybe-effect.ts";
import type { PreparedCall } from "./prepare.ts";

/** Returns an outcome if a key belongs to another call, or undefined if this call may run. */
export const claimKeys = (
  services: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome | undefined> => {
  const callerKeyOutcome = claimIdempotencyKey(services, call);
  return call.registration.tool.key === undefined
    ? callerKeyOutcome
    : flatMapMaybe(callerKeyOutcome, (outcome) => outcome ?? claimToolKey(services, call, interruptible));
};

export const reclaimKey = (services: CallServices, prepared: PreparedCall): MaybeEffect<PreparedCall> => {
  if (isStopped(prepared) || isAwaitingApproval(prepared) || prepared.registration.tool.key === undefined)
    return prepared;
  const claimed = claimToolKey(services, prepared, (effect) => effect);
  return flatMapMaybe(claimed, (replayed): PermittedCall | StoppedCall =>
    replayed === undefined ? prepared : stopCall(prepared, replayed),
  );
};

const effectKeyModule = loadOnDemand(() => import("./effect-key.ts"));

const claimToolKey = (
  services: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome | undefined> =>
  deferEffect(
    Effect.flatMap(effectKeyModule, ({ claimEffectKey }) =>
      toEffect(claimEffectKey(services, call, interruptible)),
    ),
  );
