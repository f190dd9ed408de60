import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { SearchExplanation } from "../../src/cli/tools/explain-search.ts";
import { formatSearch, searchJsonLines } from "../../src/cli/tools/format-search.ts";
import type { ToolSearchHit } from "../../src/registry/selection/search-index.ts";
import { testRegistration } from "../kit/test-registration.ts";
import { fixture, haft } from "./haft.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const index = pathToFileURL(fixture("../../../src/exports/index.ts")).href;
const travel = join(folder, "travel.ts");
writeFileSync(
  travel,
  `import { tool } from ${JSON.stringify(index)};
const of = (name, description) => tool({ name, description, input: [], run: () => name });
export const tools = [
  of("book_flight", "Book a flight between two cities. Answers with a number."),
  of("cancel_flight", "Cancels a flight"),
  of("book_table", "Book a table at a restaurant"),
  of("send_mail", "Sends a mail\\u001b[31m in red"),
];`,
);
const search = (query: string, ...more: readonly string[]) =>
  haft(["tools", "-t", travel, "--search", query, ...more]);

describe("haft tools --search", () => {
  it("prints matching tools, best first, with the first sentence of their description", async () => {
    const { code, out, error } = await search("book a flight", "--min-score", "0");
    const [head, first, ...others] = out.trimEnd().split("\n");
    expect(head).toMatch(/^NAME +SCORE +SUMMARY$/);
    expect(first).toMatch(/^book_flight +\d\.\d\d +Book a flight between two cities\.$/);
    expect(others.map((line) => line.split(" ")[0]).sort()).toEqual(["book_table", "cancel_flight"]);
    expect([code, error]).toEqual([0, ""]);
  });

  it("explains the matching terms and weights, and lists the tools passed over", async () => {
    const { out } = await search("book a flight", "--explain", "--limit", "1", "--min-score", "0");
    expect(out).toMatch(
      /book_flight.*\n {2}.*flight in its name \d+\.\d\d.*\n {2}shared 1\.00, .*named 1\.00/,
    );
    expect(out).toMatch(/excluded\n(.*\n)*cancel_flight +\d\.\d\d +it is not among the top 1/);
    const strict = await search("book a flight", "--explain", "--min-score", "1");
    expect(strict.out).toMatch(/book_flight +\d\.\d\d +its score is below 1/);
    expect(strict.code).toBe(1);
  });

  it("reports on standard error when nothing matches, and exits with 1", async () => {
    expect(await search("zzyzx quux")).toEqual({
      code: 1,
      out: "",
      error: expect.stringMatching(/^haft: .*No tool/),
    });
    expect((await search("zzyzx quux", "--json")).out).toBe("");
  });

  it("finds only tools that the caller may use", async () => {
    const { out } = await search("book a flight", "--allow", "cancel_*", "--as", "clerk");
    expect(out).toContain("cancel_flight");
    expect(out).not.toContain("book_");
  });

  it("prints one JSON object per line with --json, with the terms when it explains", async () => {
    const lines = async (...more: readonly string[]) =>
      (await search("book a flight", "--json", "--limit", "2", "--min-score", "0", ...more)).out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const plain = await lines();
    expect(plain).toHaveLength(2);
    expect(plain[0]).toEqual({
      name: "book_flight",
      score: expect.any(Number),
      summary: "Book a flight between two cities.",
    });
    const explained = await lines("--explain");
    expect(explained[0].found).toContainEqual({
      term: expect.any(String),
      place: expect.any(String),
      weight: expect.any(Number),
    });
    expect(explained.at(-1)).toMatchObject({ passedOver: expect.any(String) });
  });

  it("strips color codes of tools, and uses color only on a color terminal", async () => {
    const { out } = await search("send a mail", "--explain");
    expect(out).toContain("send_mail");
    expect(out).not.toContain("\u001b");
    const seen = await haft(["tools", "-t", travel, "--search", "send a mail"], { hasColor: true });
    expect(seen.out).toContain("\u001b[1mNAME");
  });

  it.each([
    [["--search", " "], "words that describe a task"],
    [["--search", "book", "a", "flight"], 'does not accept "a"'],
    [["shop.ts"], "--tools"],
    [["--search", "x", "--limit", "0"], "--limit must be a whole number of at least 1"],
    [["--search", "x", "--min-score", "2"], '--min-score must be a number from 0 to 1, not "2"'],
    [["--search", "x", "--min-score", ""], "--min-score must be a number"],
    [["--search", "x", "--min-score", "high"], "--min-score must be a number"],
    [["--search", "x", "--format", "openai"], "cannot be combined"],
    [["--explain"], "--explain requires --search"],
    [["--limit", "3"], "--limit requires --search"],
    [["--min-score", "0.5"], "--min-score requires --search"],
  ])("refuses %j before it loads anything", async (words, said) => {
    const { code, error } = await haft(["tools", "-t", join(folder, "none.ts"), ...words]);
    expect(code).toBe(2);
    expect(error).toContain(said);
  });

  it("is described in the help with an example and its exit code", async () => {
    const { out } = await haft(["tools", "--help"]);
    expect(out).toContain('haft tools --search "book a flight"');
    expect(out).toContain("exits with 1 if none matches");
  });
});

describe("a query with several requests", () => {
  const found = (name: string, score: number): ToolSearchHit => ({
    name,
    spec: testRegistration(name, { name, description: `Does ${name}` }).tool.spec,
    score,
    reason: "",
    found: [],
    evidence: { shared: 1, wish: 1, named: 0, described: 0, phrases: 0, meaning: 0, weight: 0 },
  });
  const several: SearchExplanation = {
    search: {
      tools: [found("book_flight", 0.9), found("send_mail", 0.8)],
      confidence: 0.9,
      wishes: [
        { text: "book a flight", tools: ["book_flight"] },
        { text: "mail it", tools: ["send_mail"] },
        { text: "dance", tools: [] },
      ],
    },
    passedOver: [],
  };
  const screen = { hasColor: false, width: 100 };

  it("prints the results of each request, also without a match", () => {
    expect(formatSearch(several, false, screen)).toBe(
      [
        "for: book a flight",
        "NAME         SCORE  SUMMARY",
        "book_flight  0.90   Does book_flight",
        "",
        "for: mail it",
        "NAME       SCORE  SUMMARY",
        "send_mail  0.80   Does send_mail",
        "",
        "for: dance",
        "no tool matches this part",
        "",
      ].join("\n"),
    );
  });

  it("prints JSON with the requests that each tool matches", () => {
    const [first] = searchJsonLines(several, false).split("\n");
    expect(JSON.parse(first!)).toMatchObject({ name: "book_flight", wishes: ["book a flight"] });
  });
});
