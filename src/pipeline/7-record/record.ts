import { createHash } from "node:crypto";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import { hashInput } from "../../base/json/canonical-json.ts";
import { stringifyValue } from "../../base/json/json-value.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { thrownMessage } from "../../base/text/thrown-message.ts";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { CallRequest } from "../../types/call.ts";
import { LedgerError } from "../../types/errors.ts";
import type { EntryClosing } from "../../types/ledger.ts";
import { base64ByteLength, type ContentPart, type MediaNote, mediaOf } from "../../types/message.ts";
import { failed, type Outcome, type ValueOutcome } from "../../types/outcome.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { isReadOnly, type Registration } from "../../types/tool.ts";
import type { CallServices, CallState, PermittedCall } from "../call-state.ts";
import { deferEffect, type MaybeEffect } from "../maybe-effect.ts";

/** Writes to memory complete synchronously. */
export type WriteResult = MaybeEffect<LedgerError | undefined>;

const toUndefined = (): undefined => undefined;

/** Defects and exceptions of a store count as failed writes. */
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

export const writeOpening = (
  services: CallServices,
  request: CallRequest,
  principal: Principal | undefined,
  at: number,
): WriteResult => {
  const { raw, scope } = request;
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

export interface EndedCall {
  readonly outcome: Outcome;
  readonly text: string;
  readonly notes?: readonly string[] | undefined;
  readonly durationMs: number;
  readonly layers: readonly string[] | undefined;
  readonly taints: readonly string[];
}

type PartialCall = CallState & Partial<Omit<PermittedCall, keyof CallState>>;

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

/** Names and URLs are masked, because they may contain secrets. */
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
const maxUrlLength = 1_000;

const hashBase64 = (data: string): string =>
  createHash("sha256").update(Buffer.from(data, "base64")).digest("hex");

/** The journal of suspended code is stored instead of a result. */
const journalOfOutcome = (outcome: Outcome): string | undefined =>
  outcome._tag === "pending" ? outcome.suspension?.journal : undefined;

/** Resolves the full name, so that calls refused before stage 1 found the tool are listed under it. */
const fullToolName = ({ registry }: CallServices, asked: unknown): string | undefined => {
  if (typeof asked !== "string") return undefined;
  const found = registry.resolve(asked);
  return found.ok ? found.registration.key : undefined;
};

const originalTextOf = ({ recorder }: CallState, value: ValueOutcome | undefined): string | undefined => {
  if (value?.flow.kind === "rewrite") return toJsonText(value.flow.original);
  return value === undefined || recorder.replaced === undefined
    ? undefined
    : toJsonText(recorder.replaced.value);
};

const toJsonText = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : stringifyValue(value);

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

export const isFullSync = ({ settings }: CallServices, { registration }: CallState): boolean =>
  registration !== undefined && settings.fullSync.includes(registration.tool.spec.risk);

const definitionOf = (registration: Registration | undefined): string | undefined =>
  registration === undefined ? undefined : definitionHash(registration.tool.spec);

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

export const writeHydrated = (services: CallServices, state: CallState): WriteResult =>
  writeUnfinished(services, state, { ending: "hydrated", code: undefined, message: undefined });

export const writeAbandoned = (services: CallServices, state: CallState): WriteResult =>
  writeUnfinished(services, state, {
    ending: "failed",
    code: "not_answered",
    message: "The call was hydrated but not continued.",
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

/**
 * Unrecorded calls do not run, except reads if the operator allows them, and never after the run's claim was
 * lost.
 */
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

/** A started call ends with exactly one of executed and failed; pending is not an end. */
export const announceStart = (services: CallServices, state: CallState): void => {
  const { events } = services;
  if (events.isHeard("tools.started")) events.emit("tools.started", toCallEvent(services, state));
};

export const announceEnd = (
  services: CallServices,
  state: CallState,
  outcome: Outcome,
  executionTimeMs: number,
): void => {
  const { events, redactor } = services;
  if (outcome._tag === "value") {
    if (!events.isHeard("tools.executed")) return;
    const end = { success: true as const, executionTimeMs };
    events.emit("tools.executed", Object.assign(toCallEvent(services, state), end));
  } else if (outcome._tag === "failure") {
    if (!events.isHeard("tools.failed")) return;
    const { code, message } = outcome.failure;
    const end = { success: false as const, executionTimeMs, code, message };
    events.emit("tools.failed", Object.assign(toCallEvent(services, state), end));
  } else if (outcome.suspension === undefined && events.isHeard("tools.pending")) {
    // For suspended code, the requests of its own calls were already announced.
    const { callId, input } = outcome.approval;
    const masked = { ...outcome.approval, callId: redactor.text(callId), input: redactor.value(input) };
    events.emit("tools.pending", Object.assign(toCallEvent(services, state), { approval: masked }));
  }
};

/** Masks ids and unknown tool names, because a model chooses them. */
const toCallEvent = ({ redactor }: CallServices, { request, principal, registration }: CallState) => ({
  toolName: registration?.key ?? redactor.text(request.raw.tool),
  callId: redactor.text(request.raw.id),
  entryId: request.entryId,
  runId: request.scope.id,
  agentId: principal?.agent,
  sessionId: principal?.session,
});
