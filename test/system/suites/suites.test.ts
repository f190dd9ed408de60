import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "suites-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (data: string, ...flags: string[]) =>
  spawnSync(process.execPath, ["scripts/suites.ts", ...flags], {
    encoding: "utf8",
    env: { ...process.env, HAFT_SUITES: data },
  });

const write = (file: string, content: unknown): void => {
  mkdirSync(join(folder, file, ".."), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
};

it("no data runs and fails nothing", () => {
  const { status, stdout } = run(join(folder, "nowhere"));
  expect([status, stdout]).toEqual([0, expect.stringContaining("No suite was run.")]);
});

it("a wrong answer fails the run, and a suite without data is skipped", () => {
  const tests = [
    { description: "right", data: "a", valid: true },
    { description: "wrong on purpose", data: 1, valid: true },
  ];
  write("schemas/json-schema-test-suite/draft7/type.json", [
    { description: "text", schema: { type: "string" }, tests },
  ]);
  const { status, stdout } = run(folder);
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /FAIL {2}JSON Schema Test Suite, draft-07.*: 1 of 2 right.*type\.json, text, wrong on purpose/s,
  );
  expect(stdout).toMatch(/skip {2}JSON Schema Test Suite, draft 2020-12/);
  const scores = JSON.parse(run(folder, "--json").stdout);
  expect(scores).toContainEqual(expect.objectContaining({ passed: false, floor: 0.99 }));
});

it("a tool outside the first five results lowers the tool selection score", () => {
  const place = join(folder, "selection");
  mkdirSync(join(place, "tool-selection"), { recursive: true });
  const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
  const tool = (name: string, description: string) => ({
    id: name,
    name,
    description,
    parameters: null,
    source: "made-up",
  });
  const tools = [tool("get_weather", "Weather of a city"), tool("send_mail", "Sends a mail")];
  const question = (query: string, id: string) => ({ query, relevant: [id], source: "made-up" });
  const save = (questions: readonly object[]): void => {
    writeFileSync(join(place, "tool-selection/tools.jsonl"), lines(tools));
    writeFileSync(join(place, "tool-selection/queries.jsonl"), lines(questions));
  };
  save([question("what is the weather", "get_weather"), question("mail Bob", "send_mail")]);
  expect(run(place).stdout).toMatch(/pass {2}tool selection: 2 of 2 right.*macro R@5 1\.000/);
  save([question("what is the weather", "get_weather"), question("feed the cat", "send_mail")]);
  const { status, stdout } = run(place);
  expect([status, stdout]).toEqual([1, expect.stringMatching(/FAIL {2}tool selection: 1 of 2 right/)]);
});
