import { createHash } from "node:crypto";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { hashInput } from "../../base/json/hash-input.ts";
import { stringifyValue } from "../../base/json/stringify-value.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import { definitionHash } from "../../tools/definition-hash.ts";
import type { ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { CallRequest } from "../../types/call.ts";
import { base64ByteLength, type ContentPart, type MediaNote, mediaOf } from "../../types/content.ts";
import { LedgerError } from "../../types/errors.ts";
import type { EntryClosing } from "../../types/ledger.ts";
import { failed, type Outcome, type ValueOutcome } from "../../types/outcome.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { isReadOnly } from "../../types/spec.ts";
import type { Registration } from "../../types/tool.ts";
import type { CallServices } from "../call-services.ts";
import type { CallState, PermittedCall } from "../call-state.ts";
import { deferEffect, type MaybeEffect } from "../maybe-effect.ts";

/** What went wrong with a write, if anything did. A ledger in memory is done at once, which costs no step of a fiber. */
export type WriteResult = MaybeEffect<LedgerError | undefined>;

const toUndefined = (): undefined => undefined;

/** A store that dies, or throws, is as good as one that says it cannot write. */
const asLedgerError = (cause: unknown): LedgerError => {
  const said = Cause.isCause(cause) ? Cause.squash(cause) : cause;
  if (said instanceof LedgerError) return said;
  return new LedgerError("ledger_unavailable", thrownMessage(said));
};

const toWriteResult = (write: () => Effect.Effect<void, LedgerError>): WriteResult => {
  try {
    const writing = write();
    if (writing === Effect.void) return undefined;
    return deferEffect(Effect.matchCause(writing, { onSuccess: toUndefined, onFailure: asLedgerError }));
  } catch (thrown) {
    return asLedgerError(thrown);
  }
};

/** Opens the entry before anybody looks at the call. */
export const writeOpening = (
  services: CallServices,
  request: CallRequest,
  principal: Principal | undefined,
  at: number,
): WriteResult => {
  const { raw, scope } = request;
  // Most callers are their own; a borrower is known by whoever lent it its right too.
  const caller = principal?.within === undefined ? principal : callerIdentityOf(principal);
  return toWriteResult(() =>
    services.ledger.open({
      entryId: request.entryId,
      callId: raw.id,
      runId: scope.id,
      tool: raw.tool,
      input: stringifyValue(raw.input),
      agent: caller?.agent,
      session: caller?.session,
      user: caller?.user,
      tenant: caller?.tenant,
      parentId: request.parentId,
      key: request.key,
      correlationId: request.correlationId,
      operator: request.operator,
      epoch: scope.epoch,
      isAgain: request.isAgain,
      at,
    }),
  );
};

/** How a call ended, as far as it came. */
export interface EndedCall {
  readonly outcome: Outcome;
  /** The value's JSON text. */
  readonly text: string;
  /** What stage 6 left out of it. */
  readonly notes?: readonly string[] | undefined;
  readonly durationMs: number;
  readonly layers: readonly string[] | undefined;
  /** Whose words are in the outcome, as far as they are not to be trusted. */
  readonly taints: readonly string[];
}

/** As far as a call may have come when it ends. */
type PartialCall = CallState & Partial<Omit<PermittedCall, keyof CallState>>;

/** Closes the entry. Only after this is there a reply. */
export const writeClosing = (services: CallServices, state: PartialCall, ended: EndedCall): WriteResult => {
  const { request, recorder, registration, grant } = state;
  const { outcome, text, durationMs, taints } = ended;
  const value = outcome._tag === "value" ? outcome : undefined;
  const failure = outcome._tag === "failure" ? outcome.failure : undefined;
  const mask = (note: string): string => headOf(services.redactor.text(note), maxNoteLength);
  return toWriteResult(() =>
    services.ledger.close({
      entryId: request.entryId,
      ending: value !== undefined ? "executed" : failure !== undefined ? "failed" : "pending",
      tool: registration?.key ?? fullToolName(services, request.raw.tool),
      code: failure?.code,
      message: failure?.message,
      ruleIds: grant?.ruleIds ?? failure?.ruleIds,
      definition: definitionOf(registration),
      implementation: registration?.tool.implementation._tag,
      layers: ended.layers,
      // A refusal's reason is in its failure, a grant's in the grant.
      decision: grant?.decision ?? failure?.detail,
      flow: value?.flow.kind,
      result: value === undefined ? journalOfOutcome(outcome) : text,
      ...describeMediaParts(services, value?.parts),
      original: originalTextOf(state, value),
      notes: ended.notes === undefined ? recorder.notes : [...recorder.notes, ...ended.notes.map(mask)],
      provenance: state.provenance,
      durationMs,
      cost: recorder.cost,
      taints: taints.length === 0 ? undefined : taints,
      ran: recorder.hasRun,
      claimsNotRun: failure?.claimsNotRun,
      attempts: recorder.attempts,
      ranWith: recorder.ranWith === undefined ? undefined : stringifyValue(recorder.ranWith.input),
      handoff: value?.flow.kind === "handoff" ? services.redactor.text(value.flow.agent) : undefined,
      approval: approvalRecordOf(state, outcome),
      epoch: request.scope.epoch,
      readOnly: registration !== undefined && isReadOnly(registration.tool.spec),
      full: isFullSync(services, state),
    }),
  );
};

/** Rows say which media there were and what they hash to; names and addresses may hold a secret. */
const describeMediaParts = (
  { redactor }: CallServices,
  parts: readonly ContentPart[] | undefined,
): Pick<EntryClosing, "media" | "parts"> => {
  if (parts === undefined) return {};
  const media = mediaOf(parts).map(
    ({ kind, mediaType, name, data, url }): MediaNote => ({
      kind,
      mediaType,
      ...(name === undefined ? {} : { name: redactor.text(name) }),
      ...(data === undefined
        ? { url: redactor.text(url).slice(0, maxUrlLength) }
        : { bytes: base64ByteLength(data), sha256: hashBase64(data) }),
    }),
  );
  return { media, parts };
};

const maxNoteLength = 500;
/** Rows are short; the whole address is among the exact texts. */
const maxUrlLength = 1_000;

const hashBase64 = (data: string): string =>
  createHash("sha256").update(Buffer.from(data, "base64")).digest("hex");

/** What a call that was stopped needs to go on is kept where a result would be. */
const journalOfOutcome = (outcome: Outcome): string | undefined =>
  outcome._tag === "pending" ? outcome.suspension?.journal : undefined;

/** A call that was refused before its tool was looked at is found under the same name as one that was not. */
const fullToolName = ({ registry }: CallServices, asked: unknown): string | undefined => {
  if (typeof asked !== "string") return undefined;
  const found = registry.resolve(asked);
  return found.ok ? found.registration.key : undefined;
};

/** What a layer replaced: as it says itself, or as the code gave it. */
const originalTextOf = ({ recorder }: CallState, value: ValueOutcome | undefined): string | undefined => {
  if (value?.flow.kind === "rewrite") return toJsonText(value.flow.original);
  return value === undefined || recorder.replaced === undefined
    ? undefined
    : toJsonText(recorder.replaced.value);
};

/** A text is written in quotes, as the result is. */
const toJsonText = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : stringifyValue(value);

/** What is on disk before a risky call starts, whatever happens to the machine. */
export const writeIntent = (
  services: CallServices,
  call: PermittedCall,
  layers: readonly string[],
  at: number,
): WriteResult => {
  const { ledger } = services;
  if (ledger.intend === undefined) return undefined;
  const { request, registration, grant } = call;
  return toWriteResult(() =>
    ledger.intend!({
      entryId: request.entryId,
      tool: registration.key,
      epoch: request.scope.epoch,
      at,
      full: true,
      decision: grant.decision,
      ruleIds: grant.ruleIds,
      definition: definitionOf(registration),
      implementation: registration.tool.implementation._tag,
      layers,
    }),
  );
};

/** Whether not even a power cut may lose it. */
export const isFullSync = ({ settings }: CallServices, { registration }: CallState): boolean =>
  registration !== undefined && settings.fullSync.includes(registration.tool.spec.risk);

const definitionOf = (registration: Registration | undefined): string | undefined =>
  registration === undefined ? undefined : definitionHash(registration.tool.spec);

/** What a person was asked about this call, if one was: the answer is still to come, or it came at once. */
const approvalRecordOf = (state: PartialCall, outcome: Outcome): ApprovalRecord | undefined => {
  if (outcome._tag === "pending") return toApprovalRecord(state, outcome.approval, { status: "waiting" });
  if (state.approved === undefined) return undefined;
  const { request, decision } = state.approved;
  return toApprovalRecord(state, request, { status: "used", decision });
};

const toApprovalRecord = (
  { request, registration, principal }: CallState,
  asked: ApprovalRequest,
  answer: Pick<ApprovalRecord, "status" | "decision">,
): ApprovalRecord => ({
  id: asked.id,
  entryId: request.entryId,
  callId: request.raw.id,
  runId: request.scope.id,
  tool: registration!.key,
  rawTool: request.raw.tool,
  principal: principal!,
  input: asked.input,
  inputHash: hashInput(asked.input),
  definition: definitionHash(registration!.tool.spec),
  reason: asked.reason,
  askedAt: asked.askedAt ?? 0,
  expiresAt: asked.expiresAt,
  ...(asked.trace === undefined ? {} : { trace: asked.trace }),
  ...(asked.waitsFor === undefined ? {} : { waitsFor: asked.waitsFor }),
  ...answer,
});

/** Stages 1 to 3 are over and the rest is up to the orchestrator: the entry is closed once more when it goes on. */
export const writeHydrated = (services: CallServices, state: CallState): WriteResult =>
  writeUnfinished(services, state, { ending: "hydrated", code: undefined, message: undefined });

/** Its orchestrator let go of it. */
export const writeAbandoned = (services: CallServices, state: CallState): WriteResult =>
  writeUnfinished(services, state, {
    ending: "failed",
    code: "not_answered",
    message: "Nobody went on with the call after it was hydrated.",
  });

const writeUnfinished = (
  services: CallServices,
  { request, recorder, registration, provenance }: CallState,
  end: Pick<EntryClosing, "ending" | "code" | "message">,
): WriteResult =>
  toWriteResult(() =>
    services.ledger.close({
      entryId: request.entryId,
      tool: registration?.key,
      ...end,
      decision: undefined,
      definition: definitionOf(registration),
      flow: undefined,
      result: undefined,
      original: undefined,
      notes: recorder.notes,
      provenance,
      durationMs: 0,
      epoch: request.scope.epoch,
    }),
  );

/** Without an entry nothing runs, save a read where the operator said it may; and nothing at all for a run that was lost. */
export const canRunUnrecorded = ({ settings }: CallServices, state: CallState, error: LedgerError): boolean =>
  error.code !== "claim_lost" &&
  settings.readsWithoutLedger &&
  state.registration !== undefined &&
  isReadOnly(state.registration.tool.spec);

export const unrecordedOutcome = (tool: string, error: LedgerError, ran: boolean): Outcome => {
  if (error.code === "claim_lost") {
    return failed({ code: "claim_lost", tool, ran, message: error.message, cause: error });
  }
  return failed({
    code: "ledger_unavailable",
    tool,
    ran,
    message: ran
      ? `The tool "${tool}" ran, but its outcome could not be recorded. Do not call it again for the same purpose.`
      : `The tool "${tool}" cannot run because calls cannot be recorded right now.`,
    detail: error.message,
    cause: error,
  });
};
