import { describe, expect, it } from "vitest";
import type { ApprovalDecision, ApprovalRecord, GrantQuery } from "../../../src/types/approval.ts";
import { LedgerError } from "../../../src/types/errors.ts";
import {
  type CreateLedgerStore,
  createApprovalRecord,
  createClosing,
  createOpening,
  ledgerSecret,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

const allowDecision: ApprovalDecision = { kind: "allow" };

/** Approval requests, their answers, and their use. */
export const approvalsContract = (name: string, make: CreateLedgerStore): void => {
  const waiting = async (...records: readonly ApprovalRecord[]) => {
    const store = await make();
    for (const record of records) await openPendingEntry(store, record);
    const { approvals } = store;
    return {
      store,
      find: (id: string) => runLedgerEffect(approvals.find(id)),
      answer: (id: string, decision: ApprovalDecision = allowDecision, at = 2_000) =>
        runLedgerEffect(approvals.answer(id, { decision, at, by: "eve" })),
      take: (id: string, at = 3_000) => runLedgerEffect(approvals.take(id, at)),
      ending: async (entryId: string) => (await runLedgerEffect(store.entries({ entryId })))[0]?.ending,
    };
  };

  describe(`${name} approvals`, () => {
    it("a request is stored with its pending entry", async () => {
      const { find, store } = await waiting(createApprovalRecord("a", "1"));
      expect(await find("a")).toEqual(createApprovalRecord("a", "1"));
      expect(await find("b")).toBeUndefined();
      expect(await runLedgerEffect(store.entries({ ending: "pending" }))).toHaveLength(1);
    });

    it("a request that is stored again keeps its first version", async () => {
      const { store, find } = await waiting(createApprovalRecord("a", "1"));
      const again = createApprovalRecord("a", "1", { reason: "another reason" });
      await runLedgerEffect(store.close(createClosing("1", { ending: "pending", approval: again })));
      expect(await find("a")).toEqual(createApprovalRecord("a", "1"));
      expect(await runLedgerEffect(store.approvals.list())).toHaveLength(1);
    });

    it("only the first answer counts", async () => {
      const { find, answer } = await waiting(createApprovalRecord("a", "1"));
      expect(await answer("a")).toBe("answered");
      expect(await answer("a", { kind: "deny" })).toBe("already");
      expect(await find("a")).toMatchObject({
        status: "answered",
        decision: allowDecision,
        answeredBy: "eve",
        answeredAt: 2_000,
      });
      expect(await answer("b")).toBe("unknown");
    });

    it("an approval can be taken once", async () => {
      const { answer, take, find, ending } = await waiting(createApprovalRecord("a", "1"));
      expect(await take("a")).toEqual({ kind: "waiting" });
      await answer("a");
      expect(await take("a")).toMatchObject({
        kind: "taken",
        record: { id: "a", status: "used", decision: allowDecision },
      });
      expect(await take("a")).toEqual({ kind: "used" });
      expect(await take("b")).toEqual({ kind: "unknown" });
      expect((await find("a"))?.status).toBe("used");
      expect(await ending("1")).toBe("open");
    });

    it("concurrent answers and takes have one winner each", async () => {
      const { answer, take } = await waiting(createApprovalRecord("a", "1"));
      const many = Array.from({ length: 20 });
      const answers = await Promise.all(many.map(() => answer("a")));
      expect(answers.filter((each) => each === "answered")).toHaveLength(1);
      const takes = await Promise.all(many.map(() => take("a")));
      expect(takes.filter(({ kind }) => kind === "taken")).toHaveLength(1);
      expect(takes.filter(({ kind }) => kind === "used")).toHaveLength(19);
    });

    it("a taken entry is closed once, like any other", async () => {
      const { store, answer, take, ending } = await waiting(createApprovalRecord("a", "1"));
      await answer("a");
      await take("a");
      await runLedgerEffect(store.close(createClosing("1")));
      expect(await ending("1")).toBe("executed");
      expect(await runToLedgerError(store.close(createClosing("1")))).toBeInstanceOf(LedgerError);
    });

    it("a request that is answered or taken after its deadline stays expired", async () => {
      const late = { expiresAt: 1_500 };
      const { answer, take, find } = await waiting(
        createApprovalRecord("a", "1", late),
        createApprovalRecord("b", "2", late),
      );
      expect(await answer("a")).toBe("expired");
      expect(await answer("a", allowDecision, 1_200)).toBe("expired");
      expect(await take("a")).toEqual({ kind: "expired" });
      expect(await take("b")).toEqual({ kind: "expired" });
      expect((await find("b"))?.status).toBe("expired");
      expect(await answer("b", allowDecision, 1_200)).toBe("expired");
    });

    it("an approval that was answered in time can be taken later", async () => {
      const { answer, take } = await waiting(createApprovalRecord("a", "1", { expiresAt: 1_500 }));
      expect(await answer("a", allowDecision, 1_500)).toBe("answered");
      expect(await take("a", 9_000)).toMatchObject({ kind: "taken" });
    });

    it("an annulled approval is void", async () => {
      const { store, answer, take, find } = await waiting(
        createApprovalRecord("a", "1"),
        createApprovalRecord("b", "2"),
      );
      await answer("a");
      await runLedgerEffect(store.approvals.annul("a", "the tool changed", 2_500));
      expect(await take("a")).toEqual({ kind: "void" });
      expect((await find("a"))?.status).toBe("void");
      expect(await answer("a")).toBe("already");
      expect(await runToLedgerError(store.approvals.annul("c", "?", 1))).toBeInstanceOf(LedgerError);
    });

    it("an approval is void when its call ended without it", async () => {
      const { store, answer, take } = await waiting(createApprovalRecord("a", "1"));
      await answer("a");
      await runLedgerEffect(store.close(createClosing("1", { ending: "failed", code: "cancelled" })));
      expect(await take("a")).toEqual({ kind: "void" });
    });

    it("taking one of two approvals of a call voids the other", async () => {
      const { store, answer, take } = await waiting(createApprovalRecord("a", "1"));
      await runLedgerEffect(
        store.close(createClosing("1", { ending: "pending", approval: createApprovalRecord("b", "1") })),
      );
      for (const id of ["a", "b"]) await answer(id);
      expect(await take("b")).toMatchObject({ kind: "taken" });
      expect(await take("a")).toEqual({ kind: "void" });
    });

    it("arguments are listed redacted, and exact when the approval is taken", async () => {
      const input = { note: `use ${ledgerSecret}`, city: "Oslo" };
      const edited = { note: "edited", password: "hunter2-secret", key: ledgerSecret };
      const { store, answer, take, find } = await waiting(createApprovalRecord("a", "1", { input }));
      const shown = await find("a");
      expect(shown?.input).toEqual({ note: "use [redacted]", city: "Oslo" });
      await answer("a", { kind: "edit", input: edited });
      const all = JSON.stringify([await find("a"), await runLedgerEffect(store.approvals.list())]);
      expect(all).not.toContain(ledgerSecret);
      expect(all).not.toContain("hunter2-secret");
      expect(await take("a")).toMatchObject({ record: { input, decision: { kind: "edit", input: edited } } });
    });

    it("an immediate answer is recorded as used", async () => {
      const store = await make();
      await runLedgerEffect(store.open(createOpening("1")));
      const record = createApprovalRecord("a", "1", {
        status: "used",
        decision: { kind: "allow", always: "run" },
      });
      await runLedgerEffect(store.close(createClosing("1", { approval: record })));
      expect(await runLedgerEffect(store.approvals.find("a"))).toMatchObject({
        status: "used",
        decision: { always: "run" },
      });
      expect(await runLedgerEffect(store.approvals.take("a", 2_000))).toEqual({ kind: "used" });
    });

    it("a list returns the requests that match all filters, and a limit returns the newest of them", async () => {
      const { store, answer } = await waiting(
        createApprovalRecord("a", "1"),
        createApprovalRecord("b", "2", { runId: "run-2" }),
        createApprovalRecord("c", "3", { tool: "ns/other" }),
      );
      await answer("a");
      const ids = async (query: Parameters<typeof store.approvals.list>[0]) =>
        (await runLedgerEffect(store.approvals.list(query))).map(({ id }) => id);
      expect(await ids({})).toEqual(["a", "b", "c"]);
      expect(await ids({ status: "waiting" })).toEqual(["b", "c"]);
      expect(await ids({ runId: "run-2" })).toEqual(["b"]);
      expect(await ids({ tool: "ns/other", status: "waiting" })).toEqual(["c"]);
      expect(await ids({ limit: 2 })).toEqual(["b", "c"]);
      expect(await ids({ status: "answered", limit: 1 })).toEqual(["a"]);
      expect(await ids({ runId: "run-2", limit: 1 })).toEqual(["b"]);
      expect(await ids({ tool: "ns/work", limit: 1 })).toEqual(["b"]);
    });

    it("a refused attempt does not change the request", async () => {
      const { store, find } = await waiting(createApprovalRecord("a", "1"));
      await runLedgerEffect(store.approvals.refuse("a", { agent: "mallory" }, 2_000));
      await runLedgerEffect(store.approvals.refuse("nothing", undefined, 2_000));
      expect((await find("a"))?.status).toBe("waiting");
    });
  });

  describe(`${name} grants`, () => {
    const { tool, definition, runId, principal } = createApprovalRecord("a", "1");
    const call: GrantQuery = { tool, definition, runId, principal, at: 5_000 };
    const standing = async (always: "run" | "session" | undefined, ...calls: readonly GrantQuery[]) => {
      const { store, answer } = await waiting(createApprovalRecord("a", "1"));
      await answer("a", always === undefined ? allowDecision : { kind: "allow", always });
      const found = calls.map((each) => runLedgerEffect(store.approvals.standing(each)));
      return (await Promise.all(found)).map((record) => record?.id);
    };

    it("hold for their run, tool and definition", async () => {
      const calls = [
        call,
        { ...call, runId: "run-2" },
        { ...call, tool: "ns/other" },
        { ...call, definition: "changed" },
      ];
      expect(await standing("run", ...calls)).toEqual(["a", undefined, undefined, undefined]);
    });

    it("hold for the session of the same agent, user and tenant in any run", async () => {
      const calls = [
        { ...call, runId: "run-2" },
        { ...call, principal: { ...principal, session: "s-2" } },
        { ...call, principal: { ...principal, agent: "another" } },
        { ...call, principal: { ...principal, user: "bob" } },
        { ...call, principal: { agent: "tester", session: "s-1", user: "ada" } },
      ];
      expect(await standing("session", ...calls)).toEqual([
        "a",
        ...Array.from({ length: 4 }, () => undefined),
      ]);
    });

    it("hold for no session when the caller has none", async () => {
      const { store, answer } = await waiting(
        createApprovalRecord("a", "1", { principal: { agent: "tester" } }),
      );
      await answer("a", { kind: "allow", always: "session" });
      const others = { ...call, principal: { agent: "tester" } };
      expect(await runLedgerEffect(store.approvals.standing(others))).toBeUndefined();
    });

    it("do not exist for a single approval or after annulment", async () => {
      expect(await standing(undefined, call)).toEqual([undefined]);
      const { store, answer } = await waiting(createApprovalRecord("a", "1"));
      await answer("a", { kind: "allow", always: "session" });
      await runLedgerEffect(store.approvals.annul("a", "the tool changed", 3_000));
      expect(await runLedgerEffect(store.approvals.standing(call))).toBeUndefined();
    });
  });
};
