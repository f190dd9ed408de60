import { expect, it } from "vitest";
import { readRegion, syncSnippets } from "../../scripts/snippets.ts";

const source = [
  `import { tool } from "haft";`,
  "",
  "//#region define",
  "const weather = tool({});",
  "  //#region layer",
  "  weather.layer(1);",
  "",
  "  weather.layer(2);",
  "  //#endregion",
  "//#endregion",
  "export {};",
].join("\n");

const read = (file: string) => (file === "examples/a.ts" ? source : undefined);
const fence = (info: string, ...content: string[]) => [`\`\`\`${info}`, ...content, "```"].join("\n");

it("a region is read without its markers and its common indentation", () => {
  expect(readRegion(source, "layer")).toEqual(["weather.layer(1);", "", "weather.layer(2);"]);
});

it("a nested region belongs to both regions", () => {
  expect(readRegion(source, "define")).toEqual([
    "const weather = tool({});",
    "  weather.layer(1);",
    "",
    "  weather.layer(2);",
  ]);
});

it("a stale fence is replaced by its source, and the rest of the page is kept", () => {
  const page = (...content: string[]) =>
    `# Title\n\n${fence("ts file=examples/a.ts region=layer", ...content)}\n\nEnd.\n`;
  const { text, stale, problems } = syncSnippets(page("old"), read);
  expect(problems).toEqual([]);
  expect(stale).toEqual([
    { line: 3, before: ["old"], after: ["weather.layer(1);", "", "weather.layer(2);"] },
  ]);
  expect(text).toBe(page("weather.layer(1);", "", "weather.layer(2);"));
  expect(syncSnippets(text, read)).toEqual({ text, stale: [], problems: [] });
});

it("two fences of one page are both updated", () => {
  const info = "ts file=examples/a.ts region=layer";
  const { text } = syncSnippets(`${fence(info)}\nbetween\n${fence(info, "a", "b", "c", "d")}`, read);
  const fresh = fence(info, "weather.layer(1);", "", "weather.layer(2);");
  expect(text).toBe(`${fresh}\nbetween\n${fresh}`);
});

it("a fence in a list keeps the indentation of the list", () => {
  const page = "- item\n  ```ts file=examples/a.ts region=layer\n  ```\n";
  expect(syncSnippets(page, read).text).toBe(
    "- item\n  ```ts file=examples/a.ts region=layer\n  weather.layer(1);\n\n  weather.layer(2);\n  ```\n",
  );
});

it("a TypeScript fence without a source is refused, with its line", () => {
  const { problems } = syncSnippets(`one\n${fence("ts", "const a = 1;")}`, read);
  expect(problems).toEqual([
    {
      line: 2,
      message: "this fence has no source: add file=… region=…, or mark it type=signature",
    },
  ]);
});

it("a source that does not exist, or a region it does not have, is refused", () => {
  const messages = ["ts file=examples/b.ts", "ts file=examples/a.ts region=gone"].map(
    (info) => syncSnippets(fence(info), read).problems[0]?.message,
  );
  expect(messages).toEqual(["examples/b.ts does not exist", "examples/a.ts has no region gone"]);
});

it("signatures, other languages and fences inside of longer fences are not changed", () => {
  const page = [
    fence("ts type=signature", "type A = 1;"),
    fence("sh", "npm test"),
    "````md",
    fence("ts", "const a = 1;"),
    "````",
  ].join("\n");
  expect(syncSnippets(page, read)).toEqual({ text: page, stale: [], problems: [] });
});

it("a fence of another language is updated if it names a source, and may contain fences", () => {
  const page = "````gram file=examples/a.ts region=layer\n```\nold\n````\n";
  expect(syncSnippets(page, read).text).toBe(
    "````gram file=examples/a.ts region=layer\nweather.layer(1);\n\nweather.layer(2);\n````\n",
  );
});
