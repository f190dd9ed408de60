import { type RawCall, tool } from "haft";
import { describe, expect, it } from "vitest";
import { CassetteScene, cassetteErrorOf } from "../../../test/kit/cassette-scene.ts";

const world = new CassetteScene();

describe("secrets", () => {
  const keys = tool({
    name: "keys",
    description: "Makes a key",
    input: { type: "object", properties: { password: { type: "string" }, note: { type: "string" } } },
    run: ({ note }: { note?: string }) => {
      if (note === "fail") throw new Error("no entry with s3cret-value");
      return { apiKey: "key-of-the-tool", note: "goes with s3cret-value", page: 2 };
    },
  });
  const call = (password: string, note = "s3cret-value"): RawCall => ({
    id: "a",
    tool: "keys",
    input: { password, note },
  });

  it("are on no tape and in no message, and other secrets do not match", async () => {
    const options = { secrets: ["s3cret-value"] };
    await world.with(options, (haft) => haft.turn([call("hunter-2"), { ...call("x", "fail"), id: "b" }]), [
      keys,
    ]);
    const text = world.text;
    for (const secret of ["hunter-2", "s3cret-value", "key-of-the-tool"]) expect(text).not.toContain(secret);
    expect(world.entries[0]).toMatchObject({
      arguments: { password: "[redacted]", note: "[redacted]" },
      outcome: { value: { apiKey: "[redacted]", note: "goes with [redacted]", page: 2 } },
    });
    const same = await world.with(
      options,
      (haft) => haft.turn([call("hunter-2"), { ...call("x", "fail"), id: "b" }]),
      [keys],
    );
    expect(same[0]?.value).toEqual({ apiKey: "[redacted]", note: "goes with [redacted]", page: 2 });
    const error = await cassetteErrorOf(world.with(options, (haft) => haft.turn([call("hunter-3")]), [keys]));
    expect(error.message).toContain("the arguments differ in masked secrets");
    for (const secret of ["hunter-2", "hunter-3", "s3cret-value"])
      expect(error.message).not.toContain(secret);
  });

  it("may be masked in the next call when they were masked in an answer", async () => {
    await world.with({ mode: "record" }, (haft) => haft.turn([call("key-of-the-tool", "n")]), [keys]);
    const [reply] = await world.with({}, (haft) => haft.turn([call("[redacted]", "n")]), [keys]);
    expect(reply?.ok).toBe(true);
  });

  it("may have custom names and be found during a test", async () => {
    const found: string[] = [];
    await world.with({ mode: "record", keys: ["word"], secrets: () => found }, async (haft) => {
      found.push("late-secret");
      await haft.turn([{ id: "a", tool: "look", input: { word: "w-1", other: "late-secret" } }]);
    });
    expect(world.entries[0]).toMatchObject({
      arguments: { word: "[redacted]", other: "[redacted]" },
      outcome: { value: { word: "[redacted]", length: 3 } },
    });
  });
});
