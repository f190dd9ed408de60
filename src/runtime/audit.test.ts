import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { EntryClosing, EntryOpening, LedgerStore } from "../types/ledger.ts";
import { type AuditRecord, auditedLedger } from "./audit.ts";

/** A custom store whose methods use a private field. */
class OwnStore implements LedgerStore {
  readonly #rows = memoryLedger({ redactor: redactor() });
  open(opening: EntryOpening) {
    return this.#rows.open(opening);
  }
  close(closing: EntryClosing) {
    return this.#rows.close(closing);
  }
  entries(query?: Parameters<LedgerStore["entries"]>[0]) {
    return this.#rows.entries(query);
  }
}

const opening: EntryOpening = {
  entryId: "e1",
  callId: "c1",
  runId: "r1",
  tool: "pay",
  agent: "clerk",
  at: 1,
  input: "{}",
  session: undefined,
  correlationId: undefined,
};

const closing = (ending: EntryClosing["ending"]): EntryClosing => ({
  entryId: "e1",
  ending,
  tool: "pay",
  code: undefined,
  message: undefined,
  flow: "continue",
  result: undefined,
  original: undefined,
  decision: undefined,
  notes: [],
  durationMs: 5,
});

it("supports a store with private fields, and records one ending for a call that was pending", async () => {
  const received: AuditRecord[] = [];
  const record = (each: AuditRecord) => Effect.sync(() => void received.push(each));
  const ledger = auditedLedger(new OwnStore(), { record }, { masking: redactor(), withinMs: 1_000 });
  await Effect.runPromise(ledger.open(opening));
  await Effect.runPromise(ledger.close(closing("pending")));
  expect(received).toEqual([]);
  await Effect.runPromise(ledger.close(closing("executed")));
  expect(received).toMatchObject([
    { entryId: "e1", agent: "clerk", tool: "pay", success: true, durationMs: 5 },
  ]);
  expect(await Effect.runPromise(ledger.entries())).toHaveLength(1);
});
