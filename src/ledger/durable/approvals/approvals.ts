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
import type { Dialect } from "../dialect.ts";
import { sealOnce } from "../payloads/seal-once.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import { changeApproval } from "./approval-row.ts";
import { annul, annulLie, lookUp, told } from "./look-up.ts";
import { taking } from "./take-approval.ts";
import { answeredBody, partyOf, shownDecision } from "./write-approval.ts";

export const approvalBook = (store: Store): ApprovalBook => {
  const { database, dialect, writer } = store;
  const read = <A>(script: () => Script<A>) => asking(() => database.read(script));
  return {
    isDurable: true,
    find: (id) => read(() => finding(dialect, id)),
    list: (query = {}) => read(() => listing(dialect, query)),
    standing: (call) => read(() => standing(dialect, call)),
    answer: (id, answering) => writer.write(() => answer(store, id, answering)),
    take: (id, at) => writer.write(() => taking(store, id, at)),
    annul: (id, why, at) => writer.write(() => annulling(store, id, why, at)),
    refuse: (id, by, at) => Effect.asVoid(writer.write(() => refusing(store, id, by, at))),
  };
};

function* finding(dialect: Dialect, id: string): Script<ApprovalRecord | undefined> {
  return (yield* lookUp(dialect, id))?.kept?.record;
}

function* listing(dialect: Dialect, query: ApprovalQuery): Script<readonly ApprovalRecord[]> {
  const { status, runId, tool, limit } = query;
  const asked = Object.entries({ status, run_id: runId, tool }).filter(([, value]) => value !== undefined);
  const where = asked.length === 0 ? "" : `WHERE ${asked.map(([name]) => `${name} = ?`).join(" AND ")}`;
  const values = asked.map(([, value]) => value as SqlValue);
  const most = limit === undefined ? "" : "LIMIT ?";
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals ${where} ORDER BY asked_seq DESC ${most}`,
    values: limit === undefined ? values : [...values, limit],
  };
  const records = yield* told(dialect, rows.toReversed());
  return records.filter((record) => fitsApproval(record, query));
}

function* standing(dialect: Dialect, call: StandingQuery): Script<ApprovalRecord | undefined> {
  const rows = yield {
    sql: `SELECT id, entry_id FROM haft_approvals WHERE tool = ? AND definition = ? AND always IS NOT NULL
          AND status IN ('answered', 'used') ORDER BY asked_seq DESC`,
    values: [call.tool, call.definition],
  };
  return (yield* told(dialect, rows)).find((record) => stands(record, call));
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
      yield* page.flush();
      const found = yield* lookUp(store.dialect, id);
      if (found?.lie !== undefined) {
        yield* annulLie(page, found, found.lie, at);
        return "already";
      }
      const { answered, next } = afterAnswer(found?.kept.record, { at, by: who, decision: said.decision });
      if (found === undefined || next === undefined) return answered;
      const { entryId, runId } = next;
      const input = answered === "answered" ? sealed.get() : undefined;
      yield changeApproval(next, found.kept.askedSeq);
      const body = answered === "expired" ? canonicalJson({ id }) : answeredBody(next, said.isExact);
      page.append({ at, kind: answered, entryId, runId, body });
      if (input !== undefined) {
        page.keep([entryId, `edit:${id}`, runId, ...input]);
        const entry = yield* page.entry(entryId);
        if (entry !== undefined) page.change(entry, { payloads: true });
      }
      return answered;
    },
  };
};

const annulling = ({ scribe, dialect }: Store, id: string, why: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    yield* page.flush();
    const found = yield* lookUp(dialect, id);
    if (found === undefined) throw unavailable(`There is no approval "${id}" that could be annulled.`);
    yield* annul(page, found, scribe.text(why), at);
  },
});

const refusing = ({ scribe }: Store, id: string, by: Principal | undefined, at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    const [row] = yield { sql: "SELECT entry_id, run_id FROM haft_approvals WHERE id = ?", values: [id] };
    const body = canonicalJson({ id: scribe.name(id), by: partyOf(by) });
    const of = {
      entryId: (row?.entry_id ?? null) as string | null,
      runId: (row?.run_id ?? null) as string | null,
    };
    page.append({ at, kind: "refused", ...of, body });
  },
});

const cannotEdit = () =>
  unavailable(
    "The edited arguments hold a secret or are very long, so they must be sealed, and this ledger has no key. Set " +
      "HAFT_LEDGER_KEY (32 bytes, as from: openssl rand -base64 32).",
  );
