import { randomBytes } from "node:crypto";
import { expect, it, vi } from "vitest";
import { fixture, haft } from "../../cli/haft.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

it("resuming a run from PostgreSQL requires HAFT_LEDGER_KEY", async () => {
  const url = await world.fresh();
  const run = async (...words: string[]) => haft([...words, "--ledger", url]);
  const ask = async () => {
    const { out, error } = await run("run", fixture("refund.ts"), "Refund order 7", "--json");
    const { runId, pending } = JSON.parse(out);
    await run("deny", pending[0].id);
    return { error, resumed: await run("resume", runId, fixture("refund.ts"), "--json") };
  };
  const keyless = await ask();
  expect(keyless.error).toContain("HAFT_LEDGER_KEY");
  expect(keyless.resumed).toMatchObject({ code: 1, error: expect.stringContaining("HAFT_LEDGER_KEY") });
  const waiting = await run("run", fixture("refund.ts"), "Refund order 7");
  expect(waiting.error).toContain("cannot be resumed");
  expect(waiting.error).not.toContain("haft resume");
  const [question] = (await run("approvals", "--json")).out.trim().split("\n");
  const answered = await run("deny", JSON.parse(question ?? "{}").id);
  expect([answered.code, answered.error.includes("haft resume")]).toEqual([0, false]);
  expect(answered.error).toContain("HAFT_LEDGER_KEY");
  // A single call needs only its arguments, which are in its row.
  const call = await run("call", "refund_order", '{"order":8}', "--tools", fixture("refund.ts"));
  expect(call.error).toContain("haft resume");
  const runId = call.error.match(/haft resume (\S+)/)?.[1] ?? "";
  await run("deny", "--all", "--run", runId);
  expect((await run("resume", runId, "--tools", fixture("refund.ts"))).error).toContain("not approved");
  vi.stubEnv("HAFT_LEDGER_KEY", randomBytes(32).toString("base64"));
  const { resumed } = await ask();
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.out)).toMatchObject({ status: "done", toolsUsed: [{ ok: false }] });
  const verified = await run("log", "--verify");
  expect([verified.code, verified.out.includes("postgres@")]).toEqual([0, false]);
  vi.unstubAllEnvs();
  const unproved = await run("log", "--verify");
  expect([unproved.code, unproved.out.startsWith("not proved: ")]).toEqual([1, true]);
});
