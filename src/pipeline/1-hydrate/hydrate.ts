import { freezeJson } from "../../json/freeze-json.ts";
import type { ProvenanceNote } from "../../words/hydration.ts";
import { failed, isOutcome } from "../../words/outcome.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { Registration } from "../../words/tool.ts";
import type { CallServices } from "../call-services.ts";
import { type BoundCall, type CallState, type HydratedCall, type Stopped, stopped } from "../call-state.ts";
import type { RepairedArguments } from "./ask-repairer.ts";
import { findTool } from "./find-tool.ts";
import { noteModelRepair, notePassed, noteRefused, noteRepaired, withOrigin } from "./note.ts";
import { type ReadArguments, type RefusedArguments, readArguments } from "./read-arguments.ts";
import { refuseShape } from "./refuse-shape.ts";

const nameOne =
  "Name a principal in Haft.open({ principal }), with haft.as(), or in the fiber's CurrentPrincipal.";

/** Is it a call, who asks, may they see the tool, can the arguments be read, do they obey the spec: in this order. */
export const hydrate = (services: CallServices, state: CallState): HydratedCall | Stopped => {
  const { raw, shown } = state.request;
  const { principal } = state;
  const notACall = refuseShape(raw);
  if (notACall !== undefined) return stopped(state, failed(notACall));
  if (principal === undefined) {
    return stopped(
      state,
      failed({
        code: "not_visible",
        tool: raw.tool,
        message: `The tool "${raw.tool}" is not available: nobody is calling. ${nameOne}`,
        detail: `No principal. ${nameOne}`,
      }),
    );
  }
  const registration = findTool(services, raw.tool, principal, shown);
  if (isOutcome(registration)) return stopped(state, registration);
  return readInput(services, state, registration, undefined);
};

/** The arguments of a tool that was found: as they came, or as a repairer wrote them. */
export const readInput = (
  services: CallServices,
  state: CallState,
  registration: Registration,
  repaired: RepairedArguments | undefined,
): HydratedCall | Stopped => {
  const { tool } = registration;
  const { request, recorder } = state;
  const raw = repaired === undefined ? request.raw : { ...request.raw, input: repaired.text };
  const since = state.isTimed === true ? state.clock.monotonicTimeNanosUnsafe() : undefined;
  const read = readArguments(
    { spec: tool.spec, validate: tool.input, name: registration.key },
    raw,
    repaired === undefined
      ? { limits: services.settings.json, repair: request.repair }
      : { limits: services.settings.json, mode: "strict" },
  );
  const validationMs =
    since === undefined ? undefined : Number(state.clock.monotonicTimeNanosUnsafe() - since) / 1_000_000;
  const provenance = withOrigin(noteOf(registration, read, repaired), raw.part, validationMs);
  if (!read.ok) return stopped({ ...state, registration, provenance }, failed(read.failure));
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

const noteOf = (
  { tool }: Registration,
  read: ReadArguments | RefusedArguments,
  repaired: RepairedArguments | undefined,
): ProvenanceNote => {
  if (!read.ok || read.issues.length > 0) return noteRefused(tool);
  if (repaired !== undefined) return noteModelRepair(notePassed(tool), repaired.change);
  return read.changes.length > 0 ? noteRepaired(tool, read.changes) : notePassed(tool);
};

/**
 * An input that a person, an approval layer or a layer put in place of the first: read once, validated like the
 * first, and never repaired.
 */
export const reviseInput = (
  services: CallServices,
  call: BoundCall,
  input: unknown,
  mode?: ToolSpec["validate"],
): BoundCall | Stopped => {
  const { recorder, registration } = call;
  const { id, tool: name } = call.request.raw;
  const { tool } = registration;
  const target = { spec: tool.spec, validate: tool.input, name: registration.key };
  const read = readArguments(target, { id, tool: name, input }, { limits: services.settings.json, mode });
  if (!read.ok) return stopped(call, failed(read.failure));
  for (const { message } of read.issues) recorder.note(`lenient input: ${message}`);
  const value = freezeJson(read.value);
  const validated = read.issues.length === 0 && tool.spec.noSchemaMode === undefined;
  return { ...call, input: value, transformed: read.transformed, isRevised: true, validated };
};
