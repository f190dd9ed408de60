import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("useCassette in Vitest", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-vitest-"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    copyFileSync(join(root, "examples/17-cassettes/weather.test.ts"), join(folder, "weather.test.ts"));
    const entryUrl = (file: string) => JSON.stringify(join(root, "src/exports", file));
    write(
      "vitest.config.ts",
      `export default { resolve: { alias: [
        { find: /^haft$/, replacement: ${entryUrl("index.ts")} },
        { find: /^haft\\/testing$/, replacement: ${entryUrl("testing.ts")} },
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
            if (process.env.OFFLINE) throw new Error("the network is unavailable");
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
      it("does not check the result", async () => {
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
      const record = (text: Buffer): void => {
        output += text;
      };
      child.stdout.on("data", record);
      child.stderr.on("data", record);
      child.on("close", (code) => resolve(`${output}\ncode ${code}`));
    });

  it("records once, replays offline, and fails the test when the calls differ", {
    timeout: 240_000,
  }, async () => {
    expect(await vitest({})).toContain("1 failed | 3 passed");
    const tapes = readdirSync(join(folder, "__cassettes__"), { recursive: true, encoding: "utf8" });
    expect(tapes.filter((file) => file.endsWith(".json")).sort()).toEqual([
      "more.test.ts/does-not-check-the-result.json",
      "more.test.ts/holds-it-by-await-using.json",
      "weather.test.ts/knows-how-cold-it-is-in-Oslo.json",
    ]);

    const offline = await vitest({ CI: "1", OFFLINE: "1" });
    expect(offline).toMatch(/Tests +4 passed/);
    expect(offline).toContain("code 0");

    const other = await vitest({ CI: "1", OFFLINE: "1", CITY: "Bergen" });
    expect(other).toContain("1 failed | 3 passed");
    expect(other).toContain(
      "CassetteError: The cassette __cassettes__/more.test.ts/does-not-check-the-result.json",
    );
    expect(other).toContain('-   "city": "Oslo"');
    expect(other).toContain('+   "city": "Bergen"');
  });
});
