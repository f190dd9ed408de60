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

/**
 * Claims the caller's own key and the key of the tool. Gives the outcome to reply with where one of them belongs to another
 * call, or nothing where this call may run. Denied calls do not come here, so they claim nothing.
 */
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

/** The same for arguments that a layer put in place of those that the key was claimed for. */
export const reclaimKey = (services: CallServices, prepared: PreparedCall): MaybeEffect<PreparedCall> => {
  if (isStopped(prepared) || isAwaitingApproval(prepared) || prepared.registration.tool.key === undefined)
    return prepared;
  const claimed = claimToolKey(services, prepared, (effect) => effect);
  return flatMapMaybe(claimed, (replayed): PermittedCall | StoppedCall =>
    replayed === undefined ? prepared : stopCall(prepared, replayed),
  );
};

/** Most tools have no key. */
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
