import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { checkRooms } from "../../scripts/check-rooms.ts";
import { promiseFaces } from "../../scripts/raw-async.ts";

let source: string | undefined;

afterEach(() => {
  if (source !== undefined) rmSync(source, { recursive: true });
  source = undefined;
});

const check = (files: Readonly<Record<string, string>>) => {
  source = mkdtempSync(join(tmpdir(), "haft-rooms-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    writeFileSync(join(source, file), text);
  }
  return checkRooms(source);
};

const only = (files: Readonly<Record<string, string>>) => {
  const violations = check(files);
  expect(violations).toHaveLength(1);
  return violations[0]!;
};

it("this house follows its own order", () => {
  expect(checkRooms(fileURLToPath(new URL("../../src", import.meta.url)))).toEqual([]);
});

it("imports of earlier rooms, of the same room and of packages pass", () => {
  const violations = check({
    "words/spec.ts": `import type { Effect } from "effect/Effect";`,
    "policy/rule.ts": `import type { Spec } from "../words/spec.ts";\nimport { match } from "./match.ts";`,
    "policy/match.ts": "export const match = 1;",
    "call/call.ts": `import { hydrate } from "./1-hydrate/hydrate.ts";`,
    "call/1-hydrate/hydrate.ts": `import { read } from "./read.ts";\nimport type { House } from "../house.ts";`,
    "call/1-hydrate/read.ts": "export const read = 1;",
    "call/house.ts": "export interface House {}",
    "index.ts": `export { hydrate } from "./call/1-hydrate/hydrate.ts";\nexport { match } from "./policy/match.ts";`,
  });
  expect(violations).toEqual([]);
});

it("a room that imports a later room is refused, and the message says where and what to do", () => {
  expect(
    only({ "words/spec.ts": `\nimport { match } from "../policy/match.ts";`, "policy/match.ts": "" }),
  ).toEqual({
    file: "words/spec.ts",
    line: 2,
    imported: "../policy/match.ts",
    why: "policy/ comes after words/, and a room imports only rooms before it, types included",
    remedy: "put what both need into words/ or an earlier room, or pass it in as a value",
  });
});

it.each([
  ["a type import", `import type { Rule } from "../policy/rule.ts";`],
  ["an export of a type", `export type { Rule } from "../policy/rule.ts";`],
  ["an inline type", `export const rule = {} as import("../policy/rule.ts").Rule;`],
  ["a dynamic import", `export const load = () => import("../policy/rule.ts");`],
  ["a re-export", `export * from "../policy/rule.ts";`],
])("%s of a later room is refused too", (_, text) => {
  expect(only({ "words/spec.ts": text, "policy/rule.ts": "" })).toMatchObject({
    imported: "../policy/rule.ts",
  });
});

it("a stage that imports another stage is refused", () => {
  const violation = only({
    "call/2-bind/bind.ts": `import { read } from "../1-hydrate/read.ts";`,
    "call/1-hydrate/read.ts": "",
  });
  expect(violation.why).toBe("stages never import each other");
});

it("a stage that is imported from beyond the corridor is refused", () => {
  const violation = only({
    "runtime/haft.ts": `import { read } from "../call/1-hydrate/read.ts";`,
    "call/1-hydrate/read.ts": "",
  });
  expect(violation.why).toBe("only call/*.ts and call/pending/*.ts import the stage 1-hydrate");
});

it.each(["../index.ts", "haft", "haft/layers"])("an import of the door %s is refused", (door) => {
  const violation = only({ "runtime/haft.ts": `import { tool } from "${door}";`, "index.ts": "" });
  expect(violation.remedy).toBe("import the file behind the door");
});

it("a door that imports a door is refused", () => {
  expect(only({ "effect.ts": `export { tool } from "./index.ts";`, "index.ts": "" })).toMatchObject({
    file: "effect.ts",
    why: "nothing imports a door",
  });
});

it("an import from outside of the source is refused", () => {
  expect(only({ "cli/main.ts": `import "../../scripts/a.ts";` }).why).toBe("it lies outside of src/");
});

it("a folder that is not in the order is refused", () => {
  expect(only({ "helpers/pad.ts": "" }).why).toBe("helpers/ is no room");
});

it("a circle of files inside a room is reported once, as the way around it", () => {
  const violation = only({
    "policy/a.ts": `import "./b.ts";`,
    "policy/b.ts": `import { c } from "./c.ts";`,
    "policy/c.ts": `export * from "./a.ts";`,
  });
  expect(violation.why).toBe(
    "the files import each other in a circle: policy/a.ts → policy/b.ts → policy/c.ts → policy/a.ts",
  );
});

it("a circle that closes through a type or a later load passes, since no file waits for itself", () => {
  const violations = check({
    "words/call.ts": `import type { Tool } from "./tool.ts";`,
    "words/tool.ts": `import { call } from "./call.ts";`,
    "words/later.ts": `export const later = () => import("./now.ts");`,
    "words/now.ts": `import { later } from "./later.ts";`,
  });
  expect(violations).toEqual([]);
});

it("test files may import what they like", () => {
  const violations = check({
    "words/spec.test.ts": `import "../policy/rule.ts";\nimport "haft";`,
    "words/spec.test-d.ts": `import "../cli/main.ts";`,
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
])(
  "raw async as `%s` is refused from words to agent, and says where and what to do instead",
  (what, text) => {
    const violation = only({ "call/one.ts": text });
    expect(violation.file).toBe("call/one.ts");
    expect(violation.line).toBe(
      text.slice(0, text.search(/async|await|new Promise|then/)).split("\n").length,
    );
    expect(violation.why).toContain(`\`${what}\` is raw async`);
    expect(violation.remedy).toContain("Effect.promise");
  },
);

it("what only looks like raw async passes, and so does raw async behind a door", () => {
  const harmless = [
    "// async and await in a comment",
    'const words = "async () => await new Promise";',
    "const more = `one.then(two)` + Fiber.await(fiber);",
    "interface One { readonly async: boolean; readonly then?: unknown }",
    "if (schema.async) asyncLayer();",
    "yield* Deferred.await(answered);",
    "const Promises = Effect.andThen(one, two);",
  ].join("\n");
  const real = "export const one = async () => new Promise(() => {});";
  expect(
    check({
      "call/one.ts": harmless,
      "ledger/one.ts": real,
      "models/one.ts": real,
      "mcp/one.ts": real,
      "runtime/one.ts": real,
      "index.ts": real,
      "call/one.test.ts": real,
    }),
  ).toEqual([]);
});

it("a file that is excepted passes with its reason, and is reported once it has no raw async", () => {
  expect(check({ "layers/async-layer.ts": "export const one = async () => 1;" })).toEqual([]);
  expect(only({ "layers/async-layer.ts": "export const one = 1;" }).why).toContain("it is excepted");
  expect(Object.values(promiseFaces).filter((reason) => reason.length < 20)).toEqual([]);
});
