import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool, withMedia } from "haft";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pngOf } from "../kit/png-of.ts";

const principal = { agent: "painter", allow: ["*"] };
const green = pngOf(64, [9, 120, 30]);
const data = green.toString("base64");
const picture = { kind: "image", mediaType: "image/png", data } as const;

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-media-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fresh = (): string => join(folder, `ledger-${++count}.db`);

/** All bytes that the ledger left on disk. */
const onDisk = (path: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && join(entry.parentPath, entry.name).startsWith(path))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");

const scene = () => {
  const made: string[] = [];
  const draw = tool({
    name: "draw",
    description: "Draws",
    input: [],
    run: () => {
      made.push("draw");
      return withMedia({ width: 64 }, [{ ...picture, name: "green.png" }]);
    },
  });
  const wait = tool({ name: "wait", description: "Waits", input: [], run: () => "ok" });
  const ask = tool({
    name: "ask",
    description: "Draws for somebody",
    input: [],
    requiresApproval: true,
    run: () => {
      made.push("ask");
      return withMedia({ width: 64 }, [picture]);
    },
  });
  return { made, tools: [draw, wait, ask] };
};

describe.each(["memory", "sqlite"] as const)("in a ledger of the kind %s", (kind) => {
  const open = (path: string, tools: ReturnType<typeof scene>["tools"]) =>
    Haft.open({
      tools,
      principal,
      approver: () => undefined,
      ...(kind === "sqlite" ? { ledger: `sqlite:${path}` } : {}),
    });

  it("a call under a used key is replayed with its picture and not made again", async () => {
    const { made, tools } = scene();
    await using haft = await open(fresh(), tools);
    const envelope = { toolName: "draw", arguments: {}, agentId: "painter", sessionId: "s" };
    const first = await haft.execute(envelope, { idempotencyKey: "k" });
    const again = await haft.execute(envelope, { idempotencyKey: "k" });
    expect(first).toMatchObject({ success: true, parts: [{ ...picture, name: "green.png" }] });
    expect(again).toMatchObject({ success: true, parts: [{ ...picture, name: "green.png" }] });
    expect(made).toEqual(["draw"]);
  });

  it("a pending call returns its picture after it is approved", async () => {
    const { made, tools } = scene();
    await using haft = await open(fresh(), tools);
    const [waiting] = await haft.turn([{ id: "1", tool: "ask", input: "{}" }]);
    const reply = await haft.resume(waiting!.pending!.id, { kind: "allow" });
    expect(reply).toMatchObject({ ok: true, value: { width: 64 }, parts: [picture] });
    expect(made).toEqual(["ask"]);
  });

  it("a repeated call of a session is replayed with its picture", async () => {
    const { made, tools } = scene();
    await using haft = await open(fresh(), tools);
    const session = haft.session({ id: "s" });
    const call = { id: "c1", tool: "draw", input: "{}" };
    const [first] = await session.turn([call]);
    const [again] = await session.turn([call]);
    expect(again).toMatchObject({ value: { width: 64 }, parts: first!.parts! });
    expect(made).toEqual(["draw"]);
  });
});

describe("on disk", () => {
  it("another process replays a call of a session with its picture, which is not stored in clear", async () => {
    const path = fresh();
    const { made, tools } = scene();
    const call = { id: "c1", tool: "draw", input: "{}" };
    {
      await using haft = await Haft.open({ tools, principal, ledger: `sqlite:${path}` });
      await haft.session({ id: "s" }).turn([call]);
    }
    expect(onDisk(path)).not.toContain(data.slice(0, 60));
    expect(onDisk(path)).not.toContain(green.toString("latin1").slice(0, 60));
    await using haft = await Haft.open({ tools, principal, ledger: `sqlite:${path}` });
    const [again] = await haft.session({ id: "s" }).turn([call]);
    expect(again).toMatchObject({ ok: true, parts: [{ ...picture, name: "green.png" }] });
    expect(made).toEqual(["draw"]);
    expect(JSON.stringify(await haft.log())).not.toContain(data.slice(0, 60));
  });
});
