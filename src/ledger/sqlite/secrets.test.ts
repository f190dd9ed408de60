import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import {
  createApprovalRecord,
  createKeyClaim,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening, ledgerSecret } from "../../../test/contracts/ledger-contract.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";

const { fresh, open, contents } = useSqliteFolder();

const secretJson = JSON.stringify({ note: ledgerSecret, more: [ledgerSecret], key: `x${ledgerSecret}x` });
const principal = { agent: "tester", session: "s", user: "ada" };

/** Writes the secret to every place that holds text. */
const writeEverywhere = async (ledger: DurableLedger): Promise<void> => {
  const long = JSON.stringify({ filler: "y".repeat(400_000), note: ledgerSecret });
  await runLedgerEffect(
    ledger.runs.begin({
      runId: "run-1",
      agent: "tester",
      principal,
      messages: [
        { role: "user", content: ledgerSecret },
        { role: "user", content: `${ledgerSecret} ${"z".repeat(300_000)}` },
      ],
      at: 1_000,
    }),
  );
  for (const [id, text] of [
    ["1", secretJson],
    ["2", ledgerSecret],
    ["3", long],
  ] as const) {
    const names = {
      tool: ledgerSecret,
      callId: ledgerSecret,
      correlationId: ledgerSecret,
      key: ledgerSecret,
    };
    await runLedgerEffect(ledger.open(createOpening(id, { ...names, input: text })));
    await runLedgerEffect(ledger.reserve(createKeyClaim(`${ledgerSecret}-${id}`, id)));
    await runLedgerEffect(
      ledger.intend({ entryId: id, tool: "work", at: 1, full: true, decision: `because ${ledgerSecret}` }),
    );
    const changes = [
      { stage: "value", pointer: "/note", from: ledgerSecret, to: `"${ledgerSecret}"` },
    ] as const;
    await runLedgerEffect(
      ledger.close(
        createClosing(id, {
          result: text,
          original: text,
          message: `failed with ${ledgerSecret}`,
          decision: `because ${ledgerSecret}`,
          notes: [`note ${ledgerSecret}`, secretJson],
          provenance: { validated: true, validator: null, repaired: true, changes },
          ran: true,
        }),
      ),
    );
  }
  const input = { note: ledgerSecret };
  await openPendingEntry(
    ledger,
    createApprovalRecord("a", "4", { input, rawTool: ledgerSecret, reason: `for ${ledgerSecret}` }),
  );
  await openPendingEntry(ledger, createApprovalRecord("b", "5"));
  await runLedgerEffect(ledger.approvals.refuse(ledgerSecret, principal, 1_500));
  const edit = { kind: "edit", input: { edited: ledgerSecret } } as const;
  await runLedgerEffect(ledger.approvals.answer("a", { decision: edit, by: ledgerSecret, at: 2_000 }));
  const deny = { kind: "deny", reason: `no: ${ledgerSecret}` } as const;
  await runLedgerEffect(ledger.approvals.answer("b", { decision: deny, at: 2_000 }));
  await runLedgerEffect(ledger.approvals.annul("b", `why: ${ledgerSecret}`, 2_500));
  const usage = { inputTokens: 1, outputTokens: 1 };
  const message = { role: "assistant", content: `I use ${ledgerSecret}` } as const;
  await runLedgerEffect(
    ledger.runs.add({
      runId: "run-1",
      epoch: 1,
      messages: [message],
      turns: 1,
      usage,
      agent: "a",
      at: 3_000,
    }),
  );
  const reason = `for ${ledgerSecret}`;
  await runLedgerEffect(ledger.runs.end({ runId: "run-1", epoch: 1, status: "pending", reason, at: 4_000 }));
};

const forms = [
  ledgerSecret,
  Buffer.from(ledgerSecret).toString("base64").slice(0, 28),
  Buffer.from(ledgerSecret).toString("hex"),
];

it("writes no known secret to a file and returns the exact texts to a reader with the key", async () => {
  const path = fresh();
  const ledger = await open(path);
  await writeEverywhere(ledger);
  for (const form of forms) expect(contents().includes(form)).toBe(false);
  expect(readdirSync(`${path}.blobs`)).toHaveLength(3);
  expect(await runLedgerEffect(ledger.recall("1"))).toMatchObject({ input: secretJson, result: secretJson });
  expect((await runLedgerEffect(ledger.recall("3")))?.input).toContain(ledgerSecret);
  expect(
    (await runLedgerEffect(ledger.runs.find("run-1")))?.messages.map(({ content }) => content.slice(0, 24)),
  ).toEqual([ledgerSecret, ledgerSecret, `I use ${ledgerSecret}`.slice(0, 24)]);
  expect(await runLedgerEffect(ledger.approvals.take("a", 3_000))).toMatchObject({
    record: { input: { note: ledgerSecret }, decision: { input: { edited: ledgerSecret } } },
  });
  await ledger.end();
  for (const form of forms) expect(contents().includes(form)).toBe(false);
});

it("opens no exact text without the key and names the missing key", async () => {
  const path = fresh();
  const ledger = await open(path);
  await openPendingEntry(ledger, createApprovalRecord("a", "1", { input: { note: ledgerSecret } }));
  await ledger.end();
  const other = await open(path, { key: "ab".repeat(32) });
  expect((await runToLedgerError(other.recall("1"))).message).toContain("encrypted with another key");
  expect(await runLedgerEffect(other.entries())).toHaveLength(1);
});

it("deletes exact texts with their call and long ones with their files", async () => {
  const path = fresh();
  const ledger = await open(path);
  const long = JSON.stringify({ filler: "y".repeat(400_000) });
  await runLedgerEffect(ledger.open(createOpening("1", { input: long })));
  expect((await runLedgerEffect(ledger.recall("1")))?.input).toBe(long);
  expect(readdirSync(`${path}.blobs`)).toHaveLength(1);
  await runLedgerEffect(ledger.close(createClosing("1", { result: long })));
  expect(await runLedgerEffect(ledger.recall("1"))).toMatchObject({ input: undefined, result: undefined });
  expect(readdirSync(`${path}.blobs`)).toEqual([]);
});

it("keeps exact texts until they are pruned when keepPayloads is set", async () => {
  const path = fresh();
  const ledger = await open(path, { keepPayloads: true });
  await runLedgerEffect(ledger.open(createOpening("1", { input: `{ "note": "${ledgerSecret}" }` })));
  await runLedgerEffect(ledger.close(createClosing("1", { result: secretJson })));
  expect(await runLedgerEffect(ledger.recall("1"))).toMatchObject({ result: secretJson });
  expect(await runLedgerEffect(ledger.prune(Date.now() + 1_000))).toMatchObject({
    rows: 2,
    entries: 1,
    payloads: 2,
  });
});

it("leaves no file after a refused write", async () => {
  const path = fresh();
  const ledger = await open(path);
  const long = JSON.stringify("y".repeat(400_000));
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runToLedgerError(ledger.open(createOpening("1", { input: long })));
  expect(existsSync(`${path}.blobs`) ? readdirSync(`${path}.blobs`) : []).toEqual([]);
});
