import { isObject } from "../../../base/json/is-object.ts";
import { type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import {
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
} from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { candidateOf } from "./candidate.ts";
import { type PartialArguments, partialArguments } from "./partial-arguments.ts";

/** Other reasons mean that the reply was truncated. */
const completeReasons: ReadonlySet<unknown> = new Set([
  "STOP",
  "FINISH_REASON_UNSPECIFIED",
  "UNEXPECTED_TOOL_CALL",
]);

interface PartialCall {
  readonly draft: CallDraft;
  readonly parts: PartialArguments;
}

const emptyArguments: ForeignFields = Object.freeze({});

/** A call is complete, or a name followed by nameless parts with argument leaves and an empty part. */
export const geminiEvents = (drafts: CallDrafts): EventReader => {
  const growing = new Map<string, PartialCall>();
  const unfinished = new Set<PartialCall>();
  let current: PartialCall | undefined;
  let last: CallDraft | undefined;
  let parts = 0;

  const begin = (call: ForeignFields, name: string, part: string): void => {
    const id = foreignTextOf(call.id);
    const partial = call.willContinue === true || call.partialArgs !== undefined;
    if (!partial) {
      last = drafts.add({ id, tool: name, input: call.args ?? emptyArguments, part, isSentWhole: true });
      return;
    }
    const draft = drafts.begin();
    const leaves = partialArguments();
    draft.id = id;
    draft.part = part;
    draft.build = leaves.build;
    draft.isSentWhole = true;
    drafts.name(draft, name);
    current = { draft, parts: leaves };
    if (id !== undefined) growing.set(id, current);
    unfinished.add(current);
    grow(current, call);
  };

  const grow = (call: PartialCall, { args, partialArgs, willContinue }: ForeignFields): void => {
    const { draft, parts } = call;
    for (const entry of foreignListOf(partialArgs)) parts.add(entry);
    if (foreignTextOf(args) !== undefined || (isObject(args) && Object.keys(args).length > 0)) {
      draft.build = undefined;
      draft.whole = { value: args };
    }
    last = draft;
    if (willContinue === true) return;
    endDraft(draft);
    unfinished.delete(call);
    if (draft.id !== undefined) growing.delete(draft.id);
    if (current === call) current = undefined;
  };

  const readPart = (part: ForeignFields, pointer: string): void => {
    if (!isObject(part.functionCall)) {
      if (foreignTextOf(part.text) !== undefined) last = undefined;
      return;
    }
    const call = part.functionCall;
    const name = foreignTextOf(call.name);
    const known = growing.get(foreignTextOf(call.id) ?? "");
    if (known !== undefined) grow(known, call);
    else if (name !== undefined) begin(call, name, pointer);
    else if (current !== undefined) grow(current, call);
    // A call that was sent as complete continues, so it cannot be trusted.
    else if (last !== undefined && foreignListOf(call.partialArgs).length > 0) last.state = "broken";
  };

  const finish = (reason: string): void => {
    const cut = !completeReasons.has(reason);
    for (const { draft, parts } of unfinished) {
      if (!cut && !parts.isOpen()) endDraft(draft);
    }
    unfinished.clear();
    current = undefined;
    if (cut && last?.state === "ended") endDraft(last, true);
  };

  return {
    read: (event) => {
      const found = candidateOf(event);
      if (found === undefined) return;
      const { candidate, place } = found;
      for (const part of foreignListOf(foreignFieldsOf(candidate.content).parts)) {
        readPart(foreignFieldsOf(part), `/candidates/${place}/content/parts/${parts++}`);
      }
      const reason = foreignTextOf(candidate.finishReason);
      if (reason !== undefined) finish(reason);
    },
  };
};
