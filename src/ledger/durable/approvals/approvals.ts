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
import { afterAnswer, stands } from "../../approval-steps.ts";
import { unavailable } from "../../refusals.ts";
import { asking } from "../asking.ts";
import type { Script, SqlValue } from "../database.ts";
import { sealOnce } from "../payloads/seal-once.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import { changeApproval, keptApproval, readApproval } from "./approval-row.ts";
import { taking } from "./take-approval.ts";
import { partyOf, shownDecision, toJson } from "./write-approval.ts";

export const approvalBook = (store: Store): ApprovalBook => {
  const { database, writer } = store;
  const read = <A>(script: () => Script<A>) => asking(() => database.read(script));
  return {
    isDurable: true,
    find: (id) => read(() => finding(id)),
    list: (query = {}) => read(() => listing(query)),
    standing: (call) => read(() => standing(call)),
    answer: (id, answering) => writer.write(() => answer(store, id, answering)),
    take: (id, at) => writer.write(() => taking(store, id, at)),
    annul: (id, why, at) => writer.write(() => annulling(store, id, why, at)),
    refuse: (id, by, at) => Effect.asVoid(writer.write(() => refusing(store, id, by, at))),
  };
};

function* finding(id: string): Script<ApprovalRecord | undefined> {
  return (yield* keptApproval(id))?.record;
}

function* listing({ status, runId, tool, limit }: ApprovalQuery): Script<readonly ApprovalRecord[]> {
  const asked = Object.entries({ status, run_id: runId, tool }).filter(([, value]) => value !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([name]) => `${name} = ?`).join(" AND ")}`;
  const values = asked.map(([, value]) => value as SqlValue);
  const most = limit === undefined ? "" : "LIMIT ?";
  const rows = yield {
    sql: `SELECT record FROM haft_approvals ${where} ORDER BY asked_seq DESC ${most}`,
    values: limit === undefined ? values : [...values, limit],
  };
  return rows.map((row) => readApproval(row).record).reverse();
}

function* standing(call: StandingQuery): Script<ApprovalRecord | undefined> {
  const rows = yield {
    sql: `SELECT record FROM haft_approvals WHERE tool = ? AND definition = ? AND always IS NOT NULL
          AND status IN ('answered', 'used') ORDER BY asked_seq DESC`,
    values: [call.tool, call.definition],
  };
  return rows.map((row) => readApproval(row).record).find((record) => stands(record, call));
}

const answer = (store: Store, id: string, answering: Answering): Operation<Answered> => {
  const { scribe, vault } = store;
  const { at, by, decision } = answering;
  const said = shownDecision(scribe, decision);
  const who = by === undefined ? undefined : scribe.name(by);
  if (!said.isExact && vault.isLocked) throw cannotEdit();
  const text = decision.kind === "edit" && !said.isExact ? JSON.stringify(decision.input) : undefined;
  const sealed = sealOnce(vault, text, `${id}/edit`);
  return {
    entryIds: [],
    discard: sealed.discard,
    *run(page) {
      const kept = yield* keptApproval(id);
      const { answered, next } = afterAnswer(kept?.record, { at, by: who, decision: said.decision });
      if (kept === undefined || next === undefined) return answered;
      const { entryId, runId } = next;
      const input = answered === "answered" ? sealed.get() : undefined;
      yield changeApproval({ ...kept, record: next, isEditExact: said.isExact });
      const body = answered === "expired" ? { id } : { id, by: who, decision: toJson(said.decision) };
      page.append({ at, kind: answered, entryId, runId, body: canonicalJson(body) });
      if (input !== undefined) {
        page.keep([entryId, `edit:${id}`, runId, ...input]);
        const entry = yield* page.entry(entryId);
        if (entry !== undefined) page.change(entry, { payloads: true });
      }
      return answered;
    },
  };
};

const annulling = ({ scribe }: Store, id: string, why: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    const kept = yield* keptApproval(id);
    if (kept === undefined) throw unavailable(`There is no approval "${id}" that could be annulled.`);
    const { entryId, runId } = kept.record;
    yield changeApproval({ ...kept, record: { ...kept.record, status: "void" } });
    page.append({ at, kind: "annulled", entryId, runId, body: canonicalJson({ id, why: scribe.text(why) }) });
  },
});

const refusing = ({ scribe }: Store, id: string, by: Principal | undefined, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    const record = (yield* keptApproval(id))?.record;
    const body = canonicalJson({ id: scribe.name(id), by: partyOf(by) });
    page.append({
      at,
      kind: "refused",
      entryId: record?.entryId ?? null,
      runId: record?.runId ?? null,
      body,
    });
  },
});

const cannotEdit = () =>
  unavailable(
    "The edited arguments hold a secret or are very long, so they must be sealed, and this ledger has no key. Set " +
      "HAFT_LEDGER_KEY (32 bytes, as from: openssl rand -base64 32).",
  );
