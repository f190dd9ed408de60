import * as Effect from "effect/Effect";
import type { ApprovalQuery, ApprovalRecord } from "../types/approval.ts";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerStore } from "../types/ledger.ts";
import { type Principal, resolveActingPrincipal } from "../types/principal.ts";

export const approvalsOfCaller = (
  { approvals }: LedgerStore,
  principal: Principal | undefined,
  query: ApprovalQuery | undefined,
): Effect.Effect<readonly ApprovalRecord[], LedgerError> =>
  approvals === undefined ? noRecords : Effect.map(approvals.list(query), recordsOwnedBy(principal));

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
