import type * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import type { LedgerError } from "../../../src/words/errors.ts";
import type { LedgerStore } from "../../../src/words/ledger.ts";
import type { Message } from "../../../src/words/message.ts";
import type { RunStart } from "../../../src/words/run-book.ts";
import {
  asked,
  claim,
  closing,
  type FullStore,
  type MakeStore,
  opening,
  refusal,
  run,
  wait,
} from "./rows.ts";

const hello: Message = { role: "user", content: "hello" };
const waiting: Message = { role: "tool", callId: "c1", tool: "work", content: "", ok: false, pending: "a" };
const answered: Message = { role: "tool", callId: "c1", tool: "work", content: "21", ok: true };
const usage = { inputTokens: 1, outputTokens: 1 };

const start = (runId: string): RunStart => ({
  runId,
  agent: "greeter",
  principal: undefined,
  messages: [hello, waiting],
  at: 1_000,
});

const runId = "r";

type Write = (
  store: FullStore & Pick<LedgerStore, "intend">,
  epoch: number,
) => Effect.Effect<unknown, LedgerError>;

/** Every write that begins something for a run, or says how the run goes on. `mine` was opened by its first holder. */
export const claimedWrites: Readonly<Record<string, Write>> = {
  opening: (store, epoch) => store.open(opening("new", { runId, epoch })),
  reserving: (store, epoch) => store.reserve(claim("k", "mine", { epoch })),
  adding: ({ runs }, epoch) =>
    runs.add({ runId, epoch, messages: [hello], turns: 1, usage, agent: "greeter", at: 5_000 }),
  amending: ({ runs }, epoch) => runs.amend({ runId, epoch, messages: [answered], at: 5_000 }),
  ending: ({ runs }, epoch) => runs.end({ runId, epoch, status: "done", at: 5_000 }),
  intending: (store, epoch) => {
    const intent = { entryId: "mine", tool: "work", decision: "rule-1", full: true, at: 5_000, epoch };
    // Memory has nothing that an intent could outlive.
    return store.intend?.(intent) ?? store.open(opening("new", { runId, epoch }));
  },
};

const writes = Object.entries(claimedWrites);

/** Who has not the newest claim on a run writes nothing for it. */
export const fencingContract = (name: string, make: MakeStore): void => {
  /** A run that was begun, left with an entry open, and claimed by somebody else. */
  const takenOver = async (): Promise<FullStore> => {
    const store = await make();
    const { runs } = store;
    await run(runs.begin(start(runId)));
    await run(store.open(opening("mine", { runId, epoch: 1 })));
    await run(runs.end({ runId, epoch: 1, status: "failed", at: 2_000 }));
    expect(await run(runs.claim(runId, 3_000))).toBe(2);
    return store;
  };

  describe(`${name} fences off older claims`, () => {
    it.each(writes)("%s under an older epoch is refused, and nothing of it is written", async (_, write) => {
      const store = await takenOver();
      const before = [await run(store.runs.find(runId)), await run(store.entries())];
      expect(await refusal(write(store, 1))).toMatchObject({ code: "claim_lost" });
      expect([await run(store.runs.find(runId)), await run(store.entries())]).toEqual(before);
    });

    it.each(writes)("%s under an epoch that nobody was given is refused", async (_, write) => {
      expect(await refusal(write(await takenOver(), 3))).toMatchObject({ code: "claim_lost" });
    });

    it.each(writes)("%s under the newest epoch is written", async (_, write) => {
      await run(write(await takenOver(), 2));
    });

    it.each(writes)("%s is refused once the run has ended, though nobody else took it", async (_, write) => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      await run(store.open(opening("mine", { runId, epoch: 1 })));
      await run(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
      expect(await refusal(write(store, 1))).toMatchObject({ code: "claim_lost" });
    });

    it.each(writes)("%s is refused for a run that was never begun", async (_, write) => {
      const store = await make();
      await run(store.open(opening("mine", { runId })));
      expect(await refusal(write(store, 1))).toMatchObject({ code: "claim_lost" });
    });

    it("what a call came to under an older epoch is refused, and the call reads unknown", async () => {
      const store = await takenOver();
      expect(await refusal(store.close(closing("mine", { epoch: 1 })))).toMatchObject({ code: "claim_lost" });
      expect(await run(store.entries())).toMatchObject([{ entryId: "mine", ending: "unknown" }]);
      expect(await refusal(store.close(closing("mine", { epoch: 1 })))).toMatchObject({ code: "claim_lost" });
    });

    it("what a call came to under an older epoch does not touch a call that the new holder makes again", async () => {
      const store = await takenOver();
      expect(await refusal(store.close(closing("mine", { epoch: 1 })))).toMatchObject({ code: "claim_lost" });
      await run(store.open(opening("mine", { runId, epoch: 2 })));
      expect(await refusal(store.close(closing("mine", { epoch: 1 })))).toMatchObject({ code: "claim_lost" });
      expect(await run(store.entries({ entryId: "mine" }))).toMatchObject([{ ending: "open" }]);
      await run(store.close(closing("mine", { epoch: 2 })));
      expect(await run(store.entries({ entryId: "mine" }))).toMatchObject([{ ending: "executed" }]);
    });

    it("what a call came to is written after its own run has ended, while nobody took the run", async () => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      await run(store.open(opening("mine", { runId, epoch: 1 })));
      await run(store.runs.end({ runId, epoch: 1, status: "cancelled", at: 2_000 }));
      await run(store.close(closing("mine", { epoch: 1 })));
      expect(await run(store.entries())).toMatchObject([{ ending: "executed" }]);
    });

    it("a call outside of runs needs no claim", async () => {
      const store = await takenOver();
      await run(store.open(opening("free", { runId: "elsewhere" })));
      await run(store.reserve(claim("k", "free")));
      await run(store.close(closing("free")));
      expect(await run(store.entries({ entryId: "free" }))).toMatchObject([{ ending: "executed" }]);
    });

    it("an entry says under which claim it was made", async () => {
      const store = await takenOver();
      await run(store.open(opening("new", { runId, epoch: 2 })));
      const found = await run(store.entries());
      expect(found.map(({ entryId, epoch }) => [entryId, epoch])).toEqual([
        ["mine", 1],
        ["new", 2],
      ]);
    });
  });

  describe(`${name} tells who lost a claim`, () => {
    const watched = async (store: FullStore) => {
      const seen = { lost: 0 };
      const stop = store.runs.watch(runId, () => {
        seen.lost += 1;
      });
      return { seen, stop };
    };

    it("once, when a write under it was refused", async () => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      await run(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
      await run(store.runs.claim(runId, 3_000));
      const { seen } = await watched(store);
      await refusal(store.open(opening("1", { runId, epoch: 1 })));
      // That was an older claim, which nobody watches.
      expect(seen.lost).toBe(0);
      for (const id of ["2", "3"]) await refusal(store.open(opening(id, { runId, epoch: 9 })));
      expect(seen.lost).toBe(1);
    });

    it("when the run is given up", async () => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      const { seen } = await watched(store);
      const { seen: unheard, stop } = await watched(store);
      stop();
      await run(store.runs.giveUp(runId, "ada", 2_000));
      expect([seen.lost, unheard.lost]).toEqual([1, 0]);
    });

    it("also who begins to watch after it was lost", async () => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      await run(store.runs.giveUp(runId, "ada", 2_000));
      expect((await watched(store)).seen.lost).toBe(1);
    });

    it("and not who ended its own run, nor who watches a run of others", async () => {
      const store = await make();
      const { seen: early } = await watched(store);
      await run(store.runs.begin(start(runId)));
      const { seen } = await watched(store);
      await run(store.runs.end({ runId, epoch: 1, status: "pending", at: 2_000 }));
      await run(store.runs.claim(runId, 3_000));
      await run(store.runs.giveUp(runId, "ada", 4_000));
      expect([early.lost, seen.lost]).toEqual([0, 0]);
    });
  });

  describe(`${name} gives runs up`, () => {
    it("and says who did, so that nobody goes on with it", async () => {
      const { runs } = await make();
      await run(runs.begin(start(runId)));
      expect(await run(runs.giveUp(runId, "ada", 2_000))).toBe("given-up");
      expect(await run(runs.find(runId))).toMatchObject({
        status: "stopped",
        reason: "It was given up by ada.",
        isHeld: false,
        messages: [],
        updatedAt: 2_000,
      });
      expect(await run(runs.claim(runId, 3_000))).toBeUndefined();
      expect(await run(runs.giveUp(runId, "ada", 4_000))).toBe("ended");
      expect(await run(runs.giveUp("other", undefined, 4_000))).toBe("unknown");
    });

    it.each(writes)("%s is refused to whoever held it", async (_, write) => {
      const store = await make();
      await run(store.runs.begin(start(runId)));
      await run(store.open(opening("mine", { runId, epoch: 1 })));
      await run(store.runs.giveUp(runId, undefined, 2_000));
      expect(await refusal(write(store, 1))).toMatchObject({ code: "claim_lost" });
      expect((await run(store.runs.find(runId)))?.reason).toBe("It was given up.");
    });

    it("with what was under way unknown, what waited over, and what persons were asked void", async () => {
      const store = await make();
      const { runs, approvals } = store;
      await run(runs.begin(start(runId)));
      await run(store.open(opening("over", { runId, epoch: 1 })));
      await run(store.close(closing("over", { epoch: 1 })));
      await run(store.open(opening("under way", { runId, epoch: 1 })));
      await wait(store, asked("a", "asked", { runId }));
      await wait(store, asked("b", "answered", { runId }));
      await run(approvals.answer("b", { decision: { kind: "allow" }, at: 1_500 }));
      await run(store.open(opening("hydrated", { runId, epoch: 1 })));
      await run(store.reserve(claim("k", "hydrated", { epoch: 1 })));
      await run(store.close(closing("hydrated", { ending: "hydrated", epoch: 1 })));
      await wait(store, asked("c", "elsewhere", { runId: "another run" }));
      await run(runs.giveUp(runId, "ada", 2_000));
      const found = await run(store.entries());
      expect(found.map(({ entryId, ending, code }) => [entryId, ending, code])).toEqual([
        ["over", "executed", undefined],
        ["under way", "unknown", undefined],
        ["asked", "failed", "not_answered"],
        ["answered", "failed", "not_answered"],
        ["hydrated", "failed", "not_answered"],
        ["elsewhere", "pending", undefined],
      ]);
      const statuses = await run(approvals.list());
      expect(statuses.map(({ id, status }) => [id, status])).toEqual([
        ["a", "void"],
        ["b", "void"],
        ["c", "waiting"],
      ]);
      expect(await run(approvals.take("b", 3_000))).toEqual({ kind: "void" });
      // A key whose call never ran is free again.
      await run(store.open(opening("again")));
      expect(await run(store.reserve(claim("k", "again")))).toEqual({ kind: "fresh" });
    });
  });
};
