import { endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import {
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
} from "../calls/read-untyped-fields.ts";

const truncationReasons: ReadonlySet<unknown> = new Set(["MAX_TOKENS", "ERROR", "TIMEOUT"]);

export const isCohereTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

/** Chat API v2. */
export const readCohereReply = (drafts: CallDrafts, body: ForeignFields): void => {
  const found = foreignListOf(foreignFieldsOf(body.message).tool_calls).map((entry, place) => {
    const { id, function: called } = foreignFieldsOf(entry);
    const { name, arguments: input } = foreignFieldsOf(called);
    return drafts.add({
      id: foreignTextOf(id),
      tool: foreignTextOf(name),
      input,
      part: `/message/tool_calls/${place}`,
    });
  });
  const last = found.at(-1);
  if (last !== undefined && isCohereTruncation(body.finish_reason)) endDraft(last, true);
};
