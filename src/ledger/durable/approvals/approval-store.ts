import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../json/canonical-json.ts";
import type {
  Answered,
  Answering,
  ApprovalBook,
  ApprovalQuery,
  ApprovalRecord,
  StandingQuery,
} from "../../../words/approval.ts";
import type { Principal } from "../../../words/principal.ts";
import { afterAnswer, fitsApproval, stands } from "../../approval-steps.ts";
import { unavailable } from "../../refusals.ts";
import { asking } from "../asking.ts";
import type { Script, SqlValue } from "../database.ts";
import { sealOnce } from "../payloads/seal-once.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import type { ChainReading } from "./approval-history.ts";
import { changeApproval } from "./approval-row.ts";
import { annul, annulLie, keptApprovals, lookUp, lookUpToChange } from "./look-up.ts";
import { taking } from "./take-approval.ts";
import { answeredBody, shownDecision, shownParty } from "./write-approval.ts";

export const approvalBook = (store: Store): ApprovalBook => {
  const { database, writer } = store;
  const read = <A>(script: () => Script<A>) => asking(() => database.read(script));
  return {
    isDurable: true,
    find: (id) => read(() => finding(store, id)),
    list: (query = {}) => read(() => listing(store, query)),
    standing: (call) => read(() => standing(store, call)),
    answer: (id, answering) => writer.write(() => answer(store, id, answering)),
    take: (id, at) => writer.write(() => taking(store, id, at)),
    annul: (id, why, at) => writer.write(() => annulling(store, id, why, at)),
    refuse: (id, by, at) => Effect.asVoid(writer.write(() => refusing(store, id, by, at))),
  };
};

function* finding(reading: ChainReading, id: string): Script<ApprovalRecord | undefined> {
  return (yield* lookUp(reading, id))?.kept?.record;
}

function* listing(reading: ChainReading, query: ApprovalQuery): Script<readonly ApprovalRecord[]> {
  const { status, runId, tool, limit } = query;
  const asked = Object.entries({ status, run_id: runId, tool }).filter(([, value]) => value !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([name]) => `${name} = ?`).join(" AND ")}`;
  const values = asked.map(([, value]) => value as SqlValue);
  const most = limit === undefined ? "" : "LIMIT ?";
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals ${where} ORDER BY asked_at DESC, asked_seq DESC ${most}`,
    values: limit === undefined ? values : [...values, limit],
  };
  const records = (yield* keptApprovals(reading, rows.toReversed())).map(({ record }) => record);
  return records.filter((record) => fitsApproval(record, query));
}

function* standing(reading: ChainReading, call: StandingQuery): Script<ApprovalRecord | undefined> {
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals WHERE tool = ? AND definition = ? AND always IS NOT NULL
          AND status IN ('answered', 'used') ORDER BY asked_at DESC, asked_seq DESC`,
    values: [call.tool, call.definition],
  };
  const kept = yield* keptApprovals(reading, rows);
  return kept.find(({ record, isAnswerProved }) => isAnswerProved && stands(record, call))?.record;
}

const answer = (store: Store, id: string, answering: Answering): Operation<Answered> => {
  const { rowTexts, vault } = store;
  const { at, by, decision } = answering;
  const said = shownDecision(rowTexts, decision);
  const who = by === undefined ? undefined : rowTexts.name(by);
  if (!said.isExact && vault.isLocked) throw cannotEdit();
  const text = decision.kind === "edit" && !said.isExact ? JSON.stringify(decision.input) : undefined;
  const sealed = sealOnce(vault, text, `${id}/edit`);
  return {
    entryIds: [],
    discard: sealed.discard,
    *run(transaction) {
      yield* transaction.flush();
      const found = yield* lookUpToChange(store, id);
      if (found?.lie !== undefined) {
        yield* annulLie(transaction, found, found.lie, at);
        return "already";
      }
      const { answered, next } = afterAnswer(
        found?.kept.record,
        { at, by: who, decision: said.decision },
        store.clock.toServerTime(at),
      );
      if (found === undefined || next === undefined) return answered;
      const { entryId, runId } = next;
      const input = answered === "answered" ? sealed.get() : undefined;
      yield changeApproval(next, found.kept.askedSeq);
      const body = answered === "expired" ? canonicalJson({ id }) : answeredBody(next, said.isExact);
      const seq = transaction.append({ at, kind: answered, entryId, runId, body });
      const entry = yield* transaction.entry(entryId);
      if (entry !== undefined) transaction.mention(entry, seq);
      if (input !== undefined) {
        transaction.keep([entryId, `edit:${id}`, runId, ...input]);
        if (entry !== undefined) transaction.change(entry, { payloads: true });
      }
      return answered;
    },
  };
};

const annulling = (store: Store, id: string, why: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const found = yield* lookUpToChange(store, id);
    if (found === undefined) throw unavailable(`There is no approval "${id}" that could be annulled.`);
    yield* annul(transaction, found, store.rowTexts.text(why), at);
  },
});

const refusing = (
  { rowTexts }: Store,
  id: string,
  by: Principal | undefined,
  at: number,
): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    const [row] = yield { sql: "SELECT entry_id, run_id FROM haft_approvals WHERE id = ?", values: [id] };
    const body = canonicalJson({ id: rowTexts.name(id), by: shownParty(by) });
    const of = {
      entryId: (row?.entry_id ?? null) as string | null,
      runId: (row?.run_id ?? null) as string | null,
    };
    transaction.append({ at, kind: "refused", ...of, body });
  },
});

const cannotEdit = () =>
  unavailable(
    "The edited arguments hold a secret or are very long, so they must be sealed, and this ledger has no key. Set " +
      "HAFT_LEDGER_KEY (32 bytes, as from: openssl rand -base64 32).",
  );
