import { describe, expect, it } from "vitest";
import { LedgerError } from "../../../src/words/errors.ts";
import type { Message } from "../../../src/words/message.ts";
import type { RunStart, RunStep } from "../../../src/words/run-book.ts";
import { closing, ledgerSecret, type MakeStore, opening, refusal, run } from "./rows.ts";

const hello: Message = { role: "user", content: `hello, ${ledgerSecret}` };
const asks: Message = {
  role: "assistant",
  content: "",
  calls: [{ id: "c1", tool: "work", input: "{}" }],
};
const pending: Message = {
  role: "tool",
  callId: "c1",
  tool: "work",
  content: "waits",
  ok: false,
  pending: "a",
};
const answered: Message = { role: "tool", callId: "c1", tool: "work", content: "21", ok: true };

const start = (runId: string, more: Partial<RunStart> = {}): RunStart => ({
  runId,
  agent: "greeter",
  principal: { agent: "greeter", session: "s", allow: ["*"] },
  messages: [hello],
  at: 1_000,
  ...more,
});

const step = (runId: string, more: Partial<RunStep> = {}): RunStep => ({
  runId,
  messages: [asks, pending],
  turns: 1,
  usage: { inputTokens: 5, outputTokens: 7 },
  agent: "greeter",
  at: 2_000,
  ...more,
});

/** Runs, step by step. */
export const runsContract = (name: string, make: MakeStore): void => {
  describe(`${name} keeps runs`, () => {
    it("a run is there from its beginning, and grows by its steps", async () => {
      const { runs } = await make();
      await run(runs.begin(start("r")));
      expect(await run(runs.find("r"))).toMatchObject({
        runId: "r",
        status: "running",
        turns: 0,
        given: 1,
        messages: [hello],
        principal: { agent: "greeter", session: "s", allow: ["*"] },
        startedAt: 1_000,
      });
      await run(runs.add(step("r", { agent: "closer" })));
      expect(await run(runs.find("r"))).toMatchObject({
        agent: "closer",
        turns: 1,
        usage: { inputTokens: 5, outputTokens: 7 },
        given: 1,
        messages: [hello, asks, pending],
        updatedAt: 2_000,
      });
      expect(await run(runs.find("other"))).toBeUndefined();
    });

    it("an answer takes the place of the message that was pending", async () => {
      const { runs } = await make();
      await run(runs.begin(start("r")));
      await run(runs.add(step("r")));
      await run(runs.amend("r", [answered], 3_000));
      expect((await run(runs.find("r")))?.messages).toEqual([hello, asks, answered]);
      const strange = { ...answered, callId: "c9" };
      const changed = { ...answered, content: "22" };
      expect(await refusal(runs.amend("r", [changed, strange], 4_000))).toBeInstanceOf(LedgerError);
      expect((await run(runs.find("r")))?.messages).toEqual([hello, asks, answered]);
    });

    it("texts are kept while somebody may go on with a run, and go when it is over", async () => {
      const store = await make();
      const { runs } = store;
      const input = JSON.stringify({ note: ledgerSecret });
      await run(runs.begin(start("r")));
      await run(store.open(opening("1", { runId: "r", input })));
      await run(store.close(closing("1", { result: input })));
      await run(runs.end({ runId: "r", status: "pending", at: 3_000 }));
      expect(await run(runs.find("r"))).toMatchObject({ status: "pending", messages: [hello] });
      expect(await run(store.recall("1"))).toMatchObject({ input, result: input });
      await run(runs.claim("r", 3_500));
      await run(runs.end({ runId: "r", status: "failed", reason: "no luck", at: 4_000 }));
      expect(await run(runs.find("r"))).toMatchObject({ status: "failed", messages: [hello] });
      await run(runs.claim("r", 4_500));
      await run(runs.end({ runId: "r", status: "stopped", reason: "enough", at: 5_000 }));
      expect(await run(runs.find("r"))).toMatchObject({
        status: "stopped",
        reason: "enough",
        messages: [],
        given: 1,
        updatedAt: 5_000,
      });
    });

    it("a run is claimed by one, and only while nobody holds it", async () => {
      const { runs } = await make();
      await run(runs.begin(start("r")));
      expect(await run(runs.claim("r", 2_000))).toBe(false);
      await run(runs.end({ runId: "r", status: "pending", at: 3_000 }));
      const claims = await Promise.all([1, 2, 3, 4].map(() => run(runs.claim("r", 4_000))));
      expect(claims.filter((isMine) => isMine)).toHaveLength(1);
      expect(await run(runs.find("r"))).toMatchObject({ status: "running", updatedAt: 4_000 });
      expect(await run(runs.claim("other", 4_000))).toBe(false);
    });

    it("a run says whether somebody goes on with it", async () => {
      const { runs } = await make();
      const held = async () => [(await run(runs.find("r")))?.isHeld, (await run(runs.list()))[0]?.isHeld];
      await run(runs.begin(start("r")));
      expect(await held()).toEqual([true, true]);
      await run(runs.end({ runId: "r", status: "pending", at: 3_000 }));
      expect(await held()).toEqual([false, false]);
      await run(runs.claim("r", 4_000));
      expect(await held()).toEqual([true, true]);
    });

    it("what never began cannot go on, and nothing begins twice", async () => {
      const { runs } = await make();
      expect(await refusal(runs.add(step("r")))).toBeInstanceOf(LedgerError);
      expect(await refusal(runs.end({ runId: "r", status: "done", at: 1 }))).toBeInstanceOf(LedgerError);
      await run(runs.begin(start("r")));
      expect(await refusal(runs.begin(start("r")))).toBeInstanceOf(LedgerError);
    });

    it("a list has the newest first, without their messages", async () => {
      const { runs } = await make();
      for (const id of ["1", "2", "3"]) await run(runs.begin(start(id)));
      await run(runs.end({ runId: "2", status: "done", at: 2_000 }));
      const ids = async (query?: Parameters<typeof runs.list>[0]) =>
        (await run(runs.list(query))).map(({ runId }) => runId);
      expect(await ids()).toEqual(["3", "2", "1"]);
      expect(await ids({ status: "running" })).toEqual(["3", "1"]);
      expect(await ids({ limit: 2 })).toEqual(["3", "2"]);
      expect((await run(runs.list()))[0]).not.toHaveProperty("messages");
    });
  });
};
