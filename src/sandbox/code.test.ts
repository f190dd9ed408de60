import { Haft, tool } from "haft";
import { type CodeOptions, code } from "haft/sandbox";
import { afterEach, describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const opened: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const haft of opened.splice(0)) await haft.close();
});

const open = async (options: CodeOptions, config = {}) => {
  const written = tool({
    name: "written",
    description: "Is text",
    input: { type: "object", properties: { n: { type: "integer" } } },
    annotations: { idempotent: true },
    implementation: code(options),
  });
  const haft = await Haft.open({ tools: [written], principal, config });
  opened.push(haft);
  return (input: { readonly n?: number } = {}): Promise<unknown> => haft.call("written", input);
};

describe("tool with source code", () => {
  it("receives its arguments as input and returns a value", async () => {
    const typed = await open({
      language: "typescript",
      source: "const n: number = input.n; return { twice: n * 2 }",
    });
    expect(await typed({ n: 4 })).toEqual({ twice: 8 });
    const plain = await open({ source: "return input.n + 1" });
    expect(await plain({ n: 1 })).toBe(2);
  });

  it("has the current time of the host", async () => {
    const before = Date.now();
    const asked = await open({ source: "return Date.now()" });
    expect(await asked()).toBeGreaterThanOrEqual(before);
  });

  it("fails with the name, the message and the line of its error", async () => {
    const broken = await open({ source: "\nthrow new TypeError('no')" });
    await expect(broken()).rejects.toMatchObject({
      code: "failed",
      message: 'The tool "written" failed: TypeError: no (line 2)',
    });
  });

  it("reports timed_out for wallMs, and sandbox_failed for the other limits", async () => {
    const slow = await open({ source: "for (;;) {}", limits: { wallMs: 50 } });
    await expect(slow()).rejects.toMatchObject({ code: "timed_out", timeoutMs: 50 });
    const busy = await open({ source: "for (;;) {}", limits: { cpuMs: 50 } });
    await expect(busy()).rejects.toMatchObject({
      code: "sandbox_failed",
      message: 'The code of the tool "written" was stopped. The program used more than 50 ms of CPU time.',
    });
    const source = "return new Uint8Array(40 * 1024 * 1024).length";
    const large = await open({ source, limits: { memoryBytes: 20 * 1024 * 1024 } });
    await expect(large()).rejects.toMatchObject({
      code: "sandbox_failed",
      message: expect.stringContaining("bytes of memory"),
    });
  });

  it("runs in a sandbox even when the sandbox is off for trusted tools", async () => {
    const curious = await open({ source: "return typeof process" }, { execution: { sandboxEnabled: false } });
    expect(await curious()).toBe("undefined");
  });

  it("names the available engines, and the languages of an engine", async () => {
    const unknown = await open({ source: "", engine: "unheard" as never });
    await expect(unknown()).rejects.toMatchObject({
      code: "sandbox_failed",
      message: expect.stringContaining("quickjs"),
    });
    const wrong = await open({ source: "1", language: "python", engine: "quickjs" });
    await expect(wrong()).rejects.toThrow("does not run python. It runs javascript and typescript.");
  });

  it("is refused for source that is not text and an unknown language", () => {
    expect(() => code({ source: 7 as never })).toThrow("needs a string as its `source`");
    expect(() => code({ source: "", language: "cobol" as never })).toThrow("javascript, typescript, python");
  });
});
