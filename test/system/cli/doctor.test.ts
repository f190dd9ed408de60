import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { haft, type Ran } from "../../cli/haft.ts";

describe("haft doctor", () => {
  let folder: string;
  let table: Ran;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "haft-doctor-test-"));
    await writeFile(
      join(folder, "haft.mcp.json"),
      JSON.stringify({ servers: { notes: { command: "notes", sandbox: "bubblewrap" } } }),
    );
    table = await haft(["doctor", "--file", join(folder, "haft.mcp.json")], {
      hasColor: true,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("exits with 1 only when a required component does not work", () => {
    const needed = /^(?:node|bubblewrap) +(\w+)/gm;
    const states = [...plain(table.out).matchAll(needed)].map(([, state]) => state);
    const areFine = states.every((state) => state === "works");
    expect([states.length, table.code]).toEqual([2, areFine ? 0 : 1]);
    expect(table.out).toContain(areFine ? "All required parts work." : "does not work.");
  });

  it("checks Node, SQLite and every sandbox, and names what needs them", () => {
    const lines = table.out.split("\n").map(plain);
    for (const name of ["node", "sqlite", "quickjs", "deno", "pyodide", "bubblewrap"])
      expect(lines.filter((line) => new RegExp(`^${name} +(works|missing|broken)`).test(line))).toHaveLength(
        1,
      );
    expect(lines.find((line) => line.startsWith("deno "))).toMatch(/^deno +works +\d+\.\d+\.\d+ +\d+ ms/);
    expect(lines.find((line) => line.startsWith("pyodide "))).toMatch(/^pyodide +works +3\./);
    expect(lines.find((line) => line.startsWith("bubblewrap "))).toContain("notes");
  });

  it("checks only the named engine, and rejects an unknown engine", async () => {
    const { code, out } = await haft(["doctor", "deno", "--json"]);
    const checks = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, checks.map(({ name, neededBy }) => [name, neededBy])]).toEqual([
      0,
      [
        ["node", ["haft"]],
        ["sqlite", []],
        ["deno", ["you"]],
      ],
    ]);
    const wrong = await haft(["doctor", "vm"]);
    expect([wrong.code, wrong.error]).toEqual([
      2,
      expect.stringContaining("quickjs, deno, pyodide, bubblewrap"),
    ]);
  });

  const plain = (text: string): string =>
    text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "");
});
