import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ConfigurationError } from "haft";
import { describe, expect, it } from "vitest";
import { CassetteScene } from "../../../test/kit/cassette-scene.ts";
import { cassette, toCassetteText } from "../cassette.ts";
import type { CassetteEntry, CassetteFile } from "./cassette-file.ts";
import { readCassetteFile } from "./read-cassette-file.ts";

const world = new CassetteScene();

const entry = (more: object = {}): CassetteEntry => ({
  tool: "look",
  arguments: { word: "x" },
  argumentsHash: "a".repeat(64),
  definition: "b".repeat(64),
  group: 1,
  outcome: { kind: "value", value: 1, flow: { kind: "continue" } },
  durationMs: 1,
  ...more,
});

const read = (text: string) => {
  const path = join(world.folder, "tape.json");
  writeFileSync(path, text);
  return readCassetteFile(path);
};
const readWith = (more: object) => read(toCassetteText({ ignore: [], entries: [entry(more)] }));

describe("reading a tape", () => {
  it("returns what was written, and the line of each entry in any format", () => {
    const tape: CassetteFile = {
      ignore: ["/a"],
      entries: [entry({ tool: '"[{' }), entry({ arguments: [{}, ['\\"']] })],
    };
    const text = toCassetteText(tape);
    const lines = text.split("\n").flatMap((line, index) => (line === "    {" ? [index + 1] : []));
    expect(read(text)).toEqual({ ...tape, lines });
    expect(read(JSON.stringify(JSON.parse(text)))).toEqual({ ...tape, lines: [1, 1] });
  });

  it("reports what is wrong with an invalid file and what to do", () => {
    for (const [text, why] of [
      ["", "is not strict JSON"],
      ['{"kind": "haft cassette",', "is not strict JSON"],
      ['{"kind":"haft cassette","kind":"haft cassette"}', "is not strict JSON"],
      ["null", "is not a cassette"],
      ["[]", "is not a cassette"],
      ['{"kind":"other"}', "is not a cassette"],
      ['{"kind":"haft cassette","version":2}', "has version 2; this haft reads 1. A newer haft wrote it."],
      ['{"kind":"haft cassette","version":"1"}', 'has version "1"; this haft reads 1. Restore'],
      ['{"kind":"haft cassette","version":1,"ignore":[]}', "has no list `entries`"],
      ['{"kind":"haft cassette","version":1,"ignore":[1],"entries":[]}', "has no list `entries` or `ignore`"],
    ] as const) {
      expect(() => read(text), text).toThrow(ConfigurationError);
      expect(() => read(text), text).toThrow(why);
      expect(() => read(text), text).toThrow("or delete it and record again.");
    }
    expect(() => readCassetteFile(world.folder)).toThrow("cannot be read");
  });

  it("names the damaged entry and its line", () => {
    const damages: readonly [object, string][] = [
      [{ tool: 1 }, "has no `tool`"],
      [{ tool: "" }, "has no `tool`"],
      [{ argumentsHash: undefined }, "has no `argumentsHash`"],
      [{ definition: null }, "has no `definition`"],
      [{ arguments: undefined }, "has no `arguments`"],
      [{ group: "1" }, "has no `group`"],
      [{ outcome: null }, 'neither "value" nor "failure"'],
      [{ outcome: { kind: "pending" } }, 'neither "value" nor "failure"'],
      [{ outcome: { kind: "value", value: 1 } }, "without a known flow"],
      [{ outcome: { kind: "value", flow: { kind: "loop" } } }, "without a known flow"],
      [{ outcome: { kind: "value", flow: { kind: "handoff" } } }, "has a handoff without an agent"],
      [{ outcome: { kind: "failure", failure: { code: "none", message: "" } } }, "with an unknown code"],
      [{ outcome: { kind: "value", flow: { kind: "final" }, taints: "web" } }, "not a list of names"],
      [{ outcome: { kind: "value", flow: { kind: "final" }, taints: [1] } }, "not a list of names"],
      [
        { outcome: { kind: "failure", failure: { code: "failed", message: "" }, taints: null } },
        "not a list of names",
      ],
    ];
    for (const [more, why] of damages) {
      expect(() => readWith(more)).toThrow("/entries/0 (line 6)");
      expect(() => readWith(more)).toThrow(why);
    }
    expect(() => read('{"kind":"haft cassette","version":1,"ignore":[],"entries":[null]}')).toThrow(
      "is not an object",
    );
  });

  it("throws no other error, whatever the file contains", () => {
    const file = fc.oneof(
      fc.json().map((text) => `{"kind":"haft cassette","version":1,"ignore":[],"entries":[${text}]}`),
      fc.json(),
      fc.string(),
      fc.tuple(fc.nat(600), fc.nat(600), fc.string({ maxLength: 5 })).map(([from, to, put]) => {
        const text = toCassetteText({ ignore: [], entries: [entry(), entry({ group: 2 })] });
        return text.slice(0, from) + put + text.slice(Math.max(from, to));
      }),
    );
    fc.assert(
      fc.property(file, (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is skipped when the tape is recorded again", async () => {
    await world.record(["one"]);
    writeFileSync(world.path, "damaged");
    expect(() => cassette(world.path)).toThrow("is not strict JSON");
    await world.record(["two"]);
    expect(JSON.parse(readFileSync(world.path, "utf8")).entries).toHaveLength(1);
  });
});
