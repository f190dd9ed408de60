import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Principal } from "./principal.ts";

/** What a person is asked. Bound to the exact input and definition; another input needs another request. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly input: unknown;
  readonly reason: string;
}

export type ApprovalDecision =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason?: string }
  /** Goes on with another input, which is validated and authorized like the first. */
  | { readonly kind: "edit"; readonly input: unknown };

/** What an approval layer says of one call before anything runs. `ask` wants a person. */
export type ApprovalAnswer = ApprovalDecision | { readonly kind: "ask"; readonly reason?: string };

/** Puts a request before a person. `undefined` means the answer comes later: the call is pending. */
export interface ApprovalDesk {
  readonly ask: (request: ApprovalRequest) => Effect<ApprovalDecision | undefined>;
}

/** Nobody by default: what needs a person is refused. */
export const Approver: Context.Reference<ApprovalDesk | undefined> = Context.Reference<
  ApprovalDesk | undefined
>("haft/Approver", { defaultValue: () => undefined });
