import { RunRecorder } from "../../pipeline/recorder.ts";
import type { RunCounters } from "../../types/call.ts";
import { callerIdentityOf, type Principal, quotaOwnerOf } from "../../types/principal.ts";
import { OwnerMap } from "./waiting-calls.ts";

/** In milliseconds after a conversation's last call. */
const taintRetentionMs = 3_600_000;

/** A session that is no longer in this list reads the shared taints again. */
const maxStartedSessions = 10_000;

export const forgottenConversationSource = "a conversation that is no longer remembered";

export interface ClientConversation {
  readonly principal: Principal;
  readonly conversation?: string | undefined;
}

/** Content that a client has read may cause its next calls. */
export interface ConversationTaints {
  readonly taintsOf: (conversation: ClientConversation) => readonly string[] | Promise<readonly string[]>;
  /** The reply waits for this. */
  readonly addTaints: (conversation: ClientConversation, taints: readonly string[]) => void | Promise<void>;
}

/** What callers have read, by gateway. */
export interface SharedTaints {
  /** What the caller has read at other gateways in the last hour. */
  readonly readOfOthers: (caller: string) => Promise<readonly string[]>;
  readonly add: (caller: string, taints: readonly string[]) => Promise<void>;
}

/**
 * A session starts with what its caller has read at other gateways. Requests without a session are one
 * conversation, which may continue at any gateway.
 */
export const sharedConversationTaints = (shared: SharedTaints, now: () => number): ConversationTaints => {
  const local = createConversationTaints(now);
  const started = new Set<string>();
  const noteStarted = (key: string): void => {
    started.add(key);
    const [oldest] = started;
    if (started.size > maxStartedSessions && oldest !== undefined) started.delete(oldest);
  };
  return {
    taintsOf: async (id) => {
      const key = conversationKey(id);
      if (id.conversation === undefined || !started.has(key)) {
        await local.addTaints(id, await shared.readOfOthers(callerKey(id)));
        if (id.conversation !== undefined) noteStarted(key);
      }
      return local.taintsOf(id);
    },
    addTaints: async (id, taints) => {
      // Content may reach the client before the call ends.
      void local.addTaints(id, taints);
      const toShare = id.conversation === undefined ? await local.taintsOf(id) : taints;
      if (toShare.length > 0) await shared.add(callerKey(id), toShare);
    },
  };
};

export const createConversationTaints = (now: () => number): ConversationTaints => {
  /** Owners with evicted conversations. Until then, unknown conversations count as tainted. */
  const forgottenUntil = new Map<string, number>();
  const byId = new OwnerMap<{ readonly taints: Set<string>; until: number }>((owner) =>
    forgottenUntil.set(owner, now() + taintRetentionMs),
  );
  const find = (owner: string, key: string) => {
    const entry = byId.get(owner, key);
    return entry === undefined || entry.until < now() ? undefined : entry;
  };
  const hasForgotten = (owner: string): boolean =>
    (forgottenUntil.get(owner) ?? Number.NEGATIVE_INFINITY) >= now();
  const dropExpired = (owner: string): void => {
    for (
      let last = byId.oldest(owner);
      last !== undefined && last[1].until < now();
      last = byId.oldest(owner)
    ) {
      byId.delete(owner, last[0]);
    }
    if (!hasForgotten(owner)) forgottenUntil.delete(owner);
  };
  return {
    taintsOf: (id) => {
      const owner = quotaOwnerOf(id.principal);
      const known = find(owner, conversationKey(id));
      if (known !== undefined) return [...known.taints];
      return hasForgotten(owner) ? [forgottenConversationSource] : [];
    },
    addTaints: (id, taints) => {
      const [owner, key] = [quotaOwnerOf(id.principal), conversationKey(id)];
      const before = find(owner, key);
      if (before === undefined && taints.length === 0) return;
      const entry = before ?? { taints: new Set(), until: 0 };
      entry.until = now() + taintRetentionMs;
      for (const taint of taints) entry.taints.add(taint);
      dropExpired(owner);
      byId.set(owner, key, entry);
    },
  };
};

/** Independent of the caller's rights. */
const callerKey = ({ principal }: ClientConversation): string => {
  const { agent, session, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent, session]);
};

export const conversationKey = (id: ClientConversation): string =>
  JSON.stringify([callerKey(id), id.conversation ?? ""]);

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
