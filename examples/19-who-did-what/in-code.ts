// The example without the command line: a pending call, a pending run, approvals, and a durable ledger.
//#region open
import assert from "node:assert/strict";
import { Haft, ToolApprovalError } from "haft";
import { openLedger } from "haft/ledger";
import { clerk } from "./clerk.ts";
import { lookUp, refund } from "./shop.ts";

const haft = await Haft.open({
  tools: [lookUp, refund],
  principal: { agent: "clerk", user: "ada", session: "monday", allow: ["*"] },
  ledger: "sqlite:./in-code.db",
  approvals: { expireAfterMs: 60 * 60 * 1000 }, // an hour to answer; the default is a day
});
//#endregion

//#region run
const waiting = await haft.run(clerk, "Refund order 7");
assert.equal(waiting.status, "pending");
const [question] = await haft.approvals({ status: "waiting" }); // of this caller; also in waiting.pending
assert.equal(question?.tool, "refund");
assert.deepEqual(question.input, { order: 7 });
//#endregion

//#region answer
const reply = await haft.resume(question.id, { kind: "allow" }, { by: "grace" }); // runs the call, once
assert.equal(reply.ok, true);
const done = await haft.run(clerk, undefined, { resume: waiting.runId }); // continues with its result
assert.equal(done.content, "Order 7 is settled.");
//#endregion

//#region call
const key = { idempotencyKey: "refund-8" }; // your own name for the call
const error = await haft.call("refund", { order: 8 }, key).catch((thrown) => thrown);
assert.ok(error instanceof ToolApprovalError);
assert.equal(error.code, "approval_required");
const asked = error.approval?.id ?? "";
//#endregion

//#region keep
const ledger = await openLedger("sqlite:./in-code.db"); // in any process: the records of all callers
const answered = await ledger.answer(asked, { kind: "allow", always: "session" }, { by: "grace" });
assert.equal(answered, "answered");
//#endregion

//#region again
const paid = await haft.resume(asked); // with the answer in the ledger
assert.equal(paid.ok, true);
assert.deepEqual(await haft.call("refund", { order: 8 }, key), paid.value); // replayed, not paid again
//#endregion

//#region look
const [latest] = await haft.runs(); // of this caller, newest first
assert.equal(latest?.runId, waiting.runId);
const entries = await ledger.entries({ tool: "refund" });
assert.ok(entries.every(({ user, ending }) => user === "ada" && ending === "executed"));
const { ok, head } = await ledger.verify(); // store head.hash elsewhere, and pass it to expect next time
assert.ok(ok);
assert.ok((await ledger.verify({ expect: head.hash })).ok);
await ledger.prune(new Date(Date.now() - 90 * 24 * 60 * 60 * 1000));
await ledger.end();
//#endregion
await haft.close();
