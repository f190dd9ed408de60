import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { checkModules } from "../../scripts/check-modules.ts";
import { promiseFiles } from "../../scripts/raw-async.ts";

let source: string | undefined;

afterEach(() => {
  if (source !== undefined) rmSync(source, { recursive: true });
  source = undefined;
});

const check = (files: Readonly<Record<string, string>>) => {
  source = mkdtempSync(join(tmpdir(), "haft-modules-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    writeFileSync(join(source, file), text);
  }
  return checkModules(source);
};

const checkOne = (files: Readonly<Record<string, string>>) => {
  const violations = check(files);
  expect(violations).toHaveLength(1);
  return violations[0]!;
};

it("finds no violation in this repository", () => {
  expect(checkModules(fileURLToPath(new URL("../../src", import.meta.url)))).toEqual([]);
});

it("accepts imports of earlier modules, of the same module and of packages", () => {
  const violations = check({
    "types/spec.ts": `import type { Effect } from "effect/Effect";`,
    "policy/rule.ts": `import type { Spec } from "../types/spec.ts";\nimport { match } from "./match.ts";`,
    "policy/match.ts": "export const match = 1;",
    "pipeline/call.ts": `import { hydrate } from "./1-hydrate/hydrate.ts";`,
    "pipeline/1-hydrate/hydrate.ts": `import { read } from "./read.ts";\nimport type { State } from "../state.ts";`,
    "pipeline/1-hydrate/read.ts": "export const read = 1;",
    "pipeline/state.ts": "export interface State {}",
    "models/dialects/read.ts": `import type { State } from "../../pipeline/state.ts";`,
    "exports/index.ts": `export { hydrate } from "../pipeline/1-hydrate/hydrate.ts";\nexport { match } from "../policy/match.ts";`,
  });
  expect(violations).toEqual([]);
});

it("refuses an import of a later module, with the line and a remedy", () => {
  expect(
    checkOne({ "types/spec.ts": `\nimport { match } from "../policy/match.ts";`, "policy/match.ts": "" }),
  ).toEqual({
    file: "types/spec.ts",
    line: 2,
    imported: "../policy/match.ts",
    why: "policy/ comes after types/, and a module imports only earlier modules, types included",
    remedy: "move the shared code to types/ or to an earlier module, or pass it in as a value",
  });
});

it("refuses an import of a later module inside the same top folder", () => {
  expect(
    checkOne({ "base/json/hash.ts": `import "../http/client.ts";`, "base/http/open-http-egress.ts": "" }).why,
  ).toContain("base/http/ comes after base/json/");
});

it.each([
  ["a type import", `import type { Rule } from "../policy/rule.ts";`],
  ["a type export", `export type { Rule } from "../policy/rule.ts";`],
  ["an inline type", `export const rule = {} as import("../policy/rule.ts").Rule;`],
  ["a dynamic import", `export const load = () => import("../policy/rule.ts");`],
  ["a re-export", `export * from "../policy/rule.ts";`],
])("refuses %s of a later module", (_, text) => {
  expect(checkOne({ "types/spec.ts": text, "policy/rule.ts": "" })).toMatchObject({
    imported: "../policy/rule.ts",
  });
});

it("refuses an import between stages", () => {
  const violation = checkOne({
    "pipeline/2-bind/bind.ts": `import { read } from "../1-hydrate/read.ts";`,
    "pipeline/1-hydrate/read.ts": "",
  });
  expect(violation.why).toBe("stages do not import each other");
});

it("refuses an import of a stage from outside of the pipeline", () => {
  const violation = checkOne({
    "runtime/haft.ts": `import { read } from "../pipeline/1-hydrate/read.ts";`,
    "pipeline/1-hydrate/read.ts": "",
  });
  expect(violation.why).toBe("only pipeline/*.ts and pipeline/pending/*.ts import the stage 1-hydrate");
});

it.each(["../exports/index.ts", "haft", "haft/layers"])(
  "refuses an import of the entry point %s",
  (entry) => {
    const violation = checkOne({
      "runtime/haft.ts": `import { tool } from "${entry}";`,
      "exports/index.ts": "",
    });
    expect(violation.remedy).toBe("import the file that declares the export");
  },
);

it("refuses an entry point that imports an entry point", () => {
  expect(
    checkOne({ "exports/effect.ts": `export { tool } from "./index.ts";`, "exports/index.ts": "" }),
  ).toMatchObject({ file: "exports/effect.ts", why: "it is an entry point of the package" });
});

it("refuses an import from outside of src", () => {
  expect(checkOne({ "cli/main.ts": `import "../../scripts/a.ts";` }).why).toBe("it is outside of src/");
});

it("refuses a file in a folder that the order does not list", () => {
  expect(checkOne({ "padding/pad.ts": "" }).why).toBe("padding/pad.ts is in no known module");
});

it("reports an import cycle once, with its path", () => {
  const violation = checkOne({
    "policy/a.ts": `import "./b.ts";`,
    "policy/b.ts": `import { c } from "./c.ts";`,
    "policy/c.ts": `export * from "./a.ts";`,
  });
  expect(violation.why).toBe(
    "the files import each other in a circle: policy/a.ts → policy/b.ts → policy/c.ts → policy/a.ts",
  );
});

it("accepts a cycle that closes through a type import or a dynamic import", () => {
  const violations = check({
    "types/call.ts": `import type { Tool } from "./tool.ts";`,
    "types/tool.ts": `import { call } from "./call.ts";`,
    "types/lazy.ts": `export const load = () => import("./eager.ts");`,
    "types/eager.ts": `import { load } from "./lazy.ts";`,
  });
  expect(violations).toEqual([]);
});

it("accepts any import in test files", () => {
  const violations = check({
    "types/spec.test.ts": `import "../policy/rule.ts";\nimport "haft";`,
    "types/spec.test-d.ts": `import "../cli/main.ts";`,
    "policy/rule.ts": "",
    "cli/main.ts": "",
  });
  expect(violations).toEqual([]);
});

it.each([
  ["async", "export const one = async () => 1;"],
  ["async", "export async function one() {}"],
  ["async", "class One {\n  async one() {}\n}"],
  ["async", "class One {\n  async #one() {}\n}"],
  ["await", "\nfor await (const each of all) use(each);"],
  ["await", "const one = await other;"],
  ["new Promise", "const one = new Promise<void>(() => {});"],
  [".then(", "one.then(two);"],
  [".then(", "one?.then(two);"],
])("refuses `%s` in a module that is written in Effect", (what, text) => {
  const violation = checkOne({ "pipeline/one.ts": text });
  expect(violation.file).toBe("pipeline/one.ts");
  expect(violation.line).toBe(text.slice(0, text.search(/async|await|new Promise|then/)).split("\n").length);
  expect(violation.why).toContain(`\`${what}\` is raw async code`);
  expect(violation.remedy).toContain("Effect.promise");
});

it("accepts text that only looks like raw async code, and raw async code in promise modules", () => {
  const harmless = [
    "// async and await in a comment",
    'const text = "async () => await new Promise";',
    "const more = `one.then(two)` + Fiber.await(fiber);",
    "interface One { readonly async: boolean; readonly then?: unknown }",
    "if (schema.async) asyncLayer();",
    "yield* Deferred.await(answered);",
    "const Promises = Effect.andThen(one, two);",
  ].join("\n");
  const real = "export const one = async () => new Promise(() => {});";
  expect(
    check({
      "pipeline/one.ts": harmless,
      "ledger/one.ts": real,
      "models/one.ts": real,
      "mcp/one.ts": real,
      "runtime/one.ts": real,
      "exports/index.ts": real,
      "pipeline/one.test.ts": real,
    }),
  ).toEqual([]);
});

it("accepts a listed exception, and reports it once it has no raw async code", () => {
  expect(check({ "pipeline/layers/async-layer.ts": "export const one = async () => 1;" })).toEqual([]);
  expect(checkOne({ "pipeline/layers/async-layer.ts": "export const one = 1;" }).why).toContain(
    "listed as an exception",
  );
  expect(Object.values(promiseFiles).filter((reason) => reason.length < 20)).toEqual([]);
});
