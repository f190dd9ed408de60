import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import type { EngineName, ProgramResult, SandboxProgram } from "../../sandbox.ts";
import { Sandboxes } from "../../sandboxes.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { type CodeExecuteInput, codeExecutor } from "./code-executor.ts";

const nothing: Omit<ProgramResult, "ending"> = {
  logs: [],
  logsCut: false,
  files: {},
  usage: { wallMs: 3.4, cpuMs: 1.2, calls: 0 },
};

const run = async (
  input: CodeExecuteInput,
  result: Partial<ProgramResult> = {},
  code: Partial<SkillSettings["code"]> = {},
) => {
  const started: [SandboxProgram, EngineName | undefined][] = [];
  const answer = await Effect.runPromise(
    codeExecutor(skillSettings({ code }))(input).pipe(
      Effect.provideService(Sandboxes, {
        run: (program, engine) => {
          started.push([program, engine]);
          return Effect.succeed({ ...nothing, ending: { kind: "value", value: 1 }, ...result });
        },
      }),
      Effect.result,
    ),
  );
  return { answer, started };
};

describe("code-execute", () => {
  it("runs a program in the allowed engine within the limits", async () => {
    const limits = { wallMs: 500 };
    const { answer, started } = await run(
      { language: "typescript", source: "return input", input: [1] },
      {},
      { limits },
    );
    expect(answer).toMatchObject({
      success: { status: "done", value: 1, output: "", engine: "quickjs", usage: { wallMs: 3, cpuMs: 1 } },
    });
    expect(started).toEqual([
      [
        {
          language: "typescript",
          source: "return input",
          input: [1],
          limits: { resultBytes: 262_144, logBytes: 65_536, fileBytes: 262_144, wallMs: 500 },
        },
        "quickjs",
      ],
    ]);
  });

  it.each([
    [
      { kind: "error", name: "TypeError", message: "x is not a function", line: 3, column: 5 },
      { status: "error", error: { name: "TypeError", message: "x is not a function", line: 3, column: 5 } },
    ],
    [
      { kind: "stopped", limit: "cpu", message: "too long" },
      { status: "stopped", error: { limit: "cpu", message: "too long" } },
    ],
    [
      { kind: "lost", message: "gone" },
      { status: "lost", error: { message: "gone" } },
    ],
    [
      { kind: "value", value: undefined },
      { status: "done", value: null },
    ],
  ] as const)("reports how a program ended: %j", async (ending, reported) => {
    expect((await run({ language: "javascript", source: "x" }, { ending })).answer).toMatchObject({
      success: reported,
    });
  });

  it("returns the output, and files as text when possible", async () => {
    const logs = [
      { level: "log", text: "a" },
      { level: "warn", text: "b" },
    ] as const;
    const files = { "a.txt": Buffer.from("ü"), "b.bin": Uint8Array.of(255) };
    const { answer } = await run({ language: "javascript", source: "x" }, { logs, logsCut: true, files });
    expect(answer).toMatchObject({
      success: {
        output: "a\nwarn: b",
        outputCut: true,
        files: [
          { path: "a.txt", content: "ü", encoding: "utf-8" },
          { path: "b.bin", content: "/w==", encoding: "base64" },
        ],
      },
    });
  });

  it.each([
    [{ language: "python", source: "1" }, [], 'engines: ["quickjs","pyodide"]'],
    [
      { language: "javascript", source: "1", files: [{ path: "a", content: "" }] },
      [],
      'engines: ["quickjs","deno"]',
    ],
  ] as const)("runs nothing in an engine that is not allowed: %j", async (input, _, said) => {
    const { answer, started } = await run(input);
    expect(answer).toMatchObject({
      failure: { message: expect.stringContaining(said), failure: { ran: false } },
    });
    expect(started).toEqual([]);
  });

  it("selects an allowed engine by language, and one with a folder for files", async () => {
    const engines: EngineName[] = ["quickjs", "deno", "bubblewrap"];
    const files = [{ path: "data/in.txt", content: "AP8=", encoding: "base64" }] as const;
    expect((await run({ language: "python", source: "1" }, {}, { engines })).started[0]?.[1]).toBe(
      "bubblewrap",
    );
    const { started } = await run({ language: "javascript", source: "1", files }, {}, { engines });
    expect(started[0]?.[1]).toBe("deno");
    expect(started[0]?.[0].files).toEqual({ "data/in.txt": Buffer.from([0, 255]) });
  });

  it.each(["/etc/x", "../x", "a/../../x", "a//b", "a\0b", "a\\..\\b"])(
    "refuses a file at %j",
    async (path) => {
      const { answer, started } = await run(
        { language: "javascript", source: "1", files: [{ path, content: "" }] },
        {},
        { engines: ["deno"] },
      );
      expect(answer).toMatchObject({ failure: { message: expect.stringContaining("relative path") } });
      expect(started).toEqual([]);
    },
  );

  it("reports that there is no sandbox", async () => {
    const failing = Effect.flip(codeExecutor(skillSettings())({ language: "javascript", source: "1" }));
    expect(await Effect.runPromise(failing)).toMatchObject({
      code: "sandbox_failed",
      failure: { ran: false },
    });
  });
});
