import { threadId } from "node:worker_threads";
import { Haft, tool } from "haft";
import { timeout } from "haft/layers";
import { worker } from "haft/sandbox";
import { afterEach, describe, expect, it } from "vitest";

const url = new URL("../../test/fixtures/worker-tools/tools.ts", import.meta.url);
const principal = { agent: "tester", allow: ["*"] };
const opened: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const haft of opened.splice(0)) await haft.close();
});

const toolOf = (name: string) =>
  tool({
    name,
    description: name,
    input: { type: "object", properties: {}, additionalProperties: true },
    annotations: { idempotent: true },
    implementation: worker(url, name === "default" ? {} : { export: name, most: 1 }),
  });

const open = async (config: { readonly execution?: { readonly sandboxEnabled: boolean } } = {}) => {
  const names = ["default", "block", "wait", "fail", "crash", "giveFunction", "notCode"];
  const tools = names.map(toolOf);
  const haft = await Haft.open({ tools, principal, config });
  opened.push(haft);
  return haft;
};

describe("tool in a worker", () => {
  it("runs in another thread with the plain data of its call", async () => {
    const haft = await open();
    const updates: unknown[] = [];
    haft.on("tools.progress", ({ update }) => updates.push(update));
    const value = await haft.call("default", { a: 1 });
    expect(value).toMatchObject({ input: { a: 1 }, tool: "default", hasKey: true, agent: "tester" });
    expect(value).not.toMatchObject({ threadId });
    expect(updates).toEqual([{ half: true }]);
    expect((await haft.log())[0]).toMatchObject({ cost: 2, notes: ["noted"] });
  });

  it("is ended at its timeout when it blocks, and the host is not blocked", async () => {
    const haft = await open();
    const layers = [timeout("1 second")];
    expect(await haft.call("block", { forever: false })).toBe(1);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await expect(haft.call("block", { forever: true }, { layers })).rejects.toMatchObject({
      code: "timed_out",
    });
    isOver = true;
    expect(turns).toBeGreaterThan(50);
    // At most one thread exists, so this is a new one.
    expect(await haft.call("block", { forever: false })).toBe(1);
  });

  it("is aborted when its call is cancelled, and its thread is reused", async () => {
    const haft = await open();
    const controller = new AbortController();
    haft.on("tools.progress", () => controller.abort());
    expect(await haft.call("wait", { forever: false })).toBe(1);
    const waiting = haft.call("wait", { forever: true }, { signal: controller.signal });
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect(await haft.call("wait", { forever: false })).toBe(3);
  });

  it("fails with the name and the message of its error", async () => {
    const haft = await open();
    await expect(haft.call("fail", {})).rejects.toMatchObject({
      code: "failed",
      message: 'The tool "fail" failed: RangeError: too far',
    });
  });

  it("reports a crashed thread, a value that cannot be copied and an export that is not a function", async () => {
    const haft = await open();
    await expect(haft.call("crash", {})).rejects.toMatchObject({ code: "sandbox_failed" });
    await expect(haft.call("giveFunction", {})).rejects.toThrow("cannot be sent from the worker");
    await expect(haft.call("notCode", {})).rejects.toThrow("The worker of tools.ts cannot be started");
  });

  it("is refused when its module is not on disk", () => {
    expect(() => worker(new URL("https://localhost/tool.js"))).toThrow("a module on disk");
  });
});

describe("tool in a worker with the sandbox switched off", () => {
  const config = { execution: { sandboxEnabled: false } };

  it("runs in the thread of the host", async () => {
    const haft = await open(config);
    expect(await haft.call("default", {})).toMatchObject({ threadId, tool: "default", agent: "tester" });
    await expect(haft.call("fail", {})).rejects.toMatchObject({
      code: "failed",
      message: expect.stringContaining("too far"),
    });
    await expect(haft.call("notCode", {})).rejects.toThrow(
      'tools.ts does not export a function named "notCode"',
    );
  });
});
