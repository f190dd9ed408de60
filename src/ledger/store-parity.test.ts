import * as Effect from "effect/Effect";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  type FullLedgerStore,
} from "../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking } from "../../test/kit/use-sqlite-folder.ts";
import type { RunStatus } from "../types/agent.ts";
import type { ApprovalDecision } from "../types/approval.ts";
import type { EntryEnding } from "../types/ledger.ts";
import { memoryLedger } from "./memory.ts";
import { openDurableLedger } from "./open-durable-ledger.ts";

type Act = (store: FullLedgerStore, at: number) => Effect.Effect<unknown, unknown>;

const id = fc.constantFrom("1", "2", "3");
const ending = fc.constantFrom<EntryEnding>("executed", "failed", "pending", "hydrated", "unknown");
const decision = fc.constantFrom<ApprovalDecision>(
  { kind: "allow" },
  { kind: "allow", always: "run" },
  { kind: "allow", always: "session" },
  { kind: "deny", reason: "no" },
  { kind: "edit", input: { city: "Rome" } },
);
const status = fc.constantFrom<RunStatus>("done", "pending", "stopped", "cancelled", "failed");
const epoch = fc.integer({ min: 1, max: 3 });
const maybeEpoch = fc.option(epoch, { nil: undefined });
const usage = { inputTokens: 1, outputTokens: 2 };
const said = { role: "assistant", content: "hm" } as const;

interface Step {
  readonly name: string;
  readonly act: Act;
}
const step = (name: string, act: Act): Step => ({ name, act });

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(id, id, maybeEpoch)
    .map(([i, runId, under]) =>
      step(`open ${i} in ${runId} under ${under}`, (store, at) =>
        store.open(createOpening(i, { at, runId, epoch: under })),
      ),
    ),
  fc
    .tuple(id, ending, fc.boolean(), maybeEpoch)
    .map(([i, end, ran, under]) =>
      step(`close ${i} ${end} under ${under}`, (store) =>
        store.close(createClosing(i, { ending: end, ran, epoch: under })),
      ),
    ),
  fc.tuple(id, id, fc.option(fc.nat(40), { nil: undefined })).map(([i, a, expiresAt]) =>
    step(`ask ${a} about ${i}`, (store, at) => {
      const approval = createApprovalRecord(a, i, { askedAt: at, expiresAt });
      return store.close(createClosing(i, { ending: "pending", approval }));
    }),
  ),
  fc
    .tuple(id, decision)
    .map(([a, said]) =>
      step(`answer ${a}`, (store, at) => store.approvals.answer(a, { decision: said, at })),
    ),
  id.map((a) => step(`take ${a}`, (store, at) => store.approvals.take(a, at))),
  id.map((a) => step(`annul ${a}`, (store, at) => store.approvals.annul(a, "why", at))),
  fc
    .tuple(id, id, maybeEpoch)
    .map(([i, k, under]) =>
      step(`reserve ${k} for ${i} under ${under}`, (store) =>
        store.reserve(createKeyClaim(k, i, { epoch: under })),
      ),
    ),
  id.map((runId) =>
    step(`begin ${runId}`, (store, at) =>
      store.runs.begin({ runId, agent: "a", principal: undefined, messages: [said], at }),
    ),
  ),
  fc
    .tuple(id, epoch)
    .map(([runId, under]) =>
      step(`add ${runId} under ${under}`, (store, at) =>
        store.runs.add({ runId, epoch: under, messages: [said], turns: 1, usage, agent: "b", at }),
      ),
    ),
  fc
    .tuple(id, status, epoch)
    .map(([runId, end, under]) =>
      step(`end ${runId} ${end} under ${under}`, (store, at) =>
        store.runs.end({ runId, epoch: under, status: end, at }),
      ),
    ),
  id.map((runId) => step(`claim ${runId}`, (store, at) => store.runs.claim(runId, at))),
  id.map((runId) => step(`give up ${runId}`, (store, at) => store.runs.cancel(runId, "ada", at))),
);

/** The observable state of a store. */
const look = async (store: FullLedgerStore): Promise<unknown> => {
  const { principal, tool, definition } = createApprovalRecord("1", "1");
  const call = { principal, tool, definition, runId: "run-1", at: 0 };
  const parts = [
    store.entries(),
    store.approvals.list(),
    Effect.map(store.approvals.standing(call), (found) => found?.id),
    Effect.all(["1", "2", "3"].map((runId) => store.runs.find(runId))),
    store.runs.list(),
  ];
  return JSON.parse(JSON.stringify(await Promise.all(parts.map((part) => Effect.runPromise(part as never)))));
};

const answerOf = (effect: Effect.Effect<unknown, unknown>): Promise<unknown> =>
  Effect.runPromise(
    Effect.match(effect, { onSuccess: (value) => value, onFailure: (error) => (error as Error).message }),
  );

const holdsFor = async (history: readonly Step[]): Promise<void> => {
  const memory = memoryLedger({ redactor: testMasking });
  const disk = await openDurableLedger("sqlite::memory:", { redactor: testMasking });
  try {
    for (const [at, { name, act }] of history.entries()) {
      const [one, other] = [await answerOf(act(memory, at)), await answerOf(act(disk, at))];
      expect(other, name).toEqual(one);
    }
    expect(await look(disk)).toEqual(await look(memory));
    expect(await Effect.runPromise(disk.verify())).toMatchObject({ ok: true });
  } finally {
    await disk.end();
  }
};

it("gives the same answers in memory and on disk for a random history, with a valid chain", async () => {
  const numRuns = process.env.HAFT_SOAK === undefined ? 60 : 600;
  await fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: 60, size: "max" }), holdsFor), {
    numRuns,
    seed: 20_260,
  });
});

it("refuses to claim a run that is done in memory and on disk", async () => {
  const begin = step("begin", (store, at) =>
    store.runs.begin({ runId: "1", agent: "a", principal: undefined, messages: [said], at }),
  );
  const end = step("end", (store, at) => store.runs.end({ runId: "1", epoch: 1, status: "done", at }));
  const take = step("claim", (store, at) =>
    Effect.map(store.runs.claim("1", at), (taken) => taken === undefined),
  );
  await holdsFor([begin, end, take]);
});
