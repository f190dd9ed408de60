import { Haft, type Reply, tool } from "haft";
import { afterEach, describe, expect, it } from "vitest";
import { openRuntimeBackend } from "../../src/server/gateway/runtime-backend.ts";
import type { DurableLedger } from "../../src/types/durable-ledger.ts";
import type { EntryOpening } from "../../src/types/ledger.ts";
import type { Principal } from "../../src/types/principal.ts";
import { createClosing, createOpening, runLedgerEffect } from "../contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../kit/use-sqlite-folder.ts";

const sqlite = useSqliteFolder();
const ada: Principal = { agent: "desk", user: "ada", allow: ["*"] };
const open: Haft[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((haft) => haft.close()));
});

const hourMs = 3_600_000;
const input = {
  type: "object",
  properties: { order: { type: "string" }, euros: { type: "number" } },
} as const;

/** A ledger with a call of `pay` that a dead gateway left behind, and a new gateway over it. */
const openScene = async (left: Partial<EntryOpening> = {}) => {
  const path = sqlite.fresh();
  const ledger: DurableLedger = await sqlite.open(path);
  const row = { tool: "pay", agent: "desk", user: "ada", input: '{"order":"7","euros":1}', at: Date.now() };
  await runLedgerEffect(ledger.open(createOpening("before", { ...row, ...left })));
  await runLedgerEffect(
    ledger.close(createClosing("before", { tool: undefined, ending: "unknown", result: undefined })),
  );
  const ran: string[] = [];
  const makeTool = (name: string, annotations = {}) =>
    tool({
      name,
      description: name,
      input,
      annotations,
      run: ({ order }) => void ran.push(`${name} ${order}`),
    });
  const tools = [
    makeTool("pay"),
    makeTool("look", { readOnly: true }),
    makeTool("put", { idempotent: true }),
  ];
  const haft = (await Haft.open({ tools, principal: ada, ledger: `sqlite:${path}` })) as Haft;
  open.push(haft);
  const backend = await openRuntimeBackend(haft, { info: { name: "g", version: "1" } });
  let count = 0;
  const call = (args: unknown, more: { readonly tool?: string; readonly principal?: Principal } = {}) =>
    backend.call({
      id: `call-${count++}`,
      tool: "pay",
      input: JSON.stringify(args),
      principal: ada,
      caller: {},
      signal: new AbortController().signal,
      conversation: `session-${count}`,
      ...more,
    });
  return { haft, ledger, ran, call };
};

const order7 = { order: "7", euros: 1 };
const unknownReason = "the same call was made before, and whether it took effect is unknown";
const reasonOf = ({ pending }: Reply): string | undefined => pending?.reason;

describe("a gateway call that repeats a call of a dead process", () => {
  it("requires approval, however the arguments are written", async () => {
    const { call, ran } = await openScene();
    expect(reasonOf(await call(order7))).toContain(unknownReason);
    expect(reasonOf(await call({ euros: 1, order: "7" }))).toContain("haft settle before");
    expect(ran).toEqual([]);
  });

  it("runs once after it was approved", async () => {
    const { call, ran, haft } = await openScene();
    const { pending } = await call(order7);
    await haft.resume(pending!.id, { kind: "allow" });
    expect(ran).toEqual(["pay 7"]);
  });

  it("runs with other arguments, for another user, and of tools that may be repeated", async () => {
    const { call, ran } = await openScene();
    await call({ order: "8", euros: 1 });
    await call(order7, { principal: { ...ada, user: "eve" } });
    await call(order7, { tool: "look" });
    await call(order7, { tool: "put" });
    expect(ran).toEqual(["pay 8", "pay 7", "look 7", "put 7"]);
  });

  it("runs when the first call is older than a day", async () => {
    const { call, ran } = await openScene({ at: Date.now() - 25 * hourMs });
    expect((await call(order7)).ok).toBe(true);
    expect(ran).toEqual(["pay 7"]);
  });

  it("requires approval after it was settled as having taken effect, and says who settled it", async () => {
    const { call, ran, haft, ledger } = await openScene();
    await haft.settle("before", { tookEffect: true, by: "grace" });
    expect(reasonOf(await call(order7))).toMatch(
      /^the same call was made before, and it took effect\. An earlier call with the same arguments took effect: before, settled by grace at 2\d{3}-/,
    );
    expect(ran).toEqual([]);
    expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  });

  it("runs after it was settled as not having taken effect", async () => {
    const { call, ran, haft } = await openScene();
    await haft.settle("before", { tookEffect: false, by: "grace" });
    expect((await call(order7)).ok).toBe(true);
    expect(ran).toEqual(["pay 7"]);
  });
});

it("a repeated call whose first attempt timed out requires approval in the same gateway session", async () => {
  let ran = 0;
  const stuck = tool({
    name: "stuck",
    description: "Never ends",
    input: { type: "object" },
    timeout: "20 millis",
    run: () => {
      ran += 1;
      return new Promise(() => {});
    },
  });
  const haft = (await Haft.open({
    tools: [stuck],
    principal: ada,
    ledger: `sqlite:${sqlite.fresh()}`,
  })) as Haft;
  open.push(haft);
  const backend = await openRuntimeBackend(haft, { info: { name: "g", version: "1" } });
  const call = (id: string) =>
    backend.call({
      ...{ id, tool: "stuck", input: "{}", principal: ada, caller: {} },
      ...{ signal: new AbortController().signal, conversation: "session" },
    });
  expect((await call("1")).failure?.code).toBe("timed_out");
  const { pending } = await call("2");
  expect(pending?.reason).toContain(unknownReason);
  expect(ran).toBe(1);
});
