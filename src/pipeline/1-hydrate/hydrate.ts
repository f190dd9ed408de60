import { freezeJson } from "../../base/json/freeze-json.ts";
import type { ProvenanceNote } from "../../types/hydration.ts";
import { failed, isOutcome } from "../../types/outcome.ts";
import type { ToolSpec } from "../../types/spec.ts";
import type { Registration } from "../../types/tool.ts";
import type { CallServices } from "../call-services.ts";
import {
  type BoundCall,
  type CallState,
  type HydratedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { checkCallShape } from "./check-call-shape.ts";
import { findTool } from "./find-tool.ts";
import {
  toModelRepairNote,
  toPassedNote,
  toRefusedNote,
  toRepairedNote,
  withPartAndTiming,
} from "./provenance-notes.ts";
import { type AcceptedArguments, type RefusedArguments, readArguments } from "./read-arguments.ts";
import type { RepairedArguments } from "./request-repair.ts";

const principalHint =
  "Set a principal in Haft.open({ principal }), with haft.as(), or in the fiber's CurrentPrincipal.";

/** Stage 1. The order of the checks decides which failure is reported. */
export const hydrateCall = (services: CallServices, state: CallState): HydratedCall | StoppedCall => {
  const { raw, shown } = state.request;
  const { principal } = state;
  const notACall = checkCallShape(raw);
  if (notACall !== undefined) return stopCall(state, failed(notACall));
  if (principal === undefined) {
    return stopCall(
      state,
      failed({
        code: "not_visible",
        tool: raw.tool,
        message: `The tool "${raw.tool}" is not available: the call has no principal. ${principalHint}`,
        detail: `No principal. ${principalHint}`,
      }),
    );
  }
  const registration = findTool(services, raw.tool, principal, shown);
  if (isOutcome(registration)) return stopCall(state, registration);
  return readInput(services, state, registration, undefined);
};

export const readInput = (
  services: CallServices,
  state: CallState,
  registration: Registration,
  repaired: RepairedArguments | undefined,
): HydratedCall | StoppedCall => {
  const { tool } = registration;
  const { request, recorder } = state;
  const raw = repaired === undefined ? request.raw : { ...request.raw, input: repaired.text };
  const startedAt = state.isTimed === true ? state.clock.monotonicTimeNanosUnsafe() : undefined;
  const read = readArguments(
    { spec: tool.spec, validate: tool.input, name: registration.key },
    raw,
    repaired === undefined
      ? { limits: services.settings.json, repair: request.repair }
      : { limits: services.settings.json, mode: "strict" },
  );
  const validationMs =
    startedAt === undefined
      ? undefined
      : Number(state.clock.monotonicTimeNanosUnsafe() - startedAt) / 1_000_000;
  const provenance = withPartAndTiming(
    provenanceNoteOf(registration, read, repaired),
    raw.part,
    validationMs,
  );
  if (!read.ok) return stopCall({ ...state, registration, provenance }, failed(read.failure));
  for (const { message } of read.issues) recorder.note(`lenient input: ${message}`);
  const input = freezeJson(read.value);
  return {
    request,
    parent: state.parent,
    onReply: state.onReply,
    recorder,
    principal: state.principal!,
    clock: state.clock,
    startedAt: state.startedAt,
    ledgerError: state.ledgerError,
    registration,
    provenance,
    spec: tool.spec,
    input,
    transformed: read.transformed,
    isRevised: provenance.repaired,
    validated: provenance.validated,
  };
};

const provenanceNoteOf = (
  { tool }: Registration,
  read: AcceptedArguments | RefusedArguments,
  repaired: RepairedArguments | undefined,
): ProvenanceNote => {
  if (!read.ok || read.issues.length > 0) return toRefusedNote(tool);
  if (repaired !== undefined) return toModelRepairNote(toPassedNote(tool), repaired.change);
  return read.changes.length > 0 ? toRepairedNote(tool, read.changes) : toPassedNote(tool);
};

/** For an input that an approver or a layer substituted. It is never repaired. */
export const reviseInput = (
  services: CallServices,
  call: BoundCall,
  input: unknown,
  mode?: ToolSpec["validate"],
): BoundCall | StoppedCall => {
  const { recorder, registration } = call;
  const { id, tool: name } = call.request.raw;
  const { tool } = registration;
  const target = { spec: tool.spec, validate: tool.input, name: registration.key };
  const read = readArguments(target, { id, tool: name, input }, { limits: services.settings.json, mode });
  if (!read.ok) return stopCall(call, failed(read.failure));
  for (const { message } of read.issues) recorder.note(`lenient input: ${message}`);
  const value = freezeJson(read.value);
  const validated = read.issues.length === 0 && tool.spec.noSchemaMode === undefined;
  return { ...call, input: value, transformed: read.transformed, isRevised: true, validated };
};
