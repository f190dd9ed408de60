import type { JsonObject } from "../../json/is-object.ts";
import type { MailAnswer } from "../../ledger/beside/mail.ts";
import type { ApprovalRequest } from "../../words/approval.ts";
import type { Principal } from "../../words/principal.ts";

/** A session of a client of the old era, as any gateway of the fleet can take it up. */
export interface SharedSession {
  /** Whose it is; its rights come with each request. */
  readonly principal: Principal;
  /** What the client said when it began: protocol, capabilities, who it is. */
  readonly initialize: JsonObject;
}

export interface SharedSessions {
  readonly keep: (id: string, session: SharedSession) => Promise<void>;
  /** Nothing for one that was idle too long. */
  readonly find: (id: string, idleMs: number) => Promise<SharedSession | undefined>;
  readonly touch: (id: string) => Promise<void>;
  readonly drop: (id: string) => Promise<void>;
}

/** Calls that clients were told wait, by whoever told them. */
export interface SharedWaiting {
  readonly find: (request: string) => Promise<ApprovalRequest | undefined>;
  readonly keep: (request: string, approval: ApprovalRequest) => Promise<void>;
  /** The call may wait for another approval than it did; answers with the one that it waits for, as it was asked. */
  readonly move: (approvalId: string, to: ApprovalRequest) => Promise<ApprovalRequest>;
  readonly drop: (approvalId: string) => Promise<void>;
}

/** What a gateway asks the one that has the call or the session. */
export type PeerQuestion =
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
export type PeerNews =
  | { readonly kind: "ended"; readonly session: string }
  | { readonly kind: "cancelled"; readonly session: string; readonly message: unknown };

/** What gateways over one ledger share, and how they reach each other. */
export interface Peers {
  /** Of this gateway; what it hands to clients begins with it, so that others know whose it is. */
  readonly name: string;
  readonly sessions: SharedSessions;
  readonly waiting: SharedWaiting;
  readonly heardIn: (conversation: string) => Promise<readonly string[]>;
  readonly hear: (conversation: string, taints: readonly string[]) => Promise<void>;
  readonly ask: (to: string, question: PeerQuestion, signal?: AbortSignal) => Promise<MailAnswer>;
  readonly tellAll: (news: PeerNews) => Promise<void>;
  readonly isGone: (name: string) => Promise<boolean>;
  /** Who answers here. Until somebody does, questions wait. */
  readonly serve: (desk: PeerDesk) => void;
  readonly close: () => Promise<void>;
}

export interface PeerDesk {
  readonly answer: (question: PeerQuestion) => Promise<unknown>;
  readonly told: (news: PeerNews) => void;
}

/** `name.rest`, as handles of held calls and tasks are written where there are other gateways. */
export const namedBy = ({ name }: Pick<Peers, "name">, rest: string): string => `${name}.${rest}`;

/** Whose handle it is, and what it is called there. */
export const ownerOf = (handle: unknown): { readonly name: string; readonly rest: string } | undefined => {
  const at = typeof handle === "string" ? handle.indexOf(".") : -1;
  if (typeof handle !== "string" || at < 1) return undefined;
  return { name: handle.slice(0, at), rest: handle.slice(at + 1) };
};
