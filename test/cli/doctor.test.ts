import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { checkEngine, checkNode, checkSqlite } from "../../src/cli/commands/doctor.ts";
import type { ProgramEnding, Sandbox } from "../../src/sandbox/sandbox.ts";
import { SandboxError } from "../../src/types/errors.ts";

describe("haft doctor", () => {
  const engine = (ending: ProgramEnding) => async () => ({
    openEngine: () =>
      Effect.succeed({
        engine: "deno",
        languages: ["javascript"],
        run: () =>
          Effect.succeed({
            ending,
            logs: [],
            logsCut: false,
            files: {},
            usage: { wallMs: 0, cpuMs: 0, calls: 0 },
          }),
        close: async () => {},
      } satisfies Sandbox),
  });

  it("reports an engine as broken when its program escapes", async () => {
    const escaped = engine({ kind: "value", value: { sum: 6, escapes: ["read a file outside"] } });
    expect(await checkEngine("deno", escaped, [])).toMatchObject({
      status: "broken",
      problem: "It is not reliable on this machine: a test program read a file outside.",
    });
  });

  it("reports an engine as broken when it returns another value or none", async () => {
    for (const ending of [
      { kind: "value", value: { sum: 7, escapes: [] } },
      { kind: "value", value: null },
      { kind: "lost", message: "gone" },
    ] as const)
      expect(await checkEngine("deno", engine(ending), [])).toMatchObject({ status: "broken" });
  });

  it("reports what to install for a missing engine", async () => {
    const missing = async () => ({
      openEngine: () =>
        Effect.fail(
          new SandboxError("sandbox_failed", "Deno is not installed. Install it: npm install deno"),
        ),
    });
    expect(await checkEngine("deno", missing, ["you"])).toMatchObject({
      status: "missing",
      problem: "Deno is not installed. Install it: npm install deno",
      neededBy: ["you"],
    });
  });

  it("reports a Node version that is too old, and opens a real SQLite database", async () => {
    expect(checkNode("20.1.0")).toMatchObject({
      status: "broken",
      problem: expect.stringContaining("20.1.0"),
    });
    expect(await checkSqlite([])).toMatchObject({ status: "works", version: expect.stringMatching(/^3\./) });
  });
});
