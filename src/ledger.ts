export { type KeeperOptions, type LedgerKeeper, openLedger } from "./ledger/keeper.ts";
export { type VerifyOptions, verifyWebhook } from "./runtime/webhook-signature.ts";
export type {
  Answered,
  Answering,
  ApprovalBook,
  ApprovalQuery,
  ApprovalRecord,
  ApprovalStatus,
} from "./words/approval.ts";
export type {
  ChainQuery,
  ChainRow,
  DurableLedger,
  KeyUse,
  LedgerProgress,
  Pruned,
  PruneOptions,
  RowRange,
  Verification,
  VerificationOptions,
} from "./words/durable-ledger.ts";
export type {
  Circumstances,
  Closing,
  Ending,
  Intent,
  KeyClaim,
  LedgerEntry,
  LedgerQuery,
  LedgerStore,
  Opening,
  Recalled,
  Reservation,
} from "./words/ledger.ts";
export type {
  RunBook,
  RunEnd,
  RunQuery,
  RunRecord,
  RunStart,
  RunStep,
  RunSummary,
} from "./words/run-book.ts";
