import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { redactor } from "../../src/base/json/redact.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import type { ApprovalRecord } from "../../src/types/approval.ts";
import type { DurableLedger } from "../../src/types/durable-ledger.ts";
import type { EntryClosing, EntryOpening } from "../../src/types/ledger.ts";

export const noon = Date.parse("2026-11-16T12:00:00Z");
export const minute = 60_000;

/** A closed ledger on disk with the rows that a test wrote. */
export const seed = async (write: (ledger: DurableLedger) => Promise<void>): Promise<string> => {
  const place = `sqlite:${join(await mkdtemp(join(tmpdir(), "haft-ledger-")), "ledger.db")}`;
  const ledger = await openDurableLedger(place, { redactor: redactor({}) });
  await write(ledger);
  await ledger.end();
  return place;
};

const process = "4f3a9c0d1e2b3f44";
export const entryId = (count: number): string => `entry-${process}-${count}`;
export const runId = (count: number): string => `run-${process}-${count}`;

export const opening = (count: number, given: Partial<EntryOpening> = {}): EntryOpening => ({
  entryId: entryId(count),
  callId: `call-${count}`,
  runId: runId(1),
  tool: "get_weather",
  input: '{"city":"Oslo"}',
  agent: "guide",
  session: undefined,
  correlationId: undefined,
  at: noon + count * minute,
  ...given,
});

export const closing = (count: number, given: Partial<EntryClosing> = {}): EntryClosing => ({
  entryId: entryId(count),
  ending: "executed",
  tool: "get_weather",
  code: undefined,
  message: undefined,
  decision: "allowed by readers",
  flow: "continue",
  result: '{"celsius":21}',
  original: undefined,
  notes: [],
  durationMs: 12.5,
  ...given,
});

export const approval = (count: number, given: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id: `1f0c9a2${count}-0000-4000-8000-00000000000${count}`,
  entryId: entryId(count),
  callId: `call-${count}`,
  runId: runId(1),
  tool: "wipe_disk",
  rawTool: "wipe_disk",
  principal: { agent: "guide", allow: ["*"] },
  input: { disk: `sd${count}` },
  inputHash: "aa",
  definition: "bb",
  reason: "critical risk",
  askedAt: noon + count * minute,
  expiresAt: noon + 24 * 60 * minute,
  status: "waiting",
  ...given,
});

/** Records one call from its opening to its end. */
export const record = async (
  ledger: DurableLedger,
  count: number,
  opened: Partial<EntryOpening> = {},
  closed: Partial<EntryClosing> = {},
): Promise<void> => {
  await Effect.runPromise(ledger.open(opening(count, opened)));
  await Effect.runPromise(ledger.close(closing(count, { tool: opened.tool ?? "get_weather", ...closed })));
};

/** Records one pending call. */
export const recordWaiting = (
  ledger: DurableLedger,
  count: number,
  asked: Partial<ApprovalRecord> = {},
): Promise<void> =>
  record(
    ledger,
    count,
    { tool: "wipe_disk", ...(asked.runId === undefined ? {} : { runId: asked.runId }) },
    {
      ending: "pending",
      result: undefined,
      flow: undefined,
      decision: "critical risk",
      approval: approval(count, asked),
    },
  );
