import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { hashInput } from "../../json/hash-input.ts";
import { definitionHash } from "../../tool/definition-hash.ts";
import type { ApprovalRecord } from "../../words/approval.ts";
import type { CallRequest } from "../../words/call.ts";
import type { AnyToolError } from "../../words/errors.ts";
import { noLayers } from "../../words/layer.ts";
import type { LedgerEntry, Recalled } from "../../words/ledger.ts";
import { failed, isOutcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import { findTool } from "../1-hydrate/find-tool.ts";
import { hydrate, reviseInput } from "../1-hydrate/hydrate.ts";
import { bind } from "../2-bind/bind.ts";
import type { CallServices } from "../call-services.ts";
import { type BoundCall, type CallState, isStopped, newState, type Stopped, stopped } from "../call-state.ts";
import { loadRunTally } from "../run-tally.ts";
import type { Resuming } from "./resume-call.ts";
import { journalOf } from "./suspended-call.ts";

/** The call as it was when it began to wait, made from what the ledger kept of it. */
export const rebuildCall = (
  services: CallServices,
  record: ApprovalRecord,
  kept: Recalled | undefined,
  resuming: Resuming & { readonly principal: Principal },
  clock: Clock.Clock,
): Effect.Effect<BoundCall | Stopped, AnyToolError> =>
  Effect.gen(function* () {
    const { principal, scope: known } = resuming;
    const scope = known ?? {
      id: record.runId,
      agent: record.principal.agent,
      tally: yield* loadRunTally(services.ledger, record.runId),
    };
    const request = toRequest(record, kept?.entry, kept?.input, resuming, scope);
    const { notes, attempts, taints } = kept?.entry ?? {};
    const journal = journalOf(kept);
    const earlier = { notes, attempts, taints, journal };
    const state = newState(services, request, principal, clock, { earlier });
    const call = rebuild(services, record, state, kept?.entry);
    if (isStopped(call) && record.decision?.kind !== "deny") {
      yield* Effect.ignore(services.approvals.annul(record.id, messageOf(call), record.askedAt));
    }
    return call;
  });

const toRequest = (
  record: ApprovalRecord,
  entry: LedgerEntry | undefined,
  input: string | undefined,
  { principal, env, layers, shown, input: given }: Resuming,
  scope: CallRequest["scope"],
): CallRequest =>
  Object.freeze({
    raw: Object.freeze({ id: record.callId, tool: record.rawTool, input: input ?? given ?? record.input }),
    entryId: record.entryId,
    scope,
    layers: layers ?? noLayers,
    shown,
    principal,
    correlationId: entry?.correlationId,
    env,
    repair: entry?.provenance?.repaired === true ? "deterministic" : "off",
    key: entry?.key,
    parentId: entry?.parentId,
  });

/** The same tool under the same promise with the same arguments, or a failure that says what is not the same. */
const rebuild = (
  services: CallServices,
  record: ApprovalRecord,
  state: CallState,
  entry: LedgerEntry | undefined,
): BoundCall | Stopped => {
  const { principal, request } = state;
  const registration = findTool(services, record.rawTool, principal!, request.shown);
  if (isOutcome(registration)) return stopped(state, registration);
  const found = { ...state, registration };
  const changed = (why: string): Stopped => stopped(found, isVoid(record, why));
  if (registration.key !== record.tool) return changed("another tool has its name now");
  const { spec } = registration.tool;
  if (definitionHash(spec) !== record.definition) return changed("the tool's definition has changed");
  const hydrated = hydrate(services, state);
  if (isStopped(hydrated)) return changed("its exact arguments are no longer kept");
  // Without it the code would begin anew and make its calls a second time.
  if (state.recorder.journal === undefined && state.recorder.attempts.length > 0) {
    return changed("what its code had done is no longer kept");
  }
  const bound = bind(hydrated);
  if (isStopped(bound)) return bound;
  // Edited by an approval layer before it was put before a person, or a repairer wrote them.
  const call =
    hashInput(bound.input) === record.inputHash ? bound : reviseInput(services, bound, record.input);
  if (isStopped(call) || hashInput(call.input) !== record.inputHash) {
    return changed("its exact arguments are no longer kept");
  }
  return { ...call, provenance: entry?.provenance ?? call.provenance };
};

const isVoid = ({ tool }: ApprovalRecord, why: string) =>
  failed({
    code: "approval_void",
    tool,
    message: `The approved call of "${tool}" cannot be made any more: ${why}.`,
  });

const messageOf = ({ outcome }: Stopped): string =>
  outcome._tag === "failure" ? outcome.failure.message : outcome._tag;
