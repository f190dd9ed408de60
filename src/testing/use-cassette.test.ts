import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Haft, tool } from "haft";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useCassette } from "./use-cassette.ts";

describe("useCassette", () => {
  let folder = "";
  beforeEach(() => {
    vi.stubEnv("CI", "");
    vi.stubEnv("HAFT_CASSETTES", "");
    folder = mkdtempSync(join(tmpdir(), "haft-use-"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const named = (currentTestName: string | undefined) => ({
    getState: () => ({ testPath: join(folder, "some.test.ts"), currentTestName }),
  });
  const fileOf = (title: string, name?: string): string => {
    const tape = useCassette(named(title), name === undefined ? {} : { name });
    tape[Symbol.asyncDispose]();
    return tape.path.slice(join(folder, "__cassettes__", "some.test.ts").length + 1);
  };

  it("knows the running test by the expect of Vitest", () => {
    const tape = useCassette(expect, { mode: "record" });
    expect(tape.path).toBe(
      fileURLToPath(
        new URL(
          "__cassettes__/use-cassette.test.ts/useCassette--knows-the-running-test-by-the-expect-of-Vitest.json",
          import.meta.url,
        ),
      ),
    );
  });

  it("creates readable file names that differ for each title", () => {
    expect(fileOf("weather > asks for Oslo")).toBe("weather--asks-for-Oslo.json");
    expect(fileOf("weather > asks for Oslo", "second")).toBe("weather--asks-for-Oslo--second.json");
    expect(fileOf("spørsmål")).toBe("spørsmål.json");
    const odd = [
      "a-b",
      "a/b",
      "a..b",
      "../../etc",
      "a",
      "a b",
      "a  b",
      "x".repeat(300),
      `${"x".repeat(300)}y`,
    ];
    const files = odd.map((title) => fileOf(title));
    expect(new Set(files).size).toBe(odd.length);
    for (const file of files) expect(file).toMatch(/^[\w-]{1,120}\.json$/);
  });

  it("is refused outside of a test, and for a file that is open", async () => {
    expect(() => useCassette(named(undefined))).toThrow("must be called inside a test");
    expect(() => useCassette(named("t"), { nme: "x" } as never)).toThrow("nme");
    await using first = useCassette(named("Twice"));
    expect(() => useCassette(named("Twice"))).toThrow("Set a `name` for the second one");
    await using second = useCassette(named("Twice"), { name: "other" });
    expect(second.path).not.toBe(first.path);
    await first[Symbol.asyncDispose]();
    await using third = useCassette(named("Twice"));
    expect(third.mode).toBe("replay");
  });

  it("saves after a test by the given hook, unless the test failed", async () => {
    const once = async (title: string, state: string) => {
      let hook: ((context?: unknown) => Promise<void>) | undefined;
      const tape = useCassette(named(title), { after: (given) => (hook = given) });
      const echo = tool({
        name: "echo",
        description: "Echoes",
        input: { type: "object" },
        run: (input) => input,
      });
      const haft = await Haft.open({
        tools: [echo],
        principal: { agent: "x", allow: ["*"] },
        layers: [tape.layer],
      });
      await haft.call("echo", {});
      await haft.close();
      expect(existsSync(tape.path)).toBe(false);
      await hook?.({ task: { result: { state } } });
      return existsSync(tape.path);
    };
    expect(await once("passes", "pass")).toBe(true);
    expect(await once("fails", "fail")).toBe(false);
  });
});
