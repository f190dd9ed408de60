import * as Effect from "effect/Effect";
import { hashInput } from "../../base/json/canonical-json.ts";
import { readJson } from "../../base/json/read-json.ts";
import { sizeOf } from "../../mcp/client/content/truncate-blocks.ts";
import type { SharedRuntime } from "../../runtime/shared-runtime.ts";
import type { ApprovalRecord, ApprovalRequest, ApprovalStatus } from "../../types/approval.ts";
import type { RemoteResult } from "../../types/mcp.ts";
import { type Principal, quotaOwnerOf } from "../../types/principal.ts";
import type { BackendCall } from "./gateway-backend.ts";

type ClientCallRequest = Pick<BackendCall, "principal" | "tool" | "input">;

/**
 * Pending calls that clients know of. Outlives a replaced runtime, because the same request means the same
 * call.
 */
export interface WaitingCalls {
  readonly find: (request: ClientCallRequest) => MaybePromise<ApprovalRequest | undefined>;
  readonly set: (request: ClientCallRequest, approval: ApprovalRequest) => MaybePromise<void>;
  /**
   * The call now waits for another approval. Returns the original request, because the ledger masks it later.
   */
  readonly replace: (approvalId: string, to: ApprovalRequest) => MaybePromise<ApprovalRequest>;
  readonly delete: (approvalId: string) => MaybePromise<void>;
}

type MaybePromise<A> = A | Promise<A>;

/** The pending calls of all gateways over one ledger. */
export interface WaitingCallStore {
  readonly find: (request: string) => Promise<ApprovalRequest | undefined>;
  readonly keep: (request: string, approval: ApprovalRequest) => Promise<void>;
  readonly move: (approvalId: string, to: ApprovalRequest) => Promise<ApprovalRequest>;
  readonly drop: (approvalId: string) => Promise<void>;
}

export const sharedWaitingCalls = (store: WaitingCallStore): WaitingCalls => ({
  find: (request) => store.find(waitingCallKey(request)),
  set: (request, approval) => store.keep(waitingCallKey(request), approval),
  replace: store.move,
  delete: store.drop,
});

/** Knows the requests that earlier gateways left in a durable ledger, so that their answers still count. */
export const recallWaitingCalls = async (ledger: SharedRuntime["ledger"]): Promise<WaitingCalls> =>
  createWaitingCalls(await listOpenRequests(ledger));

const maxRecalledRequests = 1_000;

/** Requests of agent runs and of sessions are continued by their own loops. */
const listOpenRequests = async ({
  approvals,
  runs,
}: SharedRuntime["ledger"]): Promise<readonly ApprovalRecord[]> => {
  if (approvals?.isDurable !== true) return [];
  const list = (status: ApprovalStatus) =>
    Effect.runPromise(approvals.list({ status, limit: maxRecalledRequests }));
  const open = [...(await list("waiting")), ...(await list("answered"))];
  const isOfGateway = async ({ runId }: ApprovalRecord): Promise<boolean> =>
    runs === undefined || (await Effect.runPromise(runs.find(runId))) === undefined;
  const kept = await Promise.all(open.map(isOfGateway));
  return open.filter((_, index) => kept[index]);
};

export const createWaitingCalls = (recorded: readonly ApprovalRecord[] = []): WaitingCalls => {
  const byRequest = new OwnerMap<ApprovalRequest>();
  for (const record of recorded) {
    const { expiresAt, principal, rawTool, inputHash, ...request } = record;
    byRequest.set(quotaOwnerOf(principal), requestKey(principal, rawTool, inputHash), {
      ...request,
      principal,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  }
  const entriesOf = (approvalId: string) => [...byRequest].filter(([, , { id }]) => id === approvalId);
  return {
    find: (request) =>
      byRequest.isEmpty ? undefined : byRequest.get(quotaOwnerOf(request.principal), waitingCallKey(request)),
    set: (request, approval) =>
      byRequest.set(quotaOwnerOf(request.principal), waitingCallKey(request), approval),
    replace: (approvalId, to) => {
      const entries = entriesOf(approvalId);
      const before = entries[0]?.[2];
      if (before !== undefined && approvalId === to.id) return before;
      for (const [owner, key] of entries) byRequest.set(owner, key, to);
      return to;
    },
    delete: (approvalId) => {
      for (const [owner, key] of entriesOf(approvalId)) byRequest.delete(owner, key);
    },
  };
};

export const maxEntriesPerOwner = 10_000;

/** Limited per owner, so that one owner cannot evict the entries of another. */
export class OwnerMap<Value> {
  readonly #byOwner = new Map<string, Map<string, Value>>();
  readonly #onEvict: (owner: string) => void;

  constructor(onEvict: (owner: string) => void = () => {}) {
    this.#onEvict = onEvict;
  }

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  get(owner: string, key: string): Value | undefined {
    return this.#byOwner.get(owner)?.get(key);
  }

  set(owner: string, key: string, value: Value): void {
    const own = this.#byOwner.get(owner) ?? new Map<string, Value>();
    this.#byOwner.set(owner, own);
    own.delete(key);
    own.set(key, value);
    if (own.size <= maxEntriesPerOwner) return;
    own.delete(own.keys().next().value as string);
    this.#onEvict(owner);
  }

  delete(owner: string, key: string): void {
    const own = this.#byOwner.get(owner);
    own?.delete(key);
    if (own?.size === 0) this.#byOwner.delete(owner);
  }

  oldest(owner: string): readonly [string, Value] | undefined {
    return this.#byOwner.get(owner)?.entries().next().value;
  }

  *[Symbol.iterator](): Generator<readonly [owner: string, key: string, value: Value]> {
    for (const [owner, own] of this.#byOwner) for (const [key, value] of own) yield [owner, key, value];
  }
}

/** Independent of the connection and of current rights. */
const waitingCallKey = ({ principal, tool, input }: ClientCallRequest): string =>
  requestKey(principal, tool, hashInput(parsedInput(input)));

const requestKey = (principal: Principal | undefined, tool: string, inputHash: string): string =>
  JSON.stringify([callerChainOf(principal), tool, inputHash]);

const callerChainOf = (principal: Principal | undefined): readonly unknown[] => {
  if (principal === undefined) return [];
  const { agent, session, user, tenant, within } = principal;
  return [[agent, session ?? null, user ?? null, tenant ?? null], ...callerChainOf(within)];
};

/** Formatting does not matter. */
const parsedInput = (input: unknown): unknown => {
  const reading = typeof input === "string" ? readJson(input) : undefined;
  return reading?.ok === true ? reading.value : input;
};

interface RecentResult {
  readonly value: unknown;
  readonly result: RemoteResult;
}

/**
 * Complete results of approved calls, because another client may fetch them and the ledger stores only the
 * value.
 */
interface RecentResults {
  readonly keep: (callId: string, kept: RecentResult) => void;
  readonly find: (callId: string) => RecentResult | undefined;
}

const maxRecentResults = 1_000;
const maxRecentResultBytes = 64 * 1_048_576;

export const createRecentResults = (): RecentResults => {
  const all = new Map<string, RecentResult & { readonly bytes: number }>();
  let total = 0;
  const drop = (callId: string): void => {
    total -= all.get(callId)?.bytes ?? 0;
    all.delete(callId);
  };
  return {
    keep: (callId, kept) => {
      drop(callId);
      const bytes = sizeOf(kept.result, maxRecentResultBytes);
      if (bytes > maxRecentResultBytes) return;
      all.set(callId, { ...kept, bytes });
      total += bytes;
      while (all.size > maxRecentResults || total > maxRecentResultBytes)
        drop(all.keys().next().value as string);
    },
    find: (callId) => all.get(callId),
  };
};
