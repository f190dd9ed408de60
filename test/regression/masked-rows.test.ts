import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const secret = "s3cr3t-Canary-77af";
const spellings = [
  secret,
  secret.toUpperCase(),
  secret.toLowerCase(),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("hex").toUpperCase(),
  Buffer.from(secret).toString("base64"),
  encodeURIComponent(`${secret}/`).slice(0, -3),
];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-masked-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const echo = tool({
  name: "echo",
  description: "Says it in every way",
  input: { type: "object", properties: { text: { type: "string" } } } as const,
  run: ({ text }) => ({ text, spellings }),
});

const open = (ledger: string | LedgerStore): Promise<Haft> =>
  Haft.open({
    tools: [echo],
    principal: { agent: "clerk", session: `session ${secret}`, allow: ["*"] },
    credentials: { values: { canary: secret } },
    ledger,
  }) as Promise<Haft>;

/** Puts the secret into every place that a caller or a model can reach. */
const callEverywhere = async (haft: Haft): Promise<void> => {
  for (const [i, spelling] of spellings.entries()) {
    const input = JSON.stringify({ text: `it is ${spelling}` });
    await haft.turn([{ id: `id-${i}-${spelling}`, tool: "echo", input }]);
    const names = { idempotencyKey: `key-${i}-${spelling}`, correlationId: `correlation ${spelling}` };
    await haft.call("echo", { text: spelling }, names);
  }
};

const expectMasked = (shown: string): void => {
  for (const spelling of spellings) expect(shown).not.toContain(spelling);
  expect(shown).toContain("[redacted]");
};

/** A minimal custom store. */
const ownStore = () => {
  const written: unknown[] = [];
  const store: LedgerStore = {
    open: (opening) => Effect.sync(() => void written.push(opening)),
    close: (closing) => Effect.sync(() => void written.push(closing)),
    intend: (intent) => Effect.sync(() => void written.push(intent)),
    entries: () => Effect.succeed([]),
  };
  return { store, written };
};

describe("a known secret, in any spelling,", () => {
  it("is in no row of a memory ledger", async () => {
    const haft = await open("memory");
    await callEverywhere(haft);
    expectMasked(JSON.stringify(await haft.log()));
  });

  it("is in no file and no row of a durable ledger", async () => {
    const haft = await open(`sqlite:${join(folder, "ledger.db")}`);
    await callEverywhere(haft);
    expectMasked(JSON.stringify(await haft.log()));
    await haft.close();
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expectMasked(files.join("\n"));
  });

  it("is in no file of a ledger that was opened elsewhere and passed in", async () => {
    const ledger = await openLedger(`sqlite:${join(folder, "ledger.db")}`);
    const haft = await open(ledger.store);
    await callEverywhere(haft);
    await haft.close();
    await ledger.end();
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expectMasked(files.join("\n"));
  });

  it("is not passed to a custom store, while the caller receives the whole result", async () => {
    const { store, written } = ownStore();
    const haft = await open(store);
    await callEverywhere(haft);
    expectMasked(JSON.stringify(written));
    const key = { idempotencyKey: "again" };
    const first = await haft.call("echo", { text: "twice" }, key);
    expect(await haft.call("echo", { text: "twice" }, key)).toEqual(first);
  });

  it("is masked for a custom store that two runtimes share, whichever of them knows it", async () => {
    const { store, written } = ownStore();
    const other = (await Haft.open({
      tools: [echo],
      principal: { agent: "other", allow: ["*"] },
      ledger: store,
    })) as Haft;
    await callEverywhere(await open(store));
    await other.call("echo", { text: secret });
    expectMasked(JSON.stringify(written));
  });

  it.each(["memory", "sqlite"])("is in no approval request of a ledger (%s)", async (kind) => {
    const ledger = kind === "memory" ? kind : `sqlite:${join(folder, "ledger.db")}`;
    const ask = tool({
      name: "ask",
      description: "Needs a person",
      input: { type: "object" } as const,
      requiresApproval: true,
      run: () => "done",
    });
    const haft = (await Haft.open({
      tools: [ask],
      principal: { agent: "clerk", allow: ["*"] },
      credentials: { values: { canary: secret } },
      approver: () => undefined,
      ledger,
    })) as Haft;
    for (const [i, spelling] of spellings.entries()) {
      await haft.turn([{ id: `id-${i}-${spelling}`, tool: "ask", input: JSON.stringify({ spelling }) }]);
    }
    const questions = await haft.approvals();
    expect(questions).toHaveLength(spellings.length);
    expectMasked(JSON.stringify(questions));
    await haft.close();
  });

  it("is in no value of a reply", async () => {
    const haft = await open("memory");
    const [reply] = await haft.turn([{ id: "1", tool: "echo", input: "{}" }]);
    expectMasked(JSON.stringify(reply));
  });
});

describe("a custom store", () => {
  it("receives the exact text if it contains no secret, and its hash in any case", async () => {
    const { store, written } = ownStore();
    const haft = await open(store);
    await haft.turn([{ id: "1", tool: "echo", input: '{ "text" : "a\\/b" }' }]);
    expect(written[0]).toMatchObject({
      input: '{ "text" : "a\\/b" }',
      inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
