import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, type RawCall, tool } from "haft";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { type CassetteEntry, CassetteError } from "../../src/testing/cassette/cassette-file.ts";
import type { CassetteOptions } from "../../src/testing/cassette/cassette-options.ts";
import { type Cassette, cassette } from "../../src/testing/cassette.ts";
import type { AnyTool } from "../../src/types/tool.ts";

export const principal = { agent: "tester", allow: ["*"] };

export const lookCalls = (...words: readonly string[]): readonly RawCall[] =>
  words.map((word, index) => ({ id: `call-${index}`, tool: "look", input: { word } }));

/** The error of a cassette for calls that do not match. Any other error fails the test. */
export const cassetteErrorOf = (promise: Promise<unknown>): Promise<CassetteError> =>
  promise.then(
    () => expect.unreachable("it went through"),
    (error) => {
      expect(error).toBeInstanceOf(CassetteError);
      return error;
    },
  );

/** A folder for a tape, a tool that records its executions, and a runtime with the cassette. */
export class CassetteScene {
  folder = "";
  path = "";
  /** Executions, in order. */
  ran: string[] = [];

  constructor() {
    beforeEach(() => {
      vi.stubEnv("CI", "");
      vi.stubEnv("HAFT_CASSETTES", "");
      this.folder = mkdtempSync(join(tmpdir(), "haft-cassette-"));
      this.path = join(this.folder, "deep", "tape.json");
      this.ran = [];
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(this.folder, { recursive: true });
    });
  }

  look(more: object = {}): AnyTool {
    return tool({
      name: "look",
      description: "Looks something up",
      input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      annotations: { readOnly: true },
      run: async ({ word }: { word: string }) => {
        this.ran.push(`look ${word}`);
        if (word === "nothing") throw new Error("there is nothing");
        return { word, length: word.length };
      },
      ...more,
    });
  }

  async with<A>(
    options: CassetteOptions,
    body: (haft: Haft, tape: Cassette) => Promise<A>,
    tools: readonly AnyTool[] = [this.look()],
  ): Promise<A> {
    await using tape = cassette(this.path, options);
    await using haft = await Haft.open({ principal, tools: tools as never, layers: [tape.layer] });
    return await body(haft as never, tape);
  }

  record(words: readonly string[], options: CassetteOptions = {}): Promise<void> {
    return this.with({ ...options, mode: "record" }, async (haft) => {
      for (const word of words) await haft.turn(lookCalls(word));
    });
  }

  get text(): string {
    return readFileSync(this.path, "utf8");
  }

  get entries(): readonly CassetteEntry[] {
    return JSON.parse(this.text).entries;
  }
}
