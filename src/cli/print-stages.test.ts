import { expect, it } from "vitest";
import type { ApprovalRecord } from "../types/approval.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { stageRows } from "./print-stages.ts";

const at = 1_000_000;
const entry = {
  entryId: "e",
  tool: "pay",
  input: "{}",
  at,
  ending: "executed",
  durationMs: 180_012,
  attempts: [{ number: 1, startedAt: at + 180_000, inputHash: "", ending: "ended", ran: true }],
} as unknown as LedgerEntry;
const approval = {
  id: "a",
  reason: "it pays",
  askedAt: at,
  answeredAt: at + 180_000,
  status: "used",
  decision: { kind: "allow" },
} as unknown as ApprovalRecord;

const runOf = (rows: ReturnType<typeof stageRows>): string | undefined =>
  rows.find(([stage]) => stage?.includes("run"))?.[1];

it("prints the run time of an approved call apart from its wait", () => {
  expect(runOf(stageRows(entry, [approval], at + 180_012))).toBe("12.0 ms, after waiting 3 min for approval");
});

it("prints the duration of a call without an approval", () => {
  expect(runOf(stageRows({ ...entry, durationMs: 12 }, [], at + 12))).toBe("12.0 ms");
});

it("a replayed call says that its code did not run", () => {
  const replayed = { ...entry, ran: false, attempts: [], notes: ["replayed from entry-1"] };
  expect(runOf(stageRows(replayed, [], at + 12))).toBe("did not run: the result was replayed");
  expect(runOf(stageRows({ ...replayed, notes: [] }, [], at + 12))).toBe("did not run");
});

it("prints that a call of a dead process may have run, even with an approval", () => {
  expect(runOf(stageRows({ ...entry, ending: "unknown" }, [approval], undefined))).toContain("may have run");
});

it("prints the ledger in the commands that settle an unknown call", () => {
  const rows = stageRows({ ...entry, ending: "unknown" }, [], undefined, " --ledger sqlite:./x.db").flat();
  expect(rows.join("\n")).toContain("haft settle e --ledger sqlite:./x.db --took-effect");
});
