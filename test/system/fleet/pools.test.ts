import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fleet, remote } from "../../../src/exports/fleet.ts";
import { Haft } from "../../../src/exports/index.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";
import { poolTools } from "./pool-tools.ts";

const world = usePostgres();
const file = fileURLToPath(new URL("./pool-process.ts", import.meta.url));
const principal = { agent: "caller", allow: ["*"] };

interface Worker {
  readonly child: ChildProcess;
  readonly name: string;
  readonly effects: readonly string[];
  readonly stopped: readonly string[];
}

const workers: Worker[] = [];
const callers: Haft[] = [];
let url = "";
beforeAll(async () => {
  vi.stubEnv("HAFT_LEDGER_KEY", randomBytes(32).toString("base64"));
});
afterEach(async () => {
  for (const { child } of workers.splice(0)) child.kill("SIGKILL");
  await Promise.all(callers.splice(0).map((haft) => haft.close()));
});

const startWorker = async (options: object = {}): Promise<Worker> => {
  const child = fork(file, [url, JSON.stringify(options)], {
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: "1", HAFT_LEDGER_KEY: process.env.HAFT_LEDGER_KEY },
  });
  const effects: string[] = [];
  const stopped: string[] = [];
  const name = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
    child.on("message", (told: { ready?: string; effect?: string; stopped?: string }) => {
      if (told.ready !== undefined) resolve(told.ready);
      if (told.effect !== undefined) effects.push(told.effect);
      if (told.stopped !== undefined) stopped.push(told.stopped);
    });
  });
  const worker = { child, name, effects, stopped };
  workers.push(worker);
  return worker;
};

const openCaller = async (): Promise<Haft> => {
  const haft = (await Haft.open({
    ledger: url,
    tools: poolTools(remote("gpu")),
    fleet: fleet(),
    principal,
  } as never)) as Haft;
  callers.push(haft);
  return haft;
};

const call = (haft: Haft, name: string, input: object, options: object = {}) =>
  haft.call(name as never, input as never, options as never).then(
    (value: unknown) => ({ value }),
    (error: { readonly code: string }) => ({ code: error.code }),
  );

const sql = async (statement: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement, values).finally(() => client.end())).rows;
};

describe("pool tool", () => {
  it("runs in a process of the pool with one entry that names it, and does not return secrets of that process", async () => {
    url = await world.fresh();
    const worker = await startWorker();
    const haft = await openCaller();
    const { value } = (await call(haft, "render", { id: "a" })) as { readonly value: object };
    expect(value).toMatchObject({ drawn: "a", by: worker.child.pid });
    expect(JSON.stringify(value)).not.toContain("4242");
    const log = await haft.log();
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ tool: "render", ending: "executed", implementation: "remote" });
    expect(log[0]?.notes?.join()).toContain(worker.name);
    expect(await sql("SELECT * FROM haft_pool_jobs")).toEqual([]);
  });

  it("stores its arguments encrypted, and stops when the call is cancelled", async () => {
    url = await world.fresh();
    const haft = await openCaller();
    const worker = await startWorker({ holds: true });
    const stop = new AbortController();
    const calling = call(haft, "render", { id: "a-plain-word", hold: true }, { signal: stop.signal });
    await waitFor(() => expect(worker.effects).toHaveLength(1));
    const [row] = await sql(
      "SELECT id, pool, caller, worker, encode(sealed, 'escape') AS sealed FROM haft_pool_jobs",
    );
    expect(row.sealed.length).toBeGreaterThan(100);
    expect(JSON.stringify(row)).not.toContain("a-plain-word");
    stop.abort();
    // Cancellation reaches the code.
    expect(await calling).toEqual({ code: "cancelled" });
    await waitFor(() => expect(worker.stopped).toEqual(["a-plain-word"]));
  });

  it("ends as unknown when its process is killed if it writes, and is repeated elsewhere if it only reads", async () => {
    url = await world.fresh();
    const haft = await openCaller();
    const first = await startWorker({ holds: true });
    const writing = call(haft, "render", { id: "written", hold: true });
    const reading = call(haft, "look", { id: "read", hold: true });
    await waitFor(() => expect(first.effects.toSorted()).toEqual(["read", "written"]));
    const second = await startWorker();
    first.child.kill("SIGKILL");
    expect(await writing).toEqual({ code: "outcome_unknown" });
    expect(await reading).toMatchObject({ value: { drawn: "read", by: second.child.pid } });
    expect(second.effects).toEqual(["read"]);
    const log = await haft.log({ tool: "render" });
    expect(log[0]).toMatchObject({ code: "outcome_unknown", ran: true });
  });

  it("does not run for forged or repeated rows in the database", async () => {
    url = await world.fresh();
    const haft = await openCaller();
    const worker = await startWorker({ holds: true });
    const stop = new AbortController();
    const calling = call(haft, "render", { id: "mine", hold: true }, { signal: stop.signal });
    await waitFor(() => expect(worker.effects).toEqual(["mine"]));
    const copy = `INSERT INTO haft_pool_jobs (id, pool, caller, state, sealed)
      SELECT $1, pool, caller, 'waiting', $2 FROM haft_pool_jobs WHERE id NOT LIKE 'forged%' LIMIT 1`;
    const [{ id, caller, sealed }] = await sql("SELECT id, caller, sealed FROM haft_pool_jobs");
    await sql(copy, ["forged-copy", sealed]);
    await sql(copy, ["forged-noise", randomBytes(400)]);
    const done = () => sql("SELECT id FROM haft_pool_jobs WHERE state = 'done' ORDER BY id");
    await waitFor(async () => expect(await done()).toEqual([{ id: "forged-copy" }, { id: "forged-noise" }]));
    stop.abort();
    await calling;
    // Repeats the job after its call ended: the ledger has no such open call.
    await sql("DELETE FROM haft_pool_jobs");
    await sql(
      "INSERT INTO haft_pool_jobs (id, pool, caller, state, sealed) VALUES ($1, 'gpu', $2, 'waiting', $3)",
      [id, caller, sealed],
    );
    await waitFor(async () => expect(await done()).toEqual([{ id }]));
    expect(worker.effects).toEqual(["mine"]);
  });

  it.each([
    ["defined differently in the pool", { description: "Draws something else" }, "definition_changed"],
    [
      "denied by the policy of the worker",
      { policy: { rules: [{ id: "no", effect: "deny", tools: ["render"] }] } },
      "denied",
    ],
  ])("does not run when it is %s", async (_, options, code) => {
    url = await world.fresh();
    const haft = await openCaller();
    const worker = await startWorker(options);
    expect(await call(haft, "render", { id: "never" })).toEqual({ code });
    expect(worker.effects).toEqual([]);
    expect((await haft.log())[0]).toMatchObject({ code, ran: false });
  });

  it("is not bound in a runtime without a fleet", async () => {
    const haft = (await Haft.open({ tools: poolTools(remote("gpu")), principal } as never)) as Haft;
    callers.push(haft);
    expect(await call(haft, "render", { id: "x" })).toEqual({ code: "not_bound" });
  });

  it("rejects an invalid pool name", () => {
    expect(() => remote("")).toThrow('remote("gpu")');
  });
});
