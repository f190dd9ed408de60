import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";
import { expect, it } from "vitest";
import { findMutated } from "./requirements/find-mutated.ts";
import { applyMutant } from "./requirements/mutant.ts";
import { readTitles } from "./requirements/read-titles.ts";
import { requirements } from "./requirements.ts";

const pinned = `
  S0.1 S0.2 S0.3 S0.4 S0.5 S0.6 S0.7 S0.8 S0.9
  S1.1 S1.2 S1.3 S1.4 S1.5 S1.6 S1.7 S1.8 S1.9 S1.10 S1.11 S1.12 S1.13 S1.14 S1.15 S1.16 S1.17
  S2.1 S2.2 S2.3 S2.4 S2.5 S2.6 S2.7 S2.8 S2.9 S2.10 S2.11 S2.12 S2.13 S2.14
  S3.1 S3.2 S3.3 S3.4 S3.5 S3.6 S3.7 S3.8
  S4.1 S4.2 S4.3 S4.4 S4.5 S4.6 S4.7 S4.8 S4.9 S4.10 S4.11 S4.12
  M.1 M.2 M.3 M.4 M.5 M.6
  B.1 B.2 B.3 B.4
  B.5
`;

const proven = requirements.flatMap((one) => (one.status === "proven" ? [one] : []));
const open = requirements.flatMap((one) => (one.status === "open" ? [one] : []));

/** Each file is read once. */
const titles = new Map<string, ReadonlySet<string>>();
const titlesOf = (path: URL): ReadonlySet<string> => {
  const known = titles.get(path.href) ?? readTitles(readFileSync(path, "utf8"));
  titles.set(path.href, known);
  return known;
};

const complaint = (file: string, title: string): string | undefined => {
  if (!/^(src|test|studio)\/.*\.test\.ts$/.test(file)) return `${file} is not a test file`;
  const path = new URL(`../${file}`, import.meta.url);
  if (!existsSync(path)) return `${file} does not exist`;
  return titlesOf(path).has(title) ? undefined : `${file} has no test "${title}"`;
};

it("the list holds every id once, in order", () => {
  expect(requirements.map((one) => one.id)).toEqual(pinned.trim().split(/\s+/));
});

it("a requirement names only tests that exist and run", () => {
  const wrong = requirements.flatMap((one) =>
    (one.tests ?? []).flatMap(({ file, title }) => {
      const found = complaint(file, title);
      return found === undefined ? [] : [`${one.id}: ${found}`];
    }),
  );
  expect(wrong).toEqual([]);
});

it("a benchmark that proves a requirement exists and is run by npm and CI", () => {
  const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> };
  const named = proven.flatMap(({ benchmark }) => benchmark ?? []);
  expect(named.map(({ script }) => scripts[script])).toEqual(named.map(({ file }) => `node ${file}`));
  for (const { file, script } of named) {
    expect(read(file)).toContain("process.exitCode = 1");
    expect(read(".ci/run")).toContain(`npm run --silent ${script}`);
  }
});

it("no requirement counts as proven without a test", () => {
  expect(proven.filter((one) => one.tests.length === 0).map((one) => one.id)).toEqual([]);
});

/** Proved by a benchmark that measures time. */
const withoutMutant = ["S1.15"];

it("every requirement has a mutant that breaks its promise", () => {
  const missing = requirements.filter(({ mutant }) => mutant === undefined).map(({ id }) => id);
  expect(missing).toEqual(withoutMutant);
});

it("every mutant changes one existing export, and its code parses", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const wrong = requirements.flatMap(({ id, mutant }) => {
    if (mutant === undefined) return [];
    const [path, ...more] = findMutated(root, mutant);
    if (path === undefined) return [`${id}: nothing exports ${mutant.export}`];
    if (more.length > 0) return [`${id}: ${mutant.export} is exported by ${[path, ...more].join(" and ")}`];
    const mutated = applyMutant(readFileSync(join(root, path), "utf8"), mutant) ?? "";
    return parses(mutated) ? [] : [`${id}: ${path} does not parse with its mutant`];
  });
  expect(wrong).toEqual([]);
});

const parses = (code: string): boolean => {
  try {
    parseAst(code, { lang: "ts" });
    return true;
  } catch {
    return false;
  }
};

it("an open requirement names what will prove it", () => {
  expect(open.filter((one) => !/^comes with \w/.test(one.reason)).map((one) => one.id)).toEqual([]);
});

it("titles are read from plain, modified and parametrized tests, on one line or several", () => {
  const titles = readTitles(`
    it("one", () => {});
    test('two', () => {});
    it.effect(
      "three \\"quoted\\"",
      () => {},
    );
    it.each([1, 2])("four %d", () => {});
    it.each([
      ["a", 1],
    ])("five %s", () => {});
  `);
  expect([...titles]).toEqual(["one", "two", 'three "quoted"', "four %d", "five %s"]);
});

it.each([
  ["skipped", 'it.skip("one", () => {});'],
  ["planned", 'it.todo("one");'],
  ["expected to fail", 'it.fails("one", () => {});'],
  ["skipped under a modifier", 'it.effect.skip("one", () => {});'],
  ["skipped for each of several cases", 'it.skip.each([1])("one", () => {});'],
  ["run under a condition", 'it.skipIf(isRoot)("one", () => {}); it.runIf(isRoot)("one", () => {});'],
  ["skipped by an option", 'it("one", { skip: true }, () => {});'],
  ["in a line comment", '// it("one", () => {});'],
  ["in a block comment", '/*\n  it("one", () => {});\n*/'],
  ["in a text", 'const text = `\n  it("one", () => {});\n`;'],
  ["in a group that is skipped", 'describe.skip("group", () => { it("one", () => {}); });'],
  ["not a test", 'expect("one"); describe("one", () => {});'],
])("a test that is %s proves nothing", (_, text) => {
  expect([...readTitles(text)]).toEqual([]);
});
