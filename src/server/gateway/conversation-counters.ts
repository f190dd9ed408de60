import { RunRecorder } from "../../pipeline/recorder.ts";
import type { RunCounters } from "../../types/call.ts";
import { quotaOwnerOf } from "../../types/principal.ts";
import { type ClientConversation, conversationKey } from "./conversation-taints.ts";
import { OwnerMap } from "./owner-map.ts";

/** Calls and costs of each client's session, for `spent` conditions. */
export interface ConversationCounters {
  readonly of: (conversation: ClientConversation) => RunCounters;
}

/** In milliseconds after a conversation's last call. */
const counterRetentionMs = 3_600_000;

export const createConversationCounters = (now: () => number): ConversationCounters => {
  const byId = new OwnerMap<{ readonly counters: RunCounters; until: number }>();
  return {
    of: (id) => {
      const [owner, key] = [quotaOwnerOf(id.principal), conversationKey(id)];
      const known = byId.get(owner, key);
      const counters = known === undefined || known.until < now() ? new RunRecorder() : known.counters;
      byId.set(owner, key, { counters, until: now() + counterRetentionMs });
      return counters;
    },
  };
};
