import { isObject } from "../../json/is-object.ts";
import { type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { candidateOf } from "./candidate.ts";
import { type PartialArguments, partialArguments } from "./partial-arguments.ts";

/** Reasons under which a call that was sent whole is still whole; all others break a reply off. */
const stops: ReadonlySet<unknown> = new Set(["STOP", "FINISH_REASON_UNSPECIFIED", "UNEXPECTED_TOOL_CALL"]);

interface Growing {
  readonly draft: CallDraft;
  readonly parts: PartialArguments;
}

const emptyArguments: Fields = Object.freeze({});

/**
 * The chunks of generateContent. A call comes whole, or as a name that announces more, then leaves of its
 * arguments without a name, then a part that announces nothing.
 */
export const geminiEvents = (drafts: Drafts): EventReader => {
  const growing = new Map<string, Growing>();
  const unfinished = new Set<Growing>();
  let current: Growing | undefined;
  let last: CallDraft | undefined;
  /** Parts of all chunks so far. */
  let parts = 0;

  const begin = (call: Fields, name: string, part: string): void => {
    const id = textOf(call.id);
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

  const grow = (call: Growing, { args, partialArgs, willContinue }: Fields): void => {
    const { draft, parts } = call;
    for (const entry of listOf(partialArgs)) parts.add(entry);
    if (textOf(args) !== undefined || (isObject(args) && Object.keys(args).length > 0)) {
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

  const readPart = (part: Fields, pointer: string): void => {
    if (!isObject(part.functionCall)) {
      if (textOf(part.text) !== undefined) last = undefined;
      return;
    }
    const call = part.functionCall;
    const name = textOf(call.name);
    const known = growing.get(textOf(call.id) ?? "");
    if (known !== undefined) grow(known, call);
    else if (name !== undefined) begin(call, name, pointer);
    else if (current !== undefined) grow(current, call);
    // A call that was sent as whole goes on after all: what it was sent with cannot be trusted.
    else if (last !== undefined && listOf(call.partialArgs).length > 0) last.state = "broken";
  };

  const finish = (reason: string): void => {
    const cut = !stops.has(reason);
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
      for (const part of listOf(fieldsOf(candidate.content).parts)) {
        readPart(fieldsOf(part), `/candidates/${place}/content/parts/${parts++}`);
      }
      const reason = textOf(candidate.finishReason);
      if (reason !== undefined) finish(reason);
    },
  };
};
