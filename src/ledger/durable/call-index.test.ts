import { expect, it } from "vitest";
import {
  createClosing,
  createOpening,
  runLedgerEffect,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { openSqliteDatabase } from "../sqlite-database.ts";
import { indexCallIds } from "./call-index.ts";
import { dialectOf } from "./dialect.ts";
import { createDurableLedger } from "./durable-ledger.ts";

const { fresh, open, connect } = useSqliteFolder();
const far = Date.now() + 1_000_000;

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id, { callId: `call ${id.slice(0, 1)}` })));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

const orderedAt = (path: string): number =>
  Number(connect(path).prepare("SELECT count(*) AS n FROM haft_call_ids").get()?.n);

it("finds each call by its id once, before and after indexing", async () => {
  const path = fresh();
  const database = openSqliteDatabase({ path });
  const ledger = await createDurableLedger(database, { redactor: testMasking, place: path });
  const order = () => database.write(() => indexCallIds(dialectOf(database)));
  const found = async () =>
    (await runLedgerEffect(ledger.entries({ callId: "call a" }))).map(({ entryId }) => entryId);
  expect(await order()).toBe(false);
  for (const id of ["a1", "b1", "a2"]) await pair(ledger, id);
  expect(await found()).toEqual(["a1", "a2"]);
  expect([await order(), orderedAt(path), await found()]).toEqual([false, 3, ["a1", "a2"]]);
  // No call was added since.
  expect([await order(), orderedAt(path), await found()]).toEqual([false, 3, ["a1", "a2"]]);
  for (const id of ["a3", "b2"]) await pair(ledger, id);
  expect(await found()).toEqual(["a1", "a2", "a3"]);
  expect([await order(), orderedAt(path), await found()]).toEqual([false, 5, ["a1", "a2", "a3"]]);
  await ledger.end();
});

it("removes pruned calls from the index and indexes later calls", async () => {
  const path = fresh();
  const database = openSqliteDatabase({ path });
  const ledger = await createDurableLedger(database, { redactor: testMasking, place: path });
  const order = () => database.write(() => indexCallIds(dialectOf(database)));
  for (const id of ["a1", "b1"]) await pair(ledger, id);
  await runLedgerEffect(ledger.open(createOpening("a2", { callId: "call a" })));
  await order();
  await runLedgerEffect(ledger.prune(far));
  await order();
  expect(orderedAt(path)).toBe(1);
  await runLedgerEffect(ledger.close(createClosing("a2")));
  await runLedgerEffect(ledger.prune(far));
  await order();
  expect(orderedAt(path)).toBe(0);
  await pair(ledger, "a3");
  await order();
  expect(orderedAt(path)).toBe(1);
  expect(await runLedgerEffect(ledger.entries({ callId: "call a" }))).toMatchObject([{ entryId: "a3" }]);
  await ledger.end();
});

it("indexes more calls than one batch holds in one heartbeat", async () => {
  const path = fresh();
  const clock = { ms: 0 };
  const ledger = await open(path, { times: { monotonic: () => clock.ms } });
  connect(path).exec(
    `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 10001)
     INSERT INTO haft_entries (open_seq, entry_id, call_id, run_id, tool, agent, at, ending, owner, start_seq, close_seq,
       last_seq, closed_at, in_run, keyed, payloads)
     SELECT n + 100, 'e' || n, 'c' || n, 'r', 't', NULL, n, 'executed', 'o', NULL, NULL, n, NULL, 0, 0, 0 FROM s`,
  );
  clock.ms += 15_001;
  await runLedgerEffect(ledger.open(createOpening("1")));
  await waitFor(async () => expect(await orderedAt(path)).toBeGreaterThanOrEqual(10_001));
});
