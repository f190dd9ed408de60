import { expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "../../test/contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../../test/kit/use-sqlite-folder.ts";
import type { ApprovalDecision } from "../types/approval.ts";
import { openLedger, toLedgerAdmin } from "./ledger-admin.ts";

const { fresh, open } = useSqliteFolder();

const admin = async () => {
  const ledger = await open(fresh());
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(ledger.close(createClosing("1")));
  await openPendingEntry(ledger, createApprovalRecord("a", "2"));
  await openPendingEntry(ledger, createApprovalRecord("b", "3", { principal: { agent: "tester" } }));
  return toLedgerAdmin(ledger);
};

it("records an answer and who gave it", async () => {
  const { answer, approvals } = await admin();
  expect(await answer("a", { kind: "allow", always: "session" }, { by: "grace" })).toBe("answered");
  expect(await answer("b", { kind: "deny", reason: "no" })).toBe("answered");
  expect(await answer("c", { kind: "allow" })).toBe("unknown");
  expect(await approvals({ status: "answered" })).toMatchObject([
    { id: "a", answeredBy: "grace", decision: { kind: "allow", always: "session" } },
    { id: "b", decision: { kind: "deny", reason: "no" } },
  ]);
});

it.each([
  undefined,
  null,
  "allow",
  {},
  { kind: "yes" },
  { kind: "toString" },
  { kind: "allow", always: "forever" },
  { kind: "allow", because: "I say so" },
  { kind: "deny", reason: 7 },
  { kind: "edit" },
])("refuses an unreadable answer and leaves the request pending: %j", async (decision) => {
  const { answer, approvals } = await admin();
  const answering = answer("a", decision as ApprovalDecision);
  await expect(answering).rejects.toMatchObject({ name: "ToolApprovalError", code: "unreadable_decision" });
  expect(await approvals({ status: "waiting" })).toHaveLength(2);
});

it("refuses a session grant for a caller without a session and leaves the request pending", async () => {
  const { answer, approvals } = await admin();
  const answering = answer("b", { kind: "allow", always: "session" });
  await expect(answering).rejects.toMatchObject({ code: "unreadable_decision" });
  await expect(answering).rejects.toThrow(/has no session/);
  expect(await approvals({ status: "waiting" })).toHaveLength(2);
  expect(await answer("b", { kind: "allow", always: "run" })).toBe("answered");
});

it("refuses unknown fields and invalid values by name", async () => {
  const { entries, approvals, runs, rows, verify, answer, prune } = await admin();
  const wrong: readonly (readonly [asking: () => Promise<unknown>, words: string])[] = [
    [() => entries({ name: "x" } as never), "`name`"],
    [() => entries({ ending: "exploded" } as never), "`ending`: it is one of open, executed"],
    [() => entries({ limit: -1 }), "`limit`: it is a whole number"],
    [() => entries({ since: new Date() } as never), "`since`: it is a time"],
    [() => approvals({ state: "waiting" } as never), "`state`"],
    [() => approvals({ status: "open" } as never), "`status`: it is one of waiting"],
    [() => runs({ user: "x" } as never), "`user`"],
    [() => runs({ status: "over" } as never), "`status`: it is one of running"],
    [() => rows({ since: 1 } as never), "`since`"],
    [() => rows({ after: 1.5 }), "`after`"],
    [() => verify({ expected: "x" } as never), "`expected`"],
    [() => answer("a", { kind: "allow" }, "grace" as never), "by"],
    [
      () => answer("a", { kind: "allow" }, { by: 7 } as never),
      "must be a string: answer(id, decision, { by:",
    ],
    [() => prune(new Date("soon")), "prune requires a Date"],
    [() => openLedger("sqlite:./x.db", { readonly: true } as never), "`readonly`"],
  ];
  for (const [asking, words] of wrong) {
    const asked = asking();
    await expect(asked).rejects.toMatchObject({ code: "invalid_config" });
    await expect(asked).rejects.toThrow(words);
  }
  expect(await approvals({ status: "waiting", runId: "run-1", tool: "ns/work", limit: 5 })).toHaveLength(2);
  expect(await entries({ ending: "executed", since: 0, limit: 1 })).toHaveLength(1);
  expect(await rows({ after: 1, limit: 1 })).toHaveLength(1);
});
