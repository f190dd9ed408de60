import * as Effect from "effect/Effect";
import { loadOnDemand } from "../pipeline/maybe-effect.ts";
import type { ApprovalQuery, ApprovalRecord, ApprovalStore } from "../types/approval.ts";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerStore } from "../types/ledger.ts";
import { type Principal, resolveActingPrincipal } from "../types/principal.ts";

export const approvalsOfCaller = (
  ledger: LedgerStore,
  principal: Principal | undefined,
  query: ApprovalQuery | undefined,
): Effect.Effect<readonly ApprovalRecord[], LedgerError> =>
  hasApprovals(ledger)
    ? Effect.flatMap(currentApprovalsModule, ({ listCurrentApprovals }) =>
        Effect.map(listCurrentApprovals(ledger, query), recordsOwnedBy(principal)),
      )
    : noRecords;

const currentApprovalsModule = loadOnDemand(() => import("../pipeline/pending/earlier-call-note.ts"));

const hasApprovals = (ledger: LedgerStore): ledger is LedgerStore & { readonly approvals: ApprovalStore } =>
  ledger.approvals !== undefined;

export const noRecords = Effect.succeed([]);

export const recordsOwnedBy =
  (principal: Principal | undefined) =>
  <A extends { readonly principal: Principal | undefined }>(all: readonly A[]): readonly A[] =>
    all.filter(
      (each) =>
        principal !== undefined &&
        each.principal !== undefined &&
        resolveActingPrincipal(each.principal, principal) !== undefined,
    );
