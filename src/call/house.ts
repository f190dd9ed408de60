import type { ToolRegistry } from "../catalog/registry.ts";
import type { JsonLimits } from "../json/limits.ts";
import type { Redactor } from "../json/redact.ts";
import type { PolicyEngine } from "../policy/policy.ts";
import type { ApprovalBook } from "../words/approval.ts";
import type { EventBus } from "../words/event.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Risk } from "../words/spec.ts";

/** What the corridor may lean on. Stages take the part they need and know nothing of each other. */
export interface House {
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
  readonly ledger: LedgerStore;
  /** Where questions to persons are kept; the ledger's own book where it has one. */
  readonly approvals: ApprovalBook;
  readonly events: EventBus;
  readonly redactor: Redactor;
  /** The operator's layers: outermost, so that the operator has the last word. */
  readonly layers: readonly AnyLayer[];
  readonly settings: Settings;
  /** Unguessable: whoever knows an approval's id may answer it. */
  readonly newId: () => string;
}

export interface Settings {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Whether a read-only tool may run while the ledger cannot be written. */
  readonly readsWithoutLedger: boolean;
  readonly maxResultBytes: number;
  /** Calls of these risks are on disk before they start, even if the power goes. */
  readonly fullSync: readonly Risk[];
  /** How long a question to a person stays open. */
  readonly approvalsExpireMs: number;
  readonly json: JsonLimits;
}
