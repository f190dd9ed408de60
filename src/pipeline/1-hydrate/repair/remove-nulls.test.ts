import { expect, it } from "vitest";
import { removeNulls } from "./repair.ts";

it.each<[string, unknown, readonly string[], unknown]>([
  ["removes a null at a listed pointer", { a: null, b: null }, ["/a"], { b: null }],
  [
    "keeps values that are not null",
    { a: 0, b: "", c: false },
    ["/a", "/b", "/c"],
    { a: 0, b: "", c: false },
  ],
  ["removes a nested null", { a: { b: null, c: 1 } }, ["/a/b"], { a: { c: 1 } }],
  ["keeps a null on the path to the pointer", { a: null }, ["/a/b"], { a: null }],
  ["keeps a string on the path to the pointer", { a: "b" }, ["/a/b"], { a: "b" }],
  [
    "visits each item of a list",
    { a: [{ b: null }, { b: 1 }, null] },
    ["/a/*/b"],
    { a: [{}, { b: 1 }, null] },
  ],
  ["treats a star in an object as a property name", { "*": null, a: null }, ["/*"], { a: null }],
  [
    "decodes slashes and tildes in property names",
    { "a/b": null, "c~d": null, "~1": null },
    ["/a~1b", "/c~0d", "/~01"],
    {},
  ],
  ["ignores inherited properties", {}, ["/toString", "/constructor/name"], {}],
  ["never removes the root value", null, ["", "/a"], null],
  ["keeps all nulls without a pointer", { a: null }, [], { a: null }],
])("%s", (_, given, pointers, left) => {
  expect(removeNulls(given, pointers)).toEqual(left);
});
