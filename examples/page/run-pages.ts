// Runs the commands of pages in docs/. Shared by the examples of several pages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Said } from "./project.ts";

export interface Story {
  /** Files in docs/, in reading order. */
  readonly pages: readonly string[];
  readonly haft: (words: readonly string[]) => Said | Promise<Said>;
  /** Values for `$NAME` that the reader copies from the output. */
  readonly known?: Readonly<Record<string, () => string>>;
  /** Steps of `<!-- step: name -->`. */
  readonly steps?: Readonly<Record<string, () => Promise<void> | void>>;
  /** Lines of other programs. Lines that are neither listed nor haft commands fail the example. */
  readonly others?: Readonly<Record<string, () => void>>;
  /** Commands that keep running; a step starts them. */
  readonly isStarted?: (words: readonly string[]) => boolean;
  /** Whether each line of a `text` block must be in the output of the commands above it. */
  readonly checksOutput?: boolean;
}

const fence = /^```(?<language>\w*).*\n(?<body>[\s\S]*?)^```$|^<!-- step: (?<step>\w+) -->$/gm;

/** Returns the number of commands and steps. */
export const runPages = async (story: Story): Promise<number> => {
  let count = 0;
  for (const page of story.pages) {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
    let output = "";
    for (const { groups = {} } of text.matchAll(fence)) {
      const { language, body = "", step } = groups;
      if (step !== undefined) {
        const take = story.steps?.[step];
        assert.ok(take, `${page} names the step ${step}, which does not exist`);
        await take();
        count += 1;
      }
      if (language === "text" && story.checksOutput === true) checkOutput(page, body, output);
      if (language !== "sh") continue;
      output = "";
      for (const line of body.split("\n").filter((each) => each.trim() !== "")) {
        output += await runLine(story, page, line);
        count += 1;
      }
    }
  }
  return count;
};

/** `npx haft WORDS   # exit 1, says "TEXT"`: the comment is the expected result. */
const runLine = async (story: Story, page: string, line: string): Promise<string> => {
  const [, command = "", note = ""] = /^(.+?)(?:\s+# (.*))?$/.exec(line) ?? [];
  const written = /^(?:npx )?haft (.+)$/.exec(command)?.[1];
  if (written === undefined) {
    const other = story.others?.[command];
    assert.ok(other, `${page}: no step runs "${command}"`);
    other();
    return "";
  }
  const words = [...written.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
  const filled = words.map((word) =>
    word.startsWith("$") ? (story.known?.[word.slice(1)]?.() ?? word) : word,
  );
  if (story.isStarted?.(filled) === true) return "";
  const { code, out } = await story.haft(filled);
  console.log(`$ haft ${filled.join(" ")}\n${out}`);
  const expected = Number(/exit (\d+)/.exec(note)?.[1] ?? 0);
  assert.equal(code, expected, `${page}: haft ${written} exits with ${code}: ${out}`);
  const says = /says "([^"]+)"/.exec(note)?.[1];
  if (says !== undefined)
    assert.ok(out.includes(says), `${page}: haft ${written} does not say "${says}": ${out}`);
  return out;
};

/** Replaces ids, times and column widths, which differ from run to run. */
const steady = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\b(?:[0-9a-f]{8}|(?=[a-f-]*\d)[0-9a-f]{6,})(?:-[0-9a-f]+)*\b/g, "ID")
    .replace(/\b\d+ (?:s|min) ago\b/g, "AGO")
    .replace(/\b(executed|failed|pending)\s+[\d.,]+(?=\s)/g, "$1 MS")
    .replace(/[ \t]+/g, " ")
    .trim();

const checkOutput = (page: string, shown: string, output: string): void => {
  const said = output.split("\n").map(steady);
  for (const line of shown.split("\n").map(steady)) {
    const parts = line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`);
    assert.ok(
      said.some((each) => pattern.test(each)),
      `${page} shows "${line}", which is not in the output:\n${output}`,
    );
  }
};
