import type { ApprovalRequest } from "./approval.ts";
import type { Failure } from "./failure.ts";
import type { Flow } from "./outcome.ts";

/** What the model is told of one call. Every call id gets exactly one. */
export interface Reply {
  readonly id: string;
  readonly tool: string;
  readonly ok: boolean;
  /** The result as JSON text, or the failure in words; the only part meant for the model. */
  readonly text: string;
  readonly flow: Flow;
  readonly value?: unknown;
  readonly failure?: Failure;
  /** Full name of the tool whose words these are, if they are not to be trusted. */
  readonly taint?: string;
  /** Set while the call waits for a person. */
  readonly pending?: ApprovalRequest;
}
