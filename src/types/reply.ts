import type { ApprovalRequest } from "./approval.ts";
import type { ContentPart } from "./content.ts";
import type { Failure } from "./failure.ts";
import type { Flow } from "./outcome.ts";

/** What the model is told of one call. Every call id gets exactly one. */
export interface Reply {
  /** The id of the call as the model gave it. */
  readonly id: string;
  /** The name as the model wrote it; the ledger has the full name of the tool that answered. */
  readonly tool: string;
  /** False also while the call is `pending`: nothing has run yet. */
  readonly ok: boolean;
  /** The result as JSON text, or the failure in words; the only part meant for the model. */
  readonly text: string;
  /** What the turn does next: `final` ends it, `handoff` passes it on. */
  readonly flow: Flow;
  /** The result as the tool gave it, for the program. Missing where there is none. */
  readonly value?: unknown;
  /** Pictures, sounds and files that the tool gave besides, and sentences in place of what was left out. */
  readonly parts?: readonly ContentPart[];
  /** Why there is no result, with a `code` of docs/errors.md. */
  readonly failure?: Failure;
  /** Full names of the tools whose words are in it, where those are not to be trusted. */
  readonly taints?: readonly string[];
  /** Set while the call waits for a person. */
  readonly pending?: ApprovalRequest;
}
