import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { fleet } from "../../../src/fleet/fleet.ts";
import { openWorker } from "../../../src/fleet/open-worker.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { clerk, refund } from "../../cli/fixtures/refund.ts";
import { fixture, haft } from "../../cli/haft.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const file = fixture("refund.ts");

beforeAll(() => {
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
});

const front = (ledger: string) =>
  Haft.open({ ledger, principal: { agent: "front", allow: ["*"] }, fleet: fleet() });

it("haft worker continues a submitted run and serves health checks, and haft fleet lists the run as pending", async () => {
  const ledger = await world.fresh();
  await using submitter = await front(ledger);
  const { runId } = await submitter.submit(clerk, "Refund order 7");
  const stop = new AbortController();
  const words = [
    "worker",
    file,
    "-t",
    file,
    "--ledger",
    ledger,
    "--json",
    "--health-port",
    "0",
    "--grace",
    "1",
  ];
  const lines: Record<string, unknown>[] = [];
  const working = haft(words, { signal: stop.signal, onOut: (text) => lines.push(JSON.parse(text)) });
  expect(await submitter.wait(runId)).toMatchObject({
    status: "pending",
    pending: [{ tool: "refund_order" }],
  });
  const { health } = lines[0] as { readonly health: string };
  expect((await fetch(`${health}/readyz`)).status).toBe(200);
  expect((await fetch(`${health}/healthz`)).status).toBe(200);
  expect((await fetch(`${health}/other`)).status).toBe(404);
  const table = await haft(["fleet", "--ledger", ledger]);
  expect(table.out).toContain("pending approval  1");
  expect(table.out).toContain(runId);
  expect(table.out).toContain("clerk");
  stop.abort();
  expect((await working).code).toBe(0);
  expect(lines.map(({ event }) => event)).toEqual(["working", "draining", "closed"]);
  expect(JSON.parse((await haft(["fleet", "--json", "--ledger", ledger])).out)).toMatchObject({
    workers: [],
    parkedCount: 1,
    deadCount: 0,
  });
});

it("a pending run denied from the command line is resumed by a worker", async () => {
  const ledger = await world.fresh();
  await using submitter = await front(ledger);
  const { runId } = await submitter.submit(clerk, "Refund order 7");
  const stop = new AbortController();
  const working = haft(["worker", file, "-t", file, "--ledger", ledger], { signal: stop.signal });
  const { pending } = await submitter.wait(runId);
  const denied = await haft(["deny", pending[0]!.id, "--ledger", ledger]);
  expect(denied).toMatchObject({
    code: 0,
    error: expect.stringContaining("resumed by a worker of the fleet"),
  });
  expect(await submitter.wait(runId, { untilEnded: true })).toMatchObject({
    status: "done",
    toolsUsed: [{ name: "refund_order", ok: false }],
  });
  stop.abort();
  expect((await working).code).toBe(0);
});

it("haft deny wakes a run when no worker sweeps", async () => {
  const ledger = await world.fresh();
  await using back = await Haft.open({ ledger, tools: [refund], fleet: fleet() });
  await using worker = await openWorker(back, { agents: [clerk], sweepMs: 1_000_000_000 });
  await using submitter = await front(ledger);
  const { runId } = await submitter.submit(clerk, "Refund order 7");
  const { pending } = await submitter.wait(runId);
  expect(worker.health().state).toBe("working");
  expect(await haft(["deny", pending[0]!.id, "--ledger", ledger])).toMatchObject({ code: 0 });
  expect(await submitter.wait(runId, { untilEnded: true })).toMatchObject({ status: "done" });
});

it("haft fleet lists dead letters with their reason, and wakes or drops them", async () => {
  const ledger = await world.fresh();
  await using submitter = await front(ledger);
  const weak = submitter.as({ agent: "weak", allow: ["nothing"] });
  const { runId } = await weak.submit(clerk, "Refund order 7");
  const stop = new AbortController();
  const working = haft(["worker", file, "-t", file, "--ledger", ledger, "--grace", "1"], {
    signal: stop.signal,
  });
  expect(await weak.wait(runId)).toMatchObject({ status: "failed" });
  stop.abort();
  await working;
  const look = async () => JSON.parse((await haft(["fleet", "--json", "--ledger", ledger])).out);
  expect((await look()).dead).toMatchObject([
    { runId, reason: expect.stringContaining('may not use any tool of "clerk"') },
  ]);
  expect(await haft(["fleet", "wake", runId, "--ledger", ledger])).toMatchObject({ code: 0 });
  expect(await look()).toMatchObject({ deadCount: 0, queue: { ready: 1 } });
  expect(await haft(["fleet", "drop", runId, "--ledger", ledger])).toMatchObject({ code: 0 });
  expect(await haft(["fleet", "wake", "run-1", "--ledger", ledger])).toMatchObject({ code: 2 });
});

it("haft fleet reports a missing fleet without creating one", async () => {
  const ledger = await world.fresh();
  const looked = await haft(["fleet", "--ledger", ledger]);
  expect(looked).toMatchObject({ code: 1, error: expect.stringContaining("has no fleet yet") });
  expect(await haft(["fleet", "--ledger", ledger])).toMatchObject({ code: 1 });
  expect(await haft(["fleet", "--ledger", "sqlite:./x.db"])).toMatchObject({
    code: 2,
    error: expect.stringContaining("PostgreSQL"),
  });
});
