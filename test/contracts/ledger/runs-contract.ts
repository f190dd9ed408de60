import { describe, expect, it } from "vitest";
import { LedgerError } from "../../../src/types/errors.ts";
import type { Message } from "../../../src/types/message.ts";
import type { RunStart, RunStep } from "../../../src/types/run-store.ts";
import { fencingContract } from "./fencing-contract.ts";
import {
  type CreateLedgerStore,
  createClosing,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

const userMessage: Message = { role: "user", content: `hello, ${ledgerSecret}` };
const callMessage: Message = {
  role: "assistant",
  content: "",
  calls: [{ id: "c1", tool: "work", input: "{}" }],
};
const pendingMessage: Message = {
  role: "tool",
  callId: "c1",
  tool: "work",
  content: "waits",
  ok: false,
  pending: "a",
};
const answeredMessage: Message = { role: "tool", callId: "c1", tool: "work", content: "21", ok: true };

const createRunStart = (runId: string, more: Partial<RunStart> = {}): RunStart => ({
  runId,
  agent: "greeter",
  principal: { agent: "greeter", session: "s", allow: ["*"] },
  messages: [userMessage],
  at: 1_000,
  ...more,
});

const createRunStep = (runId: string, more: Partial<RunStep> = {}): RunStep => ({
  runId,
  epoch: 1,
  messages: [callMessage, pendingMessage],
  turns: 1,
  usage: { inputTokens: 5, outputTokens: 7 },
  agent: "greeter",
  at: 2_000,
  ...more,
});

/** Records of runs and their steps. */
export const runsContract = (name: string, make: CreateLedgerStore): void => {
  fencingContract(name, make);
  describe(`${name} runs`, () => {
    it("a run exists once it begins, and grows with its steps", async () => {
      const { runs } = await make();
      await runLedgerEffect(runs.begin(createRunStart("r")));
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
        runId: "r",
        status: "running",
        turns: 0,
        given: 1,
        messages: [userMessage],
        principal: { agent: "greeter", session: "s", allow: ["*"] },
        startedAt: 1_000,
      });
      await runLedgerEffect(runs.add(createRunStep("r", { agent: "closer" })));
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
        agent: "closer",
        turns: 1,
        usage: { inputTokens: 5, outputTokens: 7 },
        given: 1,
        messages: [userMessage, callMessage, pendingMessage],
        updatedAt: 2_000,
      });
      expect(await runLedgerEffect(runs.find("other"))).toBeUndefined();
    });

    it("an answer replaces the pending message", async () => {
      const { runs } = await make();
      const epoch = await runLedgerEffect(runs.begin(createRunStart("r")));
      await runLedgerEffect(runs.add(createRunStep("r")));
      await runLedgerEffect(runs.amend({ runId: "r", epoch, messages: [answeredMessage], at: 3_000 }));
      expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([
        userMessage,
        callMessage,
        answeredMessage,
      ]);
      const strange = { ...answeredMessage, callId: "c9" };
      const changed = { ...answeredMessage, content: "22" };
      const messages = [changed, strange];
      expect(await runToLedgerError(runs.amend({ runId: "r", epoch, messages, at: 4_000 }))).toMatchObject({
        code: "ledger_unavailable",
      });
      expect((await runLedgerEffect(runs.find("r")))?.messages).toEqual([
        userMessage,
        callMessage,
        answeredMessage,
      ]);
    });

    it("texts are kept while a run can resume, and removed when it is over", async () => {
      const store = await make();
      const { runs } = store;
      const input = JSON.stringify({ note: ledgerSecret });
      await runLedgerEffect(runs.begin(createRunStart("r")));
      await runLedgerEffect(store.open(createOpening("1", { runId: "r", input })));
      await runLedgerEffect(store.close(createClosing("1", { result: input })));
      await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "pending", at: 3_000 }));
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
        status: "pending",
        messages: [userMessage],
      });
      expect(await runLedgerEffect(store.recall("1"))).toMatchObject({ input, result: input });
      expect(await runLedgerEffect(runs.claim("r", 3_500))).toBe(2);
      await runLedgerEffect(
        runs.end({ runId: "r", epoch: 2, status: "failed", reason: "no luck", at: 4_000 }),
      );
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
        status: "failed",
        messages: [userMessage],
      });
      expect(await runLedgerEffect(runs.claim("r", 4_500))).toBe(3);
      await runLedgerEffect(
        runs.end({ runId: "r", epoch: 3, status: "stopped", reason: "enough", at: 5_000 }),
      );
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({
        status: "stopped",
        reason: "enough",
        messages: [],
        given: 1,
        updatedAt: 5_000,
      });
    });

    it("a run is claimed by one holder, and only while it has none", async () => {
      const { runs } = await make();
      expect(await runLedgerEffect(runs.begin(createRunStart("r")))).toBe(1);
      expect(await runLedgerEffect(runs.claim("r", 2_000))).toBeUndefined();
      await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "pending", at: 3_000 }));
      const claims = await Promise.all([1, 2, 3, 4].map(() => runLedgerEffect(runs.claim("r", 4_000))));
      expect(claims.filter((epoch) => epoch !== undefined)).toEqual([2]);
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ status: "running", updatedAt: 4_000 });
      expect(await runLedgerEffect(runs.claim("other", 4_000))).toBeUndefined();
    });

    it.each([
      ["done", undefined],
      ["stopped", undefined],
      ["cancelled", undefined],
      ["pending", 2],
      ["failed", 2],
    ] as const)("a run that ended %s is claimed with %s", async (status, epoch) => {
      const { runs } = await make();
      await runLedgerEffect(runs.begin(createRunStart("r")));
      await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status, at: 3_000 }));
      expect(await runLedgerEffect(runs.claim("r", 4_000))).toBe(epoch);
      expect((await runLedgerEffect(runs.find("r")))?.status).toBe(epoch === undefined ? status : "running");
    });

    it("a queued run has no holder until one of several claims it", async () => {
      const { runs } = await make();
      const queued = { definition: "d".repeat(64), notBefore: 9_000 };
      expect(await runLedgerEffect(runs.begin(createRunStart("job-1", { queued })))).toBe(1);
      expect(await runLedgerEffect(runs.find("job-1"))).toMatchObject({
        status: "running",
        isHeld: false,
        firstAgent: "greeter",
        queued,
        messages: [userMessage],
      });
      expect(await runToLedgerError(runs.add(createRunStep("job-1")))).toMatchObject({ code: "claim_lost" });
      const claims = await Promise.all([1, 2, 3, 4].map(() => runLedgerEffect(runs.claim("job-1", 4_000))));
      expect(claims.filter((epoch) => epoch !== undefined)).toEqual([2]);
      await runLedgerEffect(runs.add(createRunStep("job-1", { epoch: 2, agent: "closer" })));
      expect(await runLedgerEffect(runs.find("job-1"))).toMatchObject({
        agent: "closer",
        firstAgent: "greeter",
        queued,
      });
    });

    it("the conversation of a submitted job is kept after it ended, unlike that of another run", async () => {
      const { runs } = await make();
      for (const runId of ["job-1", "r"]) {
        await runLedgerEffect(runs.begin(createRunStart(runId)));
        await runLedgerEffect(runs.add(createRunStep(runId)));
        await runLedgerEffect(runs.end({ runId, epoch: 1, status: "done", at: 3_000 }));
      }
      expect(await runLedgerEffect(runs.find("job-1"))).toMatchObject({
        status: "done",
        messages: [userMessage, callMessage, pendingMessage],
      });
      expect(await runLedgerEffect(runs.find("r"))).toMatchObject({ status: "done", messages: [] });
    });

    it("a run reports whether it is held", async () => {
      const { runs } = await make();
      const held = async () => [
        (await runLedgerEffect(runs.find("r")))?.isHeld,
        (await runLedgerEffect(runs.list()))[0]?.isHeld,
      ];
      await runLedgerEffect(runs.begin(createRunStart("r")));
      expect(await held()).toEqual([true, true]);
      await runLedgerEffect(runs.end({ runId: "r", epoch: 1, status: "pending", at: 3_000 }));
      expect(await held()).toEqual([false, false]);
      await runLedgerEffect(runs.claim("r", 4_000));
      expect(await held()).toEqual([true, true]);
    });

    it("a run cannot continue before it begins, or begin twice", async () => {
      const { runs } = await make();
      expect(await runToLedgerError(runs.add(createRunStep("r")))).toBeInstanceOf(LedgerError);
      expect(
        await runToLedgerError(runs.end({ runId: "r", epoch: 1, status: "done", at: 1 })),
      ).toBeInstanceOf(LedgerError);
      await runLedgerEffect(runs.begin(createRunStart("r")));
      expect(await runToLedgerError(runs.begin(createRunStart("r")))).toBeInstanceOf(LedgerError);
    });

    it("a hydrated call can be opened again only once", async () => {
      const store = await make();
      await runLedgerEffect(store.open(createOpening("1")));
      await runLedgerEffect(store.close(createClosing("1", { ending: "hydrated" })));
      await runLedgerEffect(store.open(createOpening("1")));
      expect(await runToLedgerError(store.open(createOpening("1")))).toMatchObject({
        code: "ledger_unavailable",
      });
      await runLedgerEffect(store.close(createClosing("1")));
      expect(await runLedgerEffect(store.entries())).toMatchObject([{ entryId: "1", ending: "executed" }]);
    });

    it("a list has the newest runs first, without their messages", async () => {
      const { runs } = await make();
      for (const id of ["1", "2", "3"]) await runLedgerEffect(runs.begin(createRunStart(id)));
      await runLedgerEffect(runs.end({ runId: "2", epoch: 1, status: "done", at: 2_000 }));
      const ids = async (query?: Parameters<typeof runs.list>[0]) =>
        (await runLedgerEffect(runs.list(query))).map(({ runId }) => runId);
      expect(await ids()).toEqual(["3", "2", "1"]);
      expect(await ids({ status: "running" })).toEqual(["3", "1"]);
      expect(await ids({ limit: 2 })).toEqual(["3", "2"]);
      expect(await ids({ before: "3", limit: 1 })).toEqual(["2"]);
      expect(await ids({ before: "1" })).toEqual([]);
      expect(await ids({ before: "nobody" })).toEqual([]);
      expect(await ids({ agent: "nobody" })).toEqual([]);
      expect((await runLedgerEffect(runs.list()))[0]).not.toHaveProperty("messages");
    });
  });
};
