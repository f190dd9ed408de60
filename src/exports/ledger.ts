export {
  type LedgerAdmin,
  type LedgerAdminOptions,
  type LedgerAdminSettlement,
  openLedger,
} from "../ledger/ledger-admin.ts";
export { type VerifyOptions, verifyWebhook } from "../runtime/webhook-signature.ts";
export type {
  AnswerStatus,
  ApprovalQuery,
  ApprovalRecord,
  ApprovalStatus,
  ApprovalStore,
  RecordedAnswer,
} from "../types/approval.ts";
export type {
  ChainQuery,
  ChainRow,
  DurableLedger,
  KeyUsage,
  LedgerProgress,
  PruneOptions,
  PruneResult,
  RowRange,
  Verification,
  VerificationOptions,
} from "../types/durable-ledger.ts";
export type {
  CallFacts,
  EntryClosing,
  EntryEnding,
  EntryOpening,
  EntryTexts,
  KeyClaim,
  KeyScope,
  LedgerEntry,
  LedgerQuery,
  LedgerStore,
  Reservation,
  Settlement,
  SettlementRequest,
  SettlementResult,
  StartIntent,
} from "../types/ledger.ts";
export type {
  RunEnd,
  RunQuery,
  RunRecord,
  RunStart,
  RunStep,
  RunStore,
  RunSummary,
} from "../types/run-store.ts";
