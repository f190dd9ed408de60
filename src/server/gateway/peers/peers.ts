import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RpcResult } from "../../../ledger/postgres-messaging/rpc.ts";
import type { ApprovalRequest } from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";

/** A session of a client of the old era, as any gateway of the fleet can take it up. */
export interface StoredMcpSession {
  /** Whose it is; its rights come with each request. */
  readonly principal: Principal;
  /** What the client said when it began: protocol, capabilities, who it is. */
  readonly initialize: JsonObject;
}

export interface McpSessionStore {
  readonly keep: (id: string, session: StoredMcpSession) => Promise<void>;
  /** Nothing for one that was idle too long. */
  readonly find: (id: string, idleMs: number) => Promise<StoredMcpSession | undefined>;
  readonly touch: (id: string) => Promise<void>;
  readonly drop: (id: string) => Promise<void>;
}

/** Calls that clients were told wait, by whoever told them. */
export interface WaitingCallStore {
  readonly find: (request: string) => Promise<ApprovalRequest | undefined>;
  readonly keep: (request: string, approval: ApprovalRequest) => Promise<void>;
  /** The call may wait for another approval than it did; answers with the one that it waits for, as it was asked. */
  readonly move: (approvalId: string, to: ApprovalRequest) => Promise<ApprovalRequest>;
  readonly drop: (approvalId: string) => Promise<void>;
}

/** What a gateway asks the one that has the call or the session. */
export type PeerRequest =
  /** A client answers what the call was stopped for, or asks how a task stands. */
  | {
      readonly kind: "go-on";
      readonly handle: string;
      readonly subject: string;
      readonly answers: unknown;
      readonly principal: Principal;
    }
  | {
      readonly kind: "task";
      readonly method: string;
      readonly taskId: string;
      readonly answers: unknown;
      readonly principal: Principal;
    }
  /** The client hung up while its call goes on there. */
  | { readonly kind: "stop"; readonly handle: string; readonly principal: Principal }
  /** A message of the client that belongs to what the other one has open in the session. */
  | {
      readonly kind: "deliver";
      readonly session: string;
      readonly message: unknown;
      readonly principal: Principal;
    };

/** Told to all gateways. */
export type PeerBroadcast =
  | { readonly kind: "ended"; readonly session: string }
  | { readonly kind: "cancelled"; readonly session: string; readonly message: unknown };

/** What gateways over one ledger share, and how they reach each other. */
export interface Peers {
  /** Of this gateway; what it hands to clients begins with it, so that others know whose it is. */
  readonly name: string;
  readonly sessions: McpSessionStore;
  readonly waiting: WaitingCallStore;
  readonly heardIn: (conversation: string) => Promise<readonly string[]>;
  readonly hear: (conversation: string, taints: readonly string[]) => Promise<void>;
  readonly ask: (to: string, question: PeerRequest, signal?: AbortSignal) => Promise<RpcResult>;
  readonly tellAll: (news: PeerBroadcast) => Promise<void>;
  readonly isGone: (name: string) => Promise<boolean>;
  /** Who answers here. Until somebody does, questions wait. */
  readonly serve: (desk: PeerHandler) => void;
  readonly close: () => Promise<void>;
}

export interface PeerHandler {
  readonly answer: (question: PeerRequest) => Promise<unknown>;
  readonly told: (news: PeerBroadcast) => void;
}

/** `name.rest`, as handles of held calls and tasks are written where there are other gateways. */
export const withPeerName = ({ name }: Pick<Peers, "name">, rest: string): string => `${name}.${rest}`;

/** Whose handle it is, and what it is called there. */
export const parsePeerHandle = (
  handle: unknown,
): { readonly name: string; readonly rest: string } | undefined => {
  const at = typeof handle === "string" ? handle.indexOf(".") : -1;
  if (typeof handle !== "string" || at < 1) return undefined;
  return { name: handle.slice(0, at), rest: handle.slice(at + 1) };
};
