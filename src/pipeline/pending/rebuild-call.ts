import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { hashInput } from "../../base/json/canonical-json.ts";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { CallRequest, RunCounters } from "../../types/call.ts";
import type { AnyToolError } from "../../types/errors.ts";
import type { EntryTexts, LedgerEntry } from "../../types/ledger.ts";
import { failed, isOutcome } from "../../types/outcome.ts";
import type { Principal } from "../../types/principal.ts";
import { noLayerScopes } from "../../types/tool.ts";
import { findTool } from "../1-hydrate/find-tool.ts";
import { hydrateCall, reviseInput } from "../1-hydrate/hydrate.ts";
import { bindCall } from "../2-bind/bind.ts";
import {
  type BoundCall,
  type CallServices,
  type CallState,
  isStopped,
  newCallState,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { loadRunCounters } from "../run-counters.ts";
import type { ResumeCallOptions } from "./resume-call.ts";
import { journalOf } from "./suspended-call.ts";

export const rebuildCall = (
  services: CallServices,
  record: ApprovalRecord,
  kept: EntryTexts | undefined,
  resuming: ResumeCallOptions & { readonly principal: Principal },
  clock: Clock.Clock,
): Effect.Effect<BoundCall | StoppedCall, AnyToolError> =>
  Effect.gen(function* () {
    const { principal, scope: known } = resuming;
    const scope = known ?? {
      id: record.runId,
      agent: record.principal.agent,
      tally: yield* loadSharedCounters(services, record),
    };
    const request = toCallRequest(record, kept?.entry, kept?.input, resuming, scope);
    const { notes, attempts, taints } = kept?.entry ?? {};
    const journal = journalOf(kept);
    const earlier = { notes, attempts, taints, journal };
    const state = newCallState(services, request, principal, clock, { earlier });
    const call = rebuildFromRecord(services, record, state, kept?.entry);
    if (isStopped(call) && record.decision?.kind !== "deny") {
      yield* Effect.ignore(services.approvals.annul(record.id, outcomeMessage(call), record.askedAt));
    }
    return call;
  });

/** Calls resumed concurrently share counters, so that the run's budget applies to all of them. */
const loadSharedCounters = (
  { ledger, resumedRuns }: CallServices,
  { runId }: ApprovalRecord,
): Effect.Effect<RunCounters, AnyToolError> =>
  Effect.gen(function* () {
    const run = resumedRuns.get(runId);
    if (run?.tally !== undefined) return run.tally;
    const loaded = yield* loadRunCounters(ledger, runId, { resumed: run?.entryIds ?? new Set() });
    if (run === undefined) return loaded;
    run.tally ??= loaded;
    return run.tally;
  });

const toCallRequest = (
  record: ApprovalRecord,
  entry: LedgerEntry | undefined,
  input: string | undefined,
  { principal, env, layers, shown, input: given }: ResumeCallOptions,
  scope: CallRequest["scope"],
): CallRequest =>
  Object.freeze({
    raw: Object.freeze({ id: record.callId, tool: record.rawTool, input: input ?? given ?? record.input }),
    entryId: record.entryId,
    scope,
    layers: layers ?? noLayerScopes,
    shown,
    principal,
    correlationId: entry?.correlationId,
    operator: entry?.operator,
    env,
    repair: entry?.provenance?.repaired === true ? "deterministic" : "off",
    key: entry?.key,
    parentId: entry?.parentId,
  });

/** Checks that the tool, its definition and the arguments are unchanged. */
const rebuildFromRecord = (
  services: CallServices,
  record: ApprovalRecord,
  state: CallState,
  entry: LedgerEntry | undefined,
): BoundCall | StoppedCall => {
  const { principal, request } = state;
  const registration = findTool(services, record.rawTool, principal!, request.shown);
  if (isOutcome(registration)) return stopCall(state, registration);
  const withRegistration = { ...state, registration };
  const stopAsChanged = (why: string): StoppedCall =>
    stopCall(withRegistration, approvalVoidOutcome(record, why));
  if (registration.key !== record.tool) return stopAsChanged("another tool now has its name");
  const { spec } = registration.tool;
  if (definitionHash(spec) !== record.definition) return stopAsChanged("the tool's definition has changed");
  const hydrated = hydrateCall(services, state);
  if (isStopped(hydrated)) return stopAsChanged("its exact arguments are no longer stored");
  // Without its journal the code would start from the beginning and repeat its calls.
  if (state.recorder.journal === undefined && state.recorder.attempts.length > 0) {
    return stopAsChanged("the recorded steps of its code are no longer stored");
  }
  const bound = bindCall(hydrated);
  if (isStopped(bound)) return bound;
  // An approval layer or a repairer changed the arguments before the request.
  const call =
    hashInput(bound.input) === record.inputHash ? bound : reviseInput(services, bound, record.input);
  if (isStopped(call) || hashInput(call.input) !== record.inputHash) {
    return stopAsChanged("its exact arguments are no longer stored");
  }
  return { ...call, provenance: entry?.provenance ?? call.provenance };
};

const approvalVoidOutcome = ({ tool }: ApprovalRecord, why: string) =>
  failed({
    code: "approval_void",
    tool,
    message: `The approved call of "${tool}" can no longer run: ${why}.`,
  });

const outcomeMessage = ({ outcome }: StoppedCall): string =>
  outcome._tag === "failure" ? outcome.failure.message : outcome._tag;
