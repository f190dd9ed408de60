import { freezeJson } from "../../base/json/json-value.ts";
import type { RawCall } from "../../types/call.ts";
import type { Failure } from "../../types/failure.ts";
import type { Change, ProvenanceNote, ValidatorNote } from "../../types/hydration.ts";
import { failed, isOutcome } from "../../types/outcome.ts";
import type { AnyTool, Registration, ToolSpec, Validator } from "../../types/tool.ts";
import {
  type BoundCall,
  type CallServices,
  type CallState,
  type HydratedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { findTool } from "./find-tool.ts";
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

export const checkCallShape = (raw: RawCall): Failure | undefined => {
  if (typeof raw.id !== "string" || raw.id === "" || typeof raw.tool !== "string" || raw.tool === "") {
    return {
      code: "unreadable_call",
      message: "This is not a tool call: it needs an id and a tool name, both non-empty strings.",
    };
  }
  if (raw.providerExecuted !== true) return undefined;
  const message = `The provider runs "${raw.tool}" itself; no other caller may run it.`;
  return { code: "unreadable_call", tool: raw.tool, message };
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

const noChanges: readonly Change[] = Object.freeze([]);

const passedNotes = new WeakMap<AnyTool, ProvenanceNote>();

const toPassedNote = (tool: AnyTool): ProvenanceNote => {
  const before = passedNotes.get(tool);
  if (before !== undefined) return before;
  const note = Object.freeze({ ...baseNoteOf(tool), validated: tool.spec.noSchemaMode === undefined });
  passedNotes.set(tool, note);
  return note;
};

const toRefusedNote = (tool: AnyTool): ProvenanceNote => ({ ...baseNoteOf(tool), validated: false });

const toRepairedNote = (tool: AnyTool, changes: readonly Change[]): ProvenanceNote => ({
  ...toPassedNote(tool),
  repaired: true,
  changes: Object.freeze(changes),
});

const toModelRepairNote = (note: ProvenanceNote, change: Change): ProvenanceNote => ({
  ...note,
  repaired: true,
  changes: Object.freeze([change]),
});

export const withPartAndTiming = (
  note: ProvenanceNote,
  part: string | undefined,
  validationMs: number | undefined,
): ProvenanceNote =>
  part === undefined && validationMs === undefined
    ? note
    : {
        ...note,
        ...(part === undefined ? {} : { part }),
        ...(validationMs === undefined ? {} : { validationMs }),
      };

const baseNoteOf = (tool: AnyTool): Omit<ProvenanceNote, "validated"> => {
  const { noSchemaMode } = tool.spec;
  return noSchemaMode === undefined
    ? { validator: toValidatorNote(tool.input), repaired: false, changes: noChanges }
    : { validator: null, repaired: false, changes: noChanges, noSchemaMode };
};

export const toValidatorNote = ({ engine, compiledAt = "definition" }: Validator): ValidatorNote => {
  const version = /\d[\w.-]*/.exec(engine)?.[0] ?? "";
  const name = version === "" ? engine : engine.replace(` ${version}`, "");
  return Object.freeze({ name, version, compiledAt });
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
