import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { haft } from "./haft.ts";

const scene = () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-run-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "in.txt"), "words");
  const config = join(folder, "haft.config.json");
  const rules = [
    { id: "all", effect: "allow", tools: ["*"] },
    { id: "ask", effect: "approve", tools: ["file-write"] },
  ];
  const settings = {
    builtinTools: ["file-read", "file-write", "run-code"],
    skills: { files: { read: [folder], write: [folder] } },
  };
  writeFileSync(config, JSON.stringify({ config: settings, policy: { rules } }));
  const place = ["--config", config, "--ledger", `sqlite:${join(folder, "ledger.db")}`];
  return { folder, place, run: (...words: string[]) => haft([...words, ...place]) };
};

it("a program with two pending calls is resumed once after both are approved", async () => {
  const { folder, run } = scene();
  const source = `const { content } = await tools.file_read({ path: "in.txt" });
const write = (path: string) => tools.file_write({ path, content: content.toUpperCase() });
const [a, b] = await Promise.all([write("a.txt"), write("b.txt")]);
return a.bytes + b.bytes;`;
  const called = await run("call", "run-code", JSON.stringify({ source }));
  expect(called.code).toBe(3);
  expect(called.error).toContain("? file-write is pending approval");

  const listed = (await run("approvals", "--json")).out.trim().split("\n");
  const asked = listed.map(
    (line) => JSON.parse(line) as { readonly id: string; readonly tool: string; readonly runId: string },
  );
  expect(asked.map(({ tool }) => tool)).toEqual(["file-write", "file-write"]);
  expect((await run("approve", ...asked.map(({ id }) => id))).code).toBe(0);
  expect(existsSync(join(folder, "a.txt"))).toBe(false);

  const resumed = await run("resume", asked[0]!.runId);
  expect(resumed).toMatchObject({ code: 0, error: "" });
  expect(JSON.parse(resumed.out)).toMatchObject({ value: 10, calls: 3 });
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("WORDS");
  const log = (await run("log")).out;
  expect(log).toMatch(/ run-code +executed .*\n.* └ file-read +executed .*\n.* └ file-write +executed /);
  const [program] = log.match(/\S+(?= {2}\S+ +run-code)/) ?? [];
  expect((await run("log", program!)).out).toMatch(/calls that its code made\n.*file-read +executed/);
  const again = await run("resume", asked[0]!.runId);
  expect(again.code).toBe(1);
});
