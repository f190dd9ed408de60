import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { describe, expect, it, vi } from "vitest";
import { CassetteScene, lookCalls, principal } from "../../../test/kit/cassette-scene.ts";
import { cassette } from "../cassette.ts";

const world = new CassetteScene();

describe("mode of a cassette", () => {
  it("auto records without a tape, and replays with one", async () => {
    expect(cassette(world.path).mode).toBe("record");
    await world.record(["one"]);
    expect(cassette(world.path).mode).toBe("replay");
    vi.stubEnv("HAFT_CASSETTES", "record");
    expect(cassette(world.path).mode).toBe("record");
    expect(cassette(world.path, { mode: "replay" }).mode).toBe("replay");
  });

  it("auto never records in CI and says how to record a missing tape", async () => {
    vi.stubEnv("CI", "true");
    expect(() => cassette(world.path)).toThrow(/CI .* records none.*on your own machine and commit/);
    await world.record(["one"]);
    expect(cassette(world.path).mode).toBe("replay");
    vi.stubEnv("HAFT_CASSETTES", "record");
    expect(() => cassette(world.path)).toThrow("but so is CI");
    vi.stubEnv("HAFT_CASSETTES", "");
    for (const off of ["", "0", "false"]) {
      vi.stubEnv("CI", off);
      expect(cassette(join(world.folder, "other.json")).mode).toBe("record");
    }
  });

  it("replay without a tape says how to record one", () => {
    expect(() => cassette(world.path, { mode: "replay" })).toThrow('Run once with mode "record"');
  });

  it("record keeps the old tape until the new one is complete", async () => {
    await world.record(["one"]);
    const before = world.text;
    const tape = cassette(world.path, { mode: "record" });
    await using haft = await Haft.open({ principal, tools: [world.look()], layers: [tape.layer] });
    await haft.turn(lookCalls("two"));
    expect(world.text).toBe(before);
    await tape.save();
    expect(world.entries.map((entry) => entry.arguments)).toEqual([{ word: "two" }]);
    expect(statSync(world.path).isFile()).toBe(true);
  });

  it("record reports a tape that cannot be written and leaves no partial file", async () => {
    writeFileSync(join(world.folder, "deep"), "a file where the folder would be");
    await expect(cassette(world.path, { mode: "record" }).save()).rejects.toThrow("cannot be written");
    expect(readdirSync(world.folder)).toEqual(["deep"]);
  });

  it("record refuses to save during a call", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = tool({ name: "slow", description: "Waits", input: [], run: () => gate.promise });
    const tape = cassette(world.path, { mode: "record" });
    const haft = await Haft.open({ principal, tools: [slow], layers: [tape.layer] });
    const turn = haft.turn([{ id: "a", tool: "slow", input: {} }]);
    await expect(tape.save()).rejects.toThrow('while a call is running: "slow"');
    gate.resolve();
    await turn;
    await tape.save();
    expect(world.entries).toHaveLength(1);
    await haft.close();
  });
});
