import type { ApprovalRequest } from "./approval.ts";
import type { ContentPart } from "./content.ts";
import type { Failure } from "./failure.ts";
import type { Flow } from "./outcome.ts";

/** The model's view of one call. Every call id gets exactly one reply. */
export interface Reply {
  /** The call id that the model assigned. */
  readonly id: string;
  /** The tool name as the model wrote it; the ledger has the full name. */
  readonly tool: string;
  /** False while the call is `pending`: nothing has run yet. */
  readonly ok: boolean;
  /** The result as JSON text, or the failure message; the only part meant for the model. */
  readonly text: string;
  /** How the turn continues: `final` ends the run, `handoff` passes it to another agent. */
  readonly flow: Flow;
  /** The result as the tool returned it, for the program. */
  readonly value?: unknown;
  /** Media that the tool returned with the value, and text placeholders for omitted media. */
  readonly parts?: readonly ContentPart[];
  /** Why there is no result; `docs/errors.md` lists the codes. */
  readonly failure?: Failure;
  /** Full names of the tools whose untrusted content the reply contains. */
  readonly taints?: readonly string[];
  /** Set while the call waits for approval. */
  readonly pending?: ApprovalRequest;
}
