import * as Effect from "effect/Effect";
import { definitionHash } from "../define/definition-hash.ts";
import { hashInput } from "../json/hash-input.ts";
import type { ApprovalRecord } from "../words/approval.ts";
import type { BoundCall, HydratedCall, Trip } from "../words/call.ts";
import type { ToolError } from "../words/errors.ts";
import type { LedgerEntry, Recalled } from "../words/ledger.ts";
import { failed, isOutcome, type Outcome } from "../words/outcome.ts";
import { find } from "./1-hydrate/find.ts";
import { hydrate } from "./1-hydrate/hydrate.ts";
import { reviseInput } from "./1-hydrate/read-input.ts";
import { bind } from "./2-bind/bind.ts";
import type { House } from "./house.ts";
import type { Resuming } from "./resume.ts";
import { tallyOf } from "./run-tally.ts";

/** The call as it was when it began to wait, made from what the ledger kept of it. */
export const rebuild = (
  house: House,
  record: ApprovalRecord,
  kept: Recalled | undefined,
  resuming: Resuming,
): Effect.Effect<{ readonly trip: Trip; readonly call: BoundCall | Outcome }, ToolError> =>
  Effect.gen(function* () {
    const tally = resuming.tally ?? (yield* tallyOf(house.ledger, record.runId));
    const trip = toTrip(record, kept?.entry, kept?.input, { ...resuming, tally });
    const call = again(house, record, trip, resuming);
    if (isOutcome(call) && record.decision?.kind !== "deny") {
      yield* Effect.ignore(house.approvals.annul(record.id, messageOf(call), record.askedAt));
    }
    return { trip, call };
  });

const toTrip = (
  record: ApprovalRecord,
  entry: LedgerEntry | undefined,
  input: string | undefined,
  { principal, env, tally }: Resuming,
): Trip => ({
  raw: { id: record.callId, tool: record.rawTool, input: input ?? record.input },
  entryId: record.entryId,
  scope: { id: record.runId, agent: record.principal.agent, tally },
  principal,
  correlationId: entry?.correlationId,
  env,
  repair: entry?.provenance?.repaired === true ? "deterministic" : "off",
  key: entry?.key,
  parentId: entry?.parentId,
  provenance: entry?.provenance,
  notes: [...(entry?.notes ?? [])],
});

/** The same tool under the same promise with the same arguments, or a failure that says what is not the same. */
const again = (
  house: House,
  record: ApprovalRecord,
  trip: Trip,
  { principal, shown }: Resuming,
): BoundCall | Outcome => {
  const { provenance } = trip;
  if (principal === undefined) return changed(record, "its caller is gone");
  const registration = find(house, record.rawTool, principal, shown);
  if (isOutcome(registration)) return registration;
  if (registration.key !== record.tool) return changed(record, "another tool has its name now");
  const { spec } = registration.tool;
  if (definitionHash(spec) !== record.definition) return changed(record, "the tool's definition has changed");
  const first = hydrate(house, trip, principal, shown);
  trip.provenance = provenance ?? trip.provenance;
  const base: HydratedCall = { trip, principal, registration, spec, input: record.input, validated: true };
  const candidates = isOutcome(first) ? [] : [first];
  const edited = reviseInput(house, base, record.input);
  if (!isOutcome(edited)) candidates.push(edited);
  const same = candidates.find(({ input }) => hashInput(input) === record.inputHash);
  return same === undefined ? changed(record, "its exact arguments are no longer kept") : bind(same);
};

const changed = ({ tool }: ApprovalRecord, why: string): Outcome =>
  failed({
    code: "approval_void",
    tool,
    message: `The approved call of "${tool}" cannot be made any more: ${why}.`,
  });

const messageOf = (outcome: Outcome): string =>
  outcome._tag === "failure" ? outcome.failure.message : outcome._tag;
