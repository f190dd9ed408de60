import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { nodeVersionProblem } from "../../src/base/platform/node-version.ts";
import { commands } from "../../src/cli/commands.ts";
import { fitTable } from "../../src/cli/fit-table.ts";
import { twoColumns, wrapText } from "../../src/cli/help.ts";
import { terminalWidth } from "../../src/cli/run-process.ts";
import { painter, withoutColors } from "../../src/cli/screen.ts";
import { haft } from "./haft.ts";
import { record, runId, seed } from "./seed.ts";

const place = seed(async (ledger) => {
  await record(ledger, 1, { tool: "warehouse.find_everything_there_is" });
  await record(
    ledger,
    2,
    { tool: "send_mail", runId: runId(2) },
    { ending: "failed", code: "failed", message: "no route to host", result: undefined },
  );
});

describe("a narrow terminal", () => {
  it.each([50, 60, 72, 80, 100, 120])(
    "of %i columns shows how each call ended and its result",
    async (width) => {
      const { out } = await haft(["log", "--ledger", await place], { width, hasColor: true });
      const [head, ...rows] = out.trimEnd().split("\n");
      for (const line of [head!, ...rows]) expect(withoutColors(line).length).toBeLessThanOrEqual(width);
      expect(head).toMatch(/ENDING +.*OUTCOME/);
      expect(withoutColors(rows[0]!)).toMatch(/4f3a9c-1 .*executed .*\{"celsius":21\}/);
      expect(withoutColors(rows[1]!)).toMatch(/failed .*failed: no ro/);
    },
  );

  it("of 60 columns drops the day and the agent, and cuts the name of the tool", async () => {
    const { out } = await haft(["log", "--ledger", await place], { width: 60 });
    expect(out).toMatch(/^TIME +ENTRY +TOOL +ENDING +OUTCOME$/m);
    expect(out).toMatch(/^12:01:00Z +4f3a9c-1 +warehouse\.f… +executed +\{"celsius":21\}$/m);
  });

  it("gets no color codes around empty text", async () => {
    const { out } = await haft(["log", "--ledger", await place], { width: 20, hasColor: true });
    expect(out.split("\u001b")).not.toContainEqual(expect.stringMatching(/^\[(?:1|2|3[0-6])m$/));
    expect(painter({ hasColor: true }).red("")).toBe("");
  });

  it.each(commands.map(({ name }) => name))("of 60 columns fits the help of haft %s", async (name) => {
    const { out } = await haft([...name.split(" "), "--help"], { width: 60 });
    const options = out.slice(0, out.indexOf("Examples"));
    for (const line of options.split("\n").filter((each) => !each.startsWith("  haft")))
      expect(line.length).toBeLessThanOrEqual(60);
    const overview = (await haft(["--help"], { width: 60 })).out;
    for (const line of overview.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});

it("fitTable aligns later lines with the head even if there were no rows before", () => {
  const column = { title: "A", cell: (text: string) => text, floor: 4 };
  const last = { title: "B", cell: () => "what", least: 4 };
  const { head, line } = fitTable([[column, last]], [], { width: 20, hasColor: false });
  expect([head, line("x")]).toEqual(["A     B\n", "x     what\n"]);
});

it("terminalWidth prefers COLUMNS, treats 0 as unknown, and is infinite for a pipe", () => {
  expect([terminalWidth({}, 0), terminalWidth({}, undefined), terminalWidth({}, 90)]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    90,
  ]);
  expect([
    terminalWidth({ COLUMNS: "60" }, 90),
    terminalWidth({ COLUMNS: "0" }, 90),
    terminalWidth({ COLUMNS: "x" }, 90),
  ]).toEqual([60, 90, 90]);
});

it("wrapText breaks between words, and twoColumns puts a text next to its name only if both fit", () => {
  expect(wrapText("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrapText("averyverylongword is", 5)).toEqual(["averyverylongword", "is"]);
  expect(twoColumns([["-x", "says what it is"]], 40)).toEqual(["-x  says what it is"]);
  expect(twoColumns([["--a-very-long-option", "says it"]], 30)).toEqual([
    "--a-very-long-option",
    "      says it",
  ]);
});

it("an old Node version is reported with the version that package.json requires", async () => {
  const { engines } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const [, needed] = />=(\S+)/.exec(engines.node) ?? [];
  expect(nodeVersionProblem("20.19.0")).toBe(`Haft needs Node ${needed} or newer; this is Node 20.19.0.`);
  expect([
    nodeVersionProblem("22.18.9"),
    nodeVersionProblem("22.19.0"),
    nodeVersionProblem("24.0.0"),
  ]).toEqual([expect.any(String), undefined, undefined]);
});
