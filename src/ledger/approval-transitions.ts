import type {
  AnswerStatus,
  ApprovalQuery,
  ApprovalRecord,
  GrantQuery,
  RecordedAnswer,
  TakeApprovalResult,
} from "../types/approval.ts";
import { callerIdentityOf, isSameCaller } from "../types/principal.ts";

/** Without `next` nothing changes. `now` must come from the clock that wrote `expiresAt`. */
export const applyAnswer = (
  record: ApprovalRecord | undefined,
  { decision, by, at }: RecordedAnswer,
  now: number = at,
): { readonly answered: AnswerStatus; readonly next?: ApprovalRecord } => {
  if (record === undefined) return { answered: "unknown" };
  if (record.status === "expired") return { answered: "expired" };
  if (record.status !== "waiting") return { answered: "already" };
  if (isPastExpiry(record, now)) return { answered: "expired", next: { ...record, status: "expired" } };
  const who = by === undefined ? {} : { answeredBy: by };
  return { answered: "answered", next: { ...record, status: "answered", decision, answeredAt: at, ...who } };
};

/** For `taken`, `next` is the used record. */
export const applyTake = (
  record: ApprovalRecord | undefined,
  now: number,
): { readonly kind: TakeApprovalResult["kind"]; readonly next?: ApprovalRecord } => {
  if (record === undefined) return { kind: "unknown" };
  if (record.status === "answered") return { kind: "taken", next: { ...record, status: "used" } };
  if (record.status !== "waiting") return { kind: record.status };
  if (isPastExpiry(record, now)) return { kind: "expired", next: { ...record, status: "expired" } };
  return { kind: "waiting" };
};

const isPastExpiry = ({ expiresAt }: ApprovalRecord, now: number): boolean =>
  expiresAt !== undefined && now > expiresAt;

export const grantScopeOf = ({ decision }: ApprovalRecord): "run" | "session" | undefined =>
  decision?.kind === "allow" ? decision.always : undefined;

export const isGrantFor = (record: ApprovalRecord, call: GrantQuery): boolean => {
  if (record.status !== "answered" && record.status !== "used") return false;
  if (record.tool !== call.tool || record.definition !== call.definition) return false;
  const always = grantScopeOf(record);
  if (always === "run") return record.runId === call.runId;
  return always === "session" && hasSession(record) && isSameCaller(record.principal, call.principal);
};

/** Callers without a session never share a session grant. */
export const hasSession = ({ principal }: ApprovalRecord): boolean =>
  callerIdentityOf(principal).session !== undefined;

export const matchesApprovalQuery = (record: ApprovalRecord, query: ApprovalQuery): boolean =>
  (query.status === undefined || record.status === query.status) &&
  (query.runId === undefined || record.runId === query.runId) &&
  (query.tool === undefined || record.tool === query.tool);
