import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent } from "../agent.ts";
import { openExperimentJournal } from "./experiment-journal.ts";
import type { ExperimentRun } from "./experiment-result.ts";
import { readExperiment } from "./read-experiment.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-journal-"));
  path = join(folder, "journal.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const asked = (more: object = {}) =>
  readExperiment({
    agent: agent({ name: "helper", instructions: "Help." }),
    arms: { a: {}, b: {} },
    inputs: ["one", "two"],
    run: () => Promise.reject(new Error("never")),
    ...more,
  });

const record = (more: Partial<ExperimentRun> = {}): ExperimentRun => ({
  arm: "a",
  input: "1",
  repetition: 1,
  success: true,
  status: "done",
  latencyMs: 12.5,
  usage: { inputTokens: 1, outputTokens: 2 },
  turns: 1,
  tools: [{ name: "t", calls: 1, failures: 0 }],
  scores: { x: 0.5 },
  answer: "søt 🍓",
  ...more,
});
const open = (more?: object) => openExperimentJournal(path, asked(more), "2025-01-01T00:00:00.000Z");
const kept = (more?: object) => [...open(more).finished.values()];

describe("experiment journal", () => {
  it("returns the added runs and the first start time", () => {
    const journal = open();
    journal.add(record());
    const threw = record({
      arm: "b",
      success: false,
      reason: "no",
      latencyMs: null,
      usage: null,
      turns: null,
    });
    journal.add(threw);
    expect(kept()).toEqual([record(), threw]);
    expect(openExperimentJournal(path, asked(), "2030-01-01T00:00:00.000Z").startedAt).toBe(
      "2025-01-01T00:00:00.000Z",
    );
  });

  it("drops a truncated last line and continues after the complete ones", () => {
    open().add(record());
    const whole = readFileSync(path);
    const line = Buffer.from(`${JSON.stringify(record({ arm: "b" }))}\n`);
    for (let cut = 1; cut < line.length; cut++) {
      writeFileSync(path, Buffer.concat([whole, line.subarray(0, cut)]));
      const journal = open();
      expect([...journal.finished.values()]).toEqual([record()]);
      journal.add(record({ arm: "b" }));
      expect(kept()).toHaveLength(2);
    }
  });

  it("starts again when its first line is truncated", () => {
    open();
    const header = readFileSync(path, "utf8");
    for (const torn of ["", header.slice(0, 3), header.slice(0, 60)]) {
      writeFileSync(path, torn);
      open().add(record());
      expect(kept()).toEqual([record()]);
    }
  });

  it("refuses another experiment and leaves the file unchanged", () => {
    open().add(record());
    const before = readFileSync(path, "utf8");
    const others = [
      { seed: 2 },
      { runs: 3 },
      { inputs: ["one", "three"] },
      { arms: { a: {}, c: {} } },
      { agent: agent({ name: "helper", instructions: "Help more." }) },
    ];
    for (const other of others) expect(() => open(other)).toThrow("belongs to another experiment");
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(kept({ concurrency: 4, price: { inputPerMillion: 1, outputPerMillion: 1 } })).toHaveLength(1);
  });

  it("refuses a file that is not a journal", () => {
    for (const text of ["my notes", "my notes\n", '{"kind":"other"}\n', "[]\n"]) {
      writeFileSync(path, text);
      expect(() => open()).toThrow("is not a journal of an experiment");
      expect(readFileSync(path, "utf8")).toBe(text);
    }
    expect(() => openExperimentJournal(folder, asked(), "")).toThrow("cannot be read or written");
  });

  it("refuses a line that is not a run of the experiment and names the line", () => {
    open().add(record());
    const lines = [
      "{",
      "null",
      JSON.stringify(record({ arm: "c" })),
      JSON.stringify(record({ input: "9" })),
      JSON.stringify(record({ repetition: 2 })),
      ...[
        { status: 5 },
        { answer: undefined },
        { latencyMs: "1" },
        { latencyMs: -1 },
        { turns: -1 },
        { usage: 15 },
        { usage: {} },
        { usage: { inputTokens: 1 } },
        { usage: { outputTokens: 1 } },
        { tools: [{}] },
        { tools: [null] },
        { tools: [{ calls: 1, failures: 0 }] },
        { tools: [{ name: "t", calls: 1, failures: -1 }] },
      ].map((odd) => JSON.stringify({ ...record(), ...odd })),
    ];
    const before = readFileSync(path, "utf8");
    for (const line of lines) {
      writeFileSync(path, before);
      appendFileSync(path, `${line}\n`);
      expect(() => open()).toThrow("Line 3 of the journal");
    }
  });

  it("counts a run once, as it was first written", () => {
    const journal = open();
    journal.add(record());
    journal.add(record({ success: false }));
    expect(kept()).toEqual([record()]);
  });
});
