import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { limit, retry, type ToolLayer, timeout } from "haft/layers";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "haft-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const principal = { agent: "clerk", allow: ["*"] };
const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

describe.each(["memory", `sqlite:${join(folder, "keys.db")}`])("with the ledger %s", (ledger) => {
  const open = (run: (input: { n: number }, key: string) => unknown, ...layers: readonly ToolLayer[]) =>
    Haft.open({
      tools: [
        tool({
          name: "pay",
          description: "Pays",
          input,
          run: (given, { idempotencyKey }) => run(given, idempotencyKey),
        }).layer(...layers),
      ],
      principal,
      ledger,
    });

  it("a key that is used again returns the recorded result and runs nothing", async () => {
    const keys: string[] = [];
    await using haft = await open(({ n }, key) => {
      keys.push(key);
      return { paid: n };
    });
    const idempotencyKey = `order-${ledger}-1`;
    const first = await haft.call("pay", { n: 7 }, { idempotencyKey });
    const again = await haft.call("pay", { n: 7 }, { idempotencyKey });
    expect([first, again]).toEqual([{ paid: 7 }, { paid: 7 }]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const log = await haft.log({ tool: "pay", limit: 2 });
    expect(log[1]?.notes).toEqual([`replayed from ${log[0]?.entryId}`]);
  });

  it("a key with other arguments is refused, and nothing runs", async () => {
    let ran = 0;
    await using haft = await open(() => ++ran);
    const idempotencyKey = `order-${ledger}-2`;
    await haft.call("pay", { n: 7 }, { idempotencyKey });
    await expect(haft.call("pay", { n: 8 }, { idempotencyKey })).rejects.toMatchObject({
      code: "key_reused",
    });
    expect(ran).toBe(1);
  });

  it("the same key of another caller is another call", async () => {
    let ran = 0;
    await using haft = await open(() => ++ran);
    const idempotencyKey = `order-${ledger}-3`;
    await haft.call("pay", { n: 7 }, { idempotencyKey });
    await haft.as({ agent: "other", allow: ["*"] }).call("pay", { n: 7 }, { idempotencyKey });
    expect(ran).toBe(2);
  });

  it("of two concurrent calls under one key, one runs and the other fails with still_running", async () => {
    let ran = 0;
    let open_: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      open_ = resolve;
    });
    await using haft = await open(async () => {
      ran += 1;
      await gate;
      return { paid: true };
    });
    const idempotencyKey = `order-${ledger}-4`;
    const first = haft.call("pay", { n: 7 }, { idempotencyKey });
    const second = haft.call("pay", { n: 7 }, { idempotencyKey });
    const refused = await second.catch((error: { code: string }) => error.code);
    open_?.();
    expect([await first, refused, ran]).toEqual([{ paid: true }, "still_running", 1]);
  });

  it("a failure under a key is replayed too", async () => {
    let ran = 0;
    await using haft = await open(
      () => {
        ran += 1;
        throw new Error("declined");
      },
      limit({ concurrency: 1, queue: 0 }),
    );
    const idempotencyKey = `order-${ledger}-5`;
    for (let times = 0; times < 2; times++) {
      await expect(haft.call("pay", { n: 7 }, { idempotencyKey })).rejects.toThrow(/declined/);
    }
    expect(ran).toBe(1);
  });

  it("a tool receives one key for all attempts, which is the entry id if the caller gave none", async () => {
    const keys: string[] = [];
    const flaky = tool({
      name: "pay",
      description: "Pays",
      input,
      annotations: { idempotent: true },
      run: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length < 3) throw new Error("not yet");
        return { ok: true };
      },
    }).layer(retry({ attempts: 3, base: "1 millis" }));
    await using haft = await Haft.open({ tools: [flaky], principal, ledger });
    await haft.call("pay", { n: 1 });
    expect(new Set(keys).size).toBe(1);
    expect((await haft.log({ tool: "pay", limit: 1 }))[0]?.entryId).toBe(keys[0]);
  });

  it("a call that may have run is not retried", async () => {
    let ran = 0;
    await using haft = await open(
      () => {
        ran += 1;
        return new Promise(() => {});
      },
      timeout("5 millis"),
      retry({ attempts: 3, base: "1 millis" }),
    );
    await expect(haft.call("pay", { n: 1 })).rejects.toMatchObject({ code: "timed_out" });
    expect(ran).toBe(1);
  });
});
