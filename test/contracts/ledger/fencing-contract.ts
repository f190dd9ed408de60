import type * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import type { LedgerError } from "../../../src/types/errors.ts";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { Message } from "../../../src/types/message.ts";
import type { RunStart } from "../../../src/types/run-store.ts";
import {
  type CreateLedgerStore,
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  type FullLedgerStore,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

const userMessage: Message = { role: "user", content: "hello" };
const pendingMessage: Message = {
  role: "tool",
  callId: "c1",
  tool: "work",
  content: "",
  ok: false,
  pending: "a",
};
const answeredMessage: Message = { role: "tool", callId: "c1", tool: "work", content: "21", ok: true };
const usage = { inputTokens: 1, outputTokens: 1 };

const createRunStart = (runId: string): RunStart => ({
  runId,
  agent: "greeter",
  principal: undefined,
  messages: [userMessage, pendingMessage],
  at: 1_000,
});

const runId = "r";

type LedgerWrite = (
  store: FullLedgerStore & Pick<LedgerStore, "intend">,
  epoch: number,
) => Effect.Effect<unknown, LedgerError>;

/**
 * Every write that starts work for a run or changes its state. `mine` was opened by the first holder of the
 * run.
 */
export const leasedWrites: Readonly<Record<string, LedgerWrite>> = {
  opening: (store, epoch) => store.open(createOpening("new", { runId, epoch })),
  reserving: (store, epoch) => store.reserve(createKeyClaim("k", "mine", { epoch })),
  adding: ({ runs }, epoch) =>
    runs.add({ runId, epoch, messages: [userMessage], turns: 1, usage, agent: "greeter", at: 5_000 }),
  amending: ({ runs }, epoch) => runs.amend({ runId, epoch, messages: [answeredMessage], at: 5_000 }),
  ending: ({ runs }, epoch) => runs.end({ runId, epoch, status: "done", at: 5_000 }),
  intending: (store, epoch) => {
    const intent = { entryId: "mine", tool: "work", decision: "rule-1", full: true, at: 5_000, epoch };
    // The memory store has no intents.
    return store.intend?.(intent) ?? store.open(createOpening("new", { runId, epoch }));
  },
};

const allWrites = Object.entries(leasedWrites);

/** Only the newest claim on a run may write for it. */
export const fencingContract = (name: string, make: CreateLedgerStore): void => {
  /** A run whose first holder left an entry open, and which another holder claimed. */
  const takenOver = async (): Promise<FullLedgerStore> => {
    const store = await make();
    const { runs } = store;
    await runLedgerEffect(runs.begin(createRunStart(runId)));
    await runLedgerEffect(store.open(createOpening("mine", { runId, epoch: 1 })));
    await runLedgerEffect(runs.end({ runId, epoch: 1, status: "failed", at: 2_000 }));
    expect(await runLedgerEffect(runs.claim(runId, 3_000))).toBe(2);
    return store;
  };

  describe(`${name} fences off older claims`, () => {
    it.each(allWrites)("%s under an older epoch is refused and writes nothing", async (_, write) => {
      const store = await takenOver();
      const before = [await runLedgerEffect(store.runs.find(runId)), await runLedgerEffect(store.entries())];
      expect(await runToLedgerError(write(store, 1))).toMatchObject({ code: "claim_lost" });
      expect([await runLedgerEffect(store.runs.find(runId)), await runLedgerEffect(store.entries())]).toEqual(
        before,
      );
    });

    it.each(allWrites)("%s under an unassigned epoch is refused", async (_, write) => {
      expect(await runToLedgerError(write(await takenOver(), 3))).toMatchObject({ code: "claim_lost" });
    });

    it.each(allWrites)("%s under the newest epoch is accepted", async (_, write) => {
      await runLedgerEffect(write(await takenOver(), 2));
    });

    it.each(allWrites)(
      "%s is refused once the run has ended, even if no other holder claimed it",
      async (_, write) => {
        const store = await make();
        await runLedgerEffect(store.runs.begin(createRunStart(runId)));
        await runLedgerEffect(store.open(createOpening("mine", { runId, epoch: 1 })));
        await runLedgerEffect(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
        expect(await runToLedgerError(write(store, 1))).toMatchObject({ code: "claim_lost" });
      },
    );

    it.each(allWrites)("%s is refused for a run that never began", async (_, write) => {
      const store = await make();
      await runLedgerEffect(store.open(createOpening("mine", { runId })));
      expect(await runToLedgerError(write(store, 1))).toMatchObject({ code: "claim_lost" });
    });

    it("closing a call under an older epoch is refused, and the call becomes unknown", async () => {
      const store = await takenOver();
      expect(await runToLedgerError(store.close(createClosing("mine", { epoch: 1 })))).toMatchObject({
        code: "claim_lost",
      });
      expect(await runLedgerEffect(store.entries())).toMatchObject([{ entryId: "mine", ending: "unknown" }]);
      expect(await runToLedgerError(store.close(createClosing("mine", { epoch: 1 })))).toMatchObject({
        code: "claim_lost",
      });
    });

    it("closing a call under an older epoch does not affect the same call under the newest epoch", async () => {
      const store = await takenOver();
      expect(await runToLedgerError(store.close(createClosing("mine", { epoch: 1 })))).toMatchObject({
        code: "claim_lost",
      });
      await runLedgerEffect(store.open(createOpening("mine", { runId, epoch: 2 })));
      expect(await runToLedgerError(store.close(createClosing("mine", { epoch: 1 })))).toMatchObject({
        code: "claim_lost",
      });
      expect(await runLedgerEffect(store.entries({ entryId: "mine" }))).toMatchObject([{ ending: "open" }]);
      await runLedgerEffect(store.close(createClosing("mine", { epoch: 2 })));
      expect(await runLedgerEffect(store.entries({ entryId: "mine" }))).toMatchObject([
        { ending: "executed" },
      ]);
    });

    it("closing a call after its run ended is accepted while no other holder claimed the run", async () => {
      const store = await make();
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      await runLedgerEffect(store.open(createOpening("mine", { runId, epoch: 1 })));
      await runLedgerEffect(store.runs.end({ runId, epoch: 1, status: "cancelled", at: 2_000 }));
      await runLedgerEffect(store.close(createClosing("mine", { epoch: 1 })));
      expect(await runLedgerEffect(store.entries())).toMatchObject([{ ending: "executed" }]);
    });

    it("a call outside of runs needs no claim", async () => {
      const store = await takenOver();
      await runLedgerEffect(store.open(createOpening("free", { runId: "elsewhere" })));
      await runLedgerEffect(store.reserve(createKeyClaim("k", "free")));
      await runLedgerEffect(store.close(createClosing("free")));
      expect(await runLedgerEffect(store.entries({ entryId: "free" }))).toMatchObject([
        { ending: "executed" },
      ]);
    });

    it("an entry records the epoch of its claim", async () => {
      const store = await takenOver();
      await runLedgerEffect(store.open(createOpening("new", { runId, epoch: 2 })));
      const found = await runLedgerEffect(store.entries());
      expect(found.map(({ entryId, epoch }) => [entryId, epoch])).toEqual([
        ["mine", 1],
        ["new", 2],
      ]);
    });
  });

  describe(`${name} notifies watchers of a lost claim`, () => {
    const watched = async (store: FullLedgerStore) => {
      const seen = { lost: 0 };
      const stop = store.runs.watch(runId, () => {
        seen.lost += 1;
      });
      return { seen, stop };
    };

    it("once, when a write under the claim is refused", async () => {
      const store = await make();
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      await runLedgerEffect(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
      await runLedgerEffect(store.runs.claim(runId, 3_000));
      const { seen } = await watched(store);
      await runToLedgerError(store.open(createOpening("1", { runId, epoch: 1 })));
      // That was an older claim, which is not watched.
      expect(seen.lost).toBe(0);
      for (const id of ["2", "3"]) await runToLedgerError(store.open(createOpening(id, { runId, epoch: 9 })));
      expect(seen.lost).toBe(1);
    });

    it("when the run is cancelled", async () => {
      const store = await make();
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      const { seen } = await watched(store);
      const { seen: unheard, stop } = await watched(store);
      stop();
      await runLedgerEffect(store.runs.cancel(runId, "ada", 2_000));
      expect([seen.lost, unheard.lost]).toEqual([1, 0]);
    });

    it("when watching starts after the claim was lost", async () => {
      const store = await make();
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      await runLedgerEffect(store.runs.cancel(runId, "ada", 2_000));
      expect((await watched(store)).seen.lost).toBe(1);
    });

    it("but not the holder that ended its own run, or a watcher of another holder's run", async () => {
      const store = await make();
      const { seen: early } = await watched(store);
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      const { seen } = await watched(store);
      await runLedgerEffect(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
      await runLedgerEffect(store.runs.claim(runId, 3_000));
      await runLedgerEffect(store.runs.cancel(runId, "ada", 4_000));
      expect([early.lost, seen.lost]).toEqual([0, 0]);
    });
  });

  describe(`${name} cancels runs`, () => {
    it("records who cancelled the run, which then cannot be claimed", async () => {
      const { runs } = await make();
      await runLedgerEffect(runs.begin(createRunStart(runId)));
      expect(await runLedgerEffect(runs.cancel(runId, "ada", 2_000))).toBe("given-up");
      expect(await runLedgerEffect(runs.find(runId))).toMatchObject({
        status: "stopped",
        reason: "The run was cancelled by ada.",
        isHeld: false,
        messages: [],
        updatedAt: 2_000,
      });
      expect(await runLedgerEffect(runs.claim(runId, 3_000))).toBeUndefined();
      expect(await runLedgerEffect(runs.cancel(runId, "ada", 4_000))).toBe("ended");
      expect(await runLedgerEffect(runs.cancel("other", undefined, 4_000))).toBe("unknown");
    });

    it.each(allWrites)("refuses %s of the previous holder", async (_, write) => {
      const store = await make();
      await runLedgerEffect(store.runs.begin(createRunStart(runId)));
      await runLedgerEffect(store.open(createOpening("mine", { runId, epoch: 1 })));
      await runLedgerEffect(store.runs.cancel(runId, undefined, 2_000));
      expect(await runToLedgerError(write(store, 1))).toMatchObject({ code: "claim_lost" });
      expect((await runLedgerEffect(store.runs.find(runId)))?.reason).toBe("The run was cancelled.");
    });

    it("marks open calls as unknown, ends pending calls, and voids approval requests", async () => {
      const store = await make();
      const { runs, approvals } = store;
      await runLedgerEffect(runs.begin(createRunStart(runId)));
      await runLedgerEffect(store.open(createOpening("over", { runId, epoch: 1 })));
      await runLedgerEffect(store.close(createClosing("over", { epoch: 1 })));
      await runLedgerEffect(store.open(createOpening("under way", { runId, epoch: 1 })));
      await openPendingEntry(store, createApprovalRecord("a", "asked", { runId }));
      await openPendingEntry(store, createApprovalRecord("b", "answered", { runId }));
      await runLedgerEffect(approvals.answer("b", { decision: { kind: "allow" }, at: 1_500 }));
      await runLedgerEffect(store.open(createOpening("hydrated", { runId, epoch: 1 })));
      await runLedgerEffect(store.reserve(createKeyClaim("k", "hydrated", { epoch: 1 })));
      await runLedgerEffect(store.close(createClosing("hydrated", { ending: "hydrated", epoch: 1 })));
      await openPendingEntry(store, createApprovalRecord("c", "elsewhere", { runId: "another run" }));
      await runLedgerEffect(runs.cancel(runId, "ada", 2_000));
      const found = await runLedgerEffect(store.entries());
      expect(found.map(({ entryId, ending, code }) => [entryId, ending, code])).toEqual([
        ["over", "executed", undefined],
        ["under way", "unknown", undefined],
        ["asked", "failed", "not_answered"],
        ["answered", "failed", "not_answered"],
        ["hydrated", "failed", "not_answered"],
        ["elsewhere", "pending", undefined],
      ]);
      const statuses = await runLedgerEffect(approvals.list());
      expect(statuses.map(({ id, status }) => [id, status])).toEqual([
        ["a", "void"],
        ["b", "void"],
        ["c", "waiting"],
      ]);
      expect(await runLedgerEffect(approvals.take("b", 3_000))).toEqual({ kind: "void" });
      // The key of a call that never ran is free again.
      await runLedgerEffect(store.open(createOpening("again")));
      expect(await runLedgerEffect(store.reserve(createKeyClaim("k", "again")))).toEqual({ kind: "fresh" });
    });
  });
};
