import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Haft, tool } from "haft";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { useCassette } from "./use-cassette.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

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

  it("names files so that they can be read, and no two titles share one", () => {
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

  it("refuses to work outside of a test, and to open one file twice", async () => {
    expect(() => useCassette(named(undefined))).toThrow("belongs inside a test");
    expect(() => useCassette(named("t"), { nme: "x" } as never)).toThrow("nme");
    await using first = useCassette(named("Twice"));
    expect(() => useCassette(named("Twice"))).toThrow("Give the second one a `name`");
    await using second = useCassette(named("Twice"), { name: "other" });
    expect(second.path).not.toBe(first.path);
    await first[Symbol.asyncDispose]();
    await using third = useCassette(named("Twice"));
    expect(third.mode).toBe("replay");
  });

  it("saves after the test by the hook it is given, but not what a failed test recorded", async () => {
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

describe("with Vitest", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-vitest-"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    copyFileSync(join(root, "examples/17-cassettes/weather.test.ts"), join(folder, "weather.test.ts"));
    const door = (file: string) => JSON.stringify(join(root, "src", file));
    write(
      "vitest.config.ts",
      `export default { resolve: { alias: [
        { find: /^haft$/, replacement: ${door("index.ts")} },
        { find: /^haft\\/testing$/, replacement: ${door("testing.ts")} },
      ] } };`,
    );
    write(
      "open.ts",
      `import { Haft, tool } from "haft";
      export const open = ({ layers }) => Haft.open({
        principal: { agent: "x", allow: ["*"] },
        layers,
        tools: [tool({
          name: "weather", description: "Weather", input: { type: "object", properties: { city: { type: "string" } } },
          run: async ({ city }) => {
            if (process.env.OFFLINE) throw new Error("there is no network");
            return { city, celsius: 4 };
          },
        })],
      });`,
    );
    write(
      "more.test.ts",
      `import { useCassette } from "haft/testing";
      import { expect, it, onTestFinished } from "vitest";
      import { open } from "./open.ts";
      const ask = async (tape, city) => {
        await using haft = await open({ layers: [tape.layer] });
        return (await haft.turn([{ id: "1", tool: "weather", input: { city } }]))[0];
      };
      it("forgets to look at what came", async () => {
        await ask(useCassette(expect, { after: onTestFinished }), process.env.CITY ?? "Oslo");
      });
      it("holds it by await using", async () => {
        await using tape = useCassette(expect);
        expect((await ask(tape, "Rome")).ok).toBe(true);
      });
      it("fails while it records", async () => {
        if (process.env.CI) return;
        await ask(useCassette(expect, { after: onTestFinished }), "Rome");
        expect(1).toBe(2);
      });`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);

  const vitest = (variables: Record<string, string>): Promise<string> =>
    new Promise((resolve) => {
      const script = join(root, "node_modules/vitest/vitest.mjs");
      const child = spawn(process.execPath, [script, "run", "--no-color", "--root", folder], {
        cwd: folder,
        env: { PATH: process.env.PATH, NO_COLOR: "1", ...variables },
      });
      let output = "";
      const hear = (text: Buffer): void => {
        output += text;
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("close", (code) => resolve(`${output}\ncode ${code}`));
    });

  it("records once, replays without the code, and fails the test when the calls no longer fit", {
    timeout: 240_000,
  }, async () => {
    expect(await vitest({})).toContain("1 failed | 3 passed");
    const tapes = readdirSync(join(folder, "__cassettes__"), { recursive: true, encoding: "utf8" });
    expect(tapes.filter((file) => file.endsWith(".json")).sort()).toEqual([
      "more.test.ts/forgets-to-look-at-what-came.json",
      "more.test.ts/holds-it-by-await-using.json",
      "weather.test.ts/knows-how-cold-it-is-in-Oslo.json",
    ]);

    const offline = await vitest({ CI: "1", OFFLINE: "1" });
    expect(offline).toMatch(/Tests +4 passed/);
    expect(offline).toContain("code 0");

    const other = await vitest({ CI: "1", OFFLINE: "1", CITY: "Bergen" });
    expect(other).toContain("1 failed | 3 passed");
    expect(other).toContain(
      "CassetteError: The cassette __cassettes__/more.test.ts/forgets-to-look-at-what-came.json",
    );
    expect(other).toContain('-   "city": "Oslo"');
    expect(other).toContain('+   "city": "Bergen"');
  });
});
