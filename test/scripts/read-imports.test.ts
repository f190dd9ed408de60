import { expect, it } from "vitest";
import { readImports } from "../../scripts/read-imports.ts";

const found = (text: string) => readImports(text).map(({ kind, specifier }) => `${kind} ${specifier}`);

it("every form of import is found with its kind", () => {
  const text = [
    `import "./effect.ts";`,
    `import one, { type Two } from "./value.ts";`,
    `import * as all from './all.ts';`,
    `import type { Three } from "./type.ts";`,
    `export { four } from "./export.ts";`,
    `export * from "./star.ts";`,
    `export type { Five } from "./export-type.ts";`,
    `const later = await import("./lazy.ts");`,
    `const six: import("./inline.ts").Six = later;`,
  ].join("\n");
  expect(found(text)).toEqual([
    "value ./effect.ts",
    "value ./value.ts",
    "value ./all.ts",
    "type ./type.ts",
    "value ./export.ts",
    "value ./star.ts",
    "type ./export-type.ts",
    "lazy ./lazy.ts",
    "lazy ./inline.ts",
  ]);
});

it("an import over several lines has the line of its specifier", () => {
  const text = `import {\n  one,\n  two,\n} from "./there.ts";`;
  expect(readImports(text)).toEqual([{ specifier: "./there.ts", kind: "value", line: 4 }]);
});

it("a module named in a comment, a string, a template or a pattern is not an import", () => {
  const text = [
    `// import "./a.ts";`,
    `/* export * from "./b.ts"; */`,
    `const text = 'import "./c.ts"';`,
    'const page = `import { d } from "./d.ts"`;',
    `const pattern = /from "([^"]*)"/;`,
    `const from = "./e.ts";`,
    `const list = Array.from("./f.ts");`,
    `mail.from "./g.ts";`,
  ].join("\n");
  expect(found(text)).toEqual([]);
});

it("an import inside of a template is found, and so is one after it", () => {
  const text = `const page = \`\${await import("./inside.ts")} and \${\`\${{}}\`}\`;\nimport './behind.ts';`;
  expect(found(text)).toEqual(["lazy ./inside.ts", "value ./behind.ts"]);
});

it("a quote in a pattern does not hide the import after it", () => {
  const text = `const quoted = text.replace(/["'\`]/g, "").split(/[/"]/);\nimport "./after.ts";`;
  expect(found(text)).toEqual(["value ./after.ts"]);
});

it("a division does not hide the import after it", () => {
  const text = `const half = all / 2; const word = "a"; const third = (all) / 3;\nimport "./after.ts";`;
  expect(found(text)).toEqual(["value ./after.ts"]);
});
