import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { LedgerError } from "../../src/types/errors.ts";
import type { EntryClosing, EntryOpening, LedgerQuery } from "../../src/types/ledger.ts";
import { approvalsContract } from "./ledger/approvals-contract.ts";
import { effectKeysContract } from "./ledger/effect-keys-contract.ts";
import { keysContract } from "./ledger/keys-contract.ts";
import {
  type CreateLedgerStore,
  createClosing,
  createOpening,
  ledgerSecret,
} from "./ledger/ledger-fixtures.ts";
import { runsContract } from "./ledger/runs-contract.ts";

export { createClosing, createOpening, ledgerSecret } from "./ledger/ledger-fixtures.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Contract of every ledger store. `make` creates an empty store that masks `ledgerSecret`. */
export const ledgerContract = (name: string, make: CreateLedgerStore): void => {
  const writing = async () => {
    const store = await make();
    const run = <A>(effect: Effect.Effect<A, LedgerError>): Promise<A> => Effect.runPromise(effect);
    return {
      open: (entryId: string, more?: Partial<EntryOpening>) => run(store.open(createOpening(entryId, more))),
      close: (entryId: string, more?: Partial<EntryClosing>) =>
        run(store.close(createClosing(entryId, more))),
      rows: (query?: LedgerQuery) => run(store.entries(query)),
      refusal: (write: "open" | "close", entryId: string): Promise<LedgerError> =>
        Effect.runPromise(
          Effect.flip(
            Effect.suspend(() =>
              write === "open" ? store.open(createOpening(entryId)) : store.close(createClosing(entryId)),
            ),
          ),
        ),
    };
  };

  describe(`${name} ledger contract`, () => {
    it("an empty store has no rows", async () => {
      expect(await (await writing()).rows()).toEqual([]);
    });

    it("a row exists once it is opened, with the ending open", async () => {
      const { open, rows } = await writing();
      await open("1", { session: "s", correlationId: "c" });
      expect(await rows()).toMatchObject([
        {
          entryId: "1",
          callId: "call-1",
          runId: "run-1",
          tool: "work",
          agent: "tester",
          session: "s",
          correlationId: "c",
          at: 1_000,
          ending: "open",
          input: '{"city":"Oslo"}',
          inputHash: sha256('{"city":"Oslo"}'),
        },
      ]);
    });

    it("a closed row has its ending, result and decision", async () => {
      const { open, close, rows } = await writing();
      await open("1");
      await close("1", { tool: "ns/work", notes: ["lenient input: /a is missing"], original: '"long"' });
      expect(await rows()).toMatchObject([
        {
          entryId: "1",
          tool: "ns/work",
          ending: "executed",
          decision: "rule-1: allowed",
          flow: "continue",
          result: '{"celsius":21}',
          original: '"long"',
          notes: ["lenient input: /a is missing"],
          durationMs: 2.5,
        },
      ]);
    });

    it("a failed row has its code and message and keeps the requested name", async () => {
      const { open, close, rows } = await writing();
      await open("1", { tool: "wrok" });
      const nothing = { tool: undefined, decision: undefined, flow: undefined, result: undefined };
      await close("1", { ...nothing, ending: "failed", code: "unknown_tool", message: "No such tool." });
      expect(await rows()).toMatchObject([
        { tool: "wrok", ending: "failed", code: "unknown_tool", message: "No such tool." },
      ]);
    });

    it("rows are returned in the order in which they were opened", async () => {
      const { open, close, rows } = await writing();
      for (const id of ["1", "2", "3", "4"]) await open(id);
      for (const id of ["3", "1", "4"]) await close(id);
      expect((await rows()).map((row) => [row.entryId, row.ending])).toEqual([
        ["1", "executed"],
        ["2", "open"],
        ["3", "executed"],
        ["4", "executed"],
      ]);
    });

    it("a pending row can be closed exactly once more", async () => {
      const { open, close, rows, refusal } = await writing();
      await open("1");
      await close("1", { ending: "pending", result: undefined, flow: undefined });
      expect(await rows({ ending: "pending" })).toHaveLength(1);
      await close("1");
      expect(await rows()).toMatchObject([{ ending: "executed", result: '{"celsius":21}' }]);
      expect(await refusal("close", "1")).toMatchObject({ _tag: "LedgerError", code: "ledger_unavailable" });
    });

    it("opening an open row, and closing a closed or missing row, fails", async () => {
      const { open, close, rows, refusal } = await writing();
      await open("1");
      expect(await refusal("open", "1")).toBeInstanceOf(LedgerError);
      await close("1");
      expect(await refusal("close", "1")).toBeInstanceOf(LedgerError);
      expect(await refusal("close", "2")).toMatchObject({ code: "ledger_unavailable" });
      expect(await rows()).toHaveLength(1);
    });

    it("a known secret is masked everywhere, and hashes cover the exact text", async () => {
      const { open, close, rows } = await writing();
      const input = JSON.stringify({ note: `use ${ledgerSecret}`, list: [ledgerSecret] });
      await open("1", { input });
      await close("1", {
        result: JSON.stringify([ledgerSecret]),
        original: JSON.stringify(ledgerSecret),
        message: `it failed with ${ledgerSecret}`,
      });
      const [row] = await rows();
      expect(JSON.stringify(row)).not.toContain(ledgerSecret);
      expect(row).toMatchObject({
        input: '{"note":"use [redacted]","list":["[redacted]"]}',
        inputHash: sha256(input),
        result: '["[redacted]"]',
        message: "it failed with [redacted]",
      });
    });

    it("values under secret keys are masked, in JSON and in invalid JSON", async () => {
      const { open, rows } = await writing();
      await open("1", { input: '{"user":"ada","password":"hunter2-secret"}' });
      await open("2", { input: '{"user":"ada","password":"hunter2-secret"' });
      const [whole, broken] = await rows();
      expect(whole?.input).toBe('{"user":"ada","password":"[redacted]"}');
      expect(broken?.input).toContain('"user":"ada"');
      expect(broken?.input).not.toContain("hunter2-secret");
    });

    it("a long text may be truncated, but its hash covers the whole text", async () => {
      const { open, close, rows } = await writing();
      const input = JSON.stringify({ text: "x".repeat(100_000) });
      await open("1", { input });
      await close("1", { result: input, original: input });
      const [row] = await rows();
      expect(row?.inputHash).toBe(sha256(input));
      const beginning = input.slice(0, 1_000);
      for (const text of [row?.input, row?.result, row?.original]) {
        expect(text?.startsWith(beginning)).toBe(true);
        expect(text?.length).toBeLessThanOrEqual(input.length);
      }
    });

    it("a query returns the rows that match all filters, and a limit returns the newest of them", async () => {
      const { open, close, rows } = await writing();
      await open("1", { runId: "run-1", tool: "read" });
      await open("2", { runId: "run-1", tool: "write" });
      await open("3", { runId: "run-2", tool: "read" });
      await open("4", { runId: "run-2", tool: "short" });
      await close("1", { tool: "read" });
      await close("2", { tool: "write", ending: "failed", code: "failed" });
      await close("4", { tool: "ns/short" });
      const ids = async (query: LedgerQuery) => (await rows(query)).map((row) => row.entryId);
      expect(await ids({ callId: "call-2" })).toEqual(["2"]);
      expect(await ids({ runId: "run-1" })).toEqual(["1", "2"]);
      expect(await ids({ tool: "read" })).toEqual(["1", "3"]);
      expect(await ids({ tool: "ns/short" })).toEqual(["4"]);
      expect(await ids({ tool: "short" })).toEqual([]);
      expect(await ids({ ending: "open" })).toEqual(["3"]);
      expect(await ids({ ending: "failed" })).toEqual(["2"]);
      expect(await ids({ runId: "run-2", tool: "read" })).toEqual(["3"]);
      expect(await ids({ runId: "run-3" })).toEqual([]);
      expect(await ids({ limit: 2 })).toEqual(["3", "4"]);
      expect(await ids({ tool: "read", limit: 1 })).toEqual(["3"]);
      expect(await ids({ limit: 100 })).toEqual(["1", "2", "3", "4"]);
    });

    it("a query finds a tool by its full name and by its wire name", async () => {
      const { open, close, rows } = await writing();
      await open("1", { tool: "files__read" });
      await close("1", { tool: "files/read" });
      await open("2", { tool: "files__read" });
      await open("3", { tool: "files_read" });
      const ids = async (tool: string) => (await rows({ tool })).map((row) => row.entryId);
      expect(await ids("files/read")).toEqual(["1", "2"]);
      expect(await ids("files__read")).toEqual(["1", "2"]);
      expect(await ids("files_read")).toEqual(["3"]);
    });

    it("a query filters by entry, agent and time range", async () => {
      const { open, rows } = await writing();
      await open("1", { at: 1_000, agent: "one" });
      await open("2", { at: 2_000, agent: "two" });
      await open("3", { at: 3_000, agent: undefined });
      const ids = async (query: LedgerQuery) => (await rows(query)).map((row) => row.entryId);
      expect(await ids({ entryId: "2" })).toEqual(["2"]);
      expect(await ids({ agent: "one" })).toEqual(["1"]);
      expect(await ids({ since: 2_000 })).toEqual(["2", "3"]);
      expect(await ids({ until: 2_000 })).toEqual(["1", "2"]);
      expect(await ids({ since: 1_500, until: 2_500 })).toEqual(["2"]);
      expect(await ids({ limit: 0 })).toEqual([]);
    });

    it("a query pages before and after an entry in ledger order, also at equal times", async () => {
      const { open, rows } = await writing();
      for (const id of ["1", "2", "3", "4", "5"]) {
        await open(id, { at: id === "1" ? 900 : 1_000, tool: id === "3" ? "read" : "work" });
      }
      const ids = async (query: LedgerQuery) => (await rows(query)).map((row) => row.entryId);
      expect(await ids({ before: "4" })).toEqual(["1", "2", "3"]);
      expect(await ids({ before: "4", limit: 2 })).toEqual(["2", "3"]);
      expect(await ids({ before: "4", tool: "work" })).toEqual(["1", "2"]);
      expect(await ids({ before: "1" })).toEqual([]);
      expect(await ids({ after: "1" })).toEqual(["2", "3", "4", "5"]);
      expect(await ids({ after: "1", limit: 2 })).toEqual(["2", "3"]);
      expect(await ids({ after: "1", before: "4" })).toEqual(["2", "3"]);
      expect(await ids({ after: "5" })).toEqual([]);
      expect(await ids({ before: "nobody" })).toEqual([]);
      expect(await ids({ after: "nobody" })).toEqual([]);
    });

    it("a query filters by session across runs", async () => {
      const { open, close, rows } = await writing();
      await open("1", { session: "chat-1", runId: "run-1" });
      await open("2", { session: "chat-2", runId: "run-1" });
      await open("3", { runId: "run-1" });
      await open("4", { session: "chat-1", runId: "run-2", tool: "read" });
      await close("1");
      const ids = async (query: LedgerQuery) => (await rows(query)).map((row) => row.entryId);
      expect(await ids({ session: "chat-1" })).toEqual(["1", "4"]);
      expect(await ids({ session: "chat-1", runId: "run-1" })).toEqual(["1"]);
      expect(await ids({ session: "chat-1", ending: "open", tool: "read" })).toEqual(["4"]);
      expect(await ids({ session: "chat-1", limit: 1 })).toEqual(["4"]);
      expect(await ids({ session: "chat" })).toEqual([]);
      expect(await ids({ session: "" })).toEqual([]);
      await close("4");
      expect(await ids({ session: "chat-1", ending: "executed" })).toEqual(["1", "4"]);
    });

    it("a session is found by its original name even if its row escapes, masks or truncates it", async () => {
      const { open, rows } = await writing();
      const names = ["\ud800\u0000'\"\\%_\u2028😀", `of ${ledgerSecret}`, "x".repeat(5_000)];
      for (const [i, session] of names.entries()) await open(String(i), { session });
      for (const [i, session] of names.entries()) {
        expect((await rows({ session })).map((row) => row.entryId)).toEqual([String(i)]);
      }
    });

    it("all metadata of a call is returned", async () => {
      const { open, close, rows } = await writing();
      const opened = {
        user: "ada",
        tenant: "acme",
        parentId: "0",
        key: "order-7",
        session: "s",
        correlationId: "c",
      };
      const circumstances = {
        decision: "rule-1: allowed",
        ruleIds: ["rule-1", "rule-2"],
        definition: "definition-hash",
        implementation: "promise",
        layers: ["timeout", "retry"],
      };
      const provenance = {
        validated: true,
        validator: { name: "ajv", version: "8", compiledAt: "definition" },
        repaired: true,
        changes: [{ stage: "value", pointer: "/city", from: '"1"', to: "1" }],
      } as const;
      const came = {
        cost: 0.25,
        taints: ["ns/work"],
        ran: true,
        provenance,
        notes: ["variant b"],
        durationMs: 7,
      };
      await open("1", opened);
      await close("1", { ...circumstances, ...came, full: true });
      const [row] = await rows();
      expect(row).toMatchObject({ ...opened, ...circumstances, ...came });
      expect(row).not.toHaveProperty("full");
    });

    it("only an entry with an unknown outcome can be opened again", async () => {
      const { open, close, rows, refusal } = await writing();
      await open("1");
      await close("1", { ending: "unknown", result: undefined, flow: undefined });
      expect(await refusal("close", "1")).toBeInstanceOf(LedgerError);
      await open("1");
      expect(await rows()).toMatchObject([{ entryId: "1", ending: "open" }]);
      expect(await refusal("open", "1")).toBeInstanceOf(LedgerError);
      await close("1");
      expect(await rows()).toMatchObject([{ entryId: "1", ending: "executed", result: '{"celsius":21}' }]);
      expect(await refusal("open", "1")).toBeInstanceOf(LedgerError);
    });

    it("unusual names and texts are stored", async () => {
      const { open, close, rows } = await writing();
      const odd = "\ud800\u0000'\"\\%_\u2028😀";
      await open("1", { tool: odd, callId: odd, input: odd });
      await close("1", { tool: undefined, message: odd, notes: [odd] });
      const [row] = await rows({ ending: "executed" });
      expect(row?.inputHash).toBe(sha256(odd));
      expect(row?.tool).toContain("😀");
    });

    it("concurrent writes all get their row", async () => {
      const { open, close, rows } = await writing();
      const ids = Array.from({ length: 300 }, (_, i) => String(i));
      await Promise.all(ids.map((id) => open(id).then(() => close(id))));
      expect((await rows({ ending: "executed" })).map((row) => row.entryId).sort()).toEqual([...ids].sort());
    });

    it("a row that was read does not change when its entry is closed", async () => {
      const { open, close, rows } = await writing();
      await open("1");
      const [before] = await rows();
      await close("1");
      expect(before?.ending).toBe("open");
    });
  });
  approvalsContract(name, make);
  keysContract(name, make);
  effectKeysContract(name, make);
  runsContract(name, make);
};
