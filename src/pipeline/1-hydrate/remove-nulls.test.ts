import { expect, it } from "vitest";
import { removeNulls } from "./remove-nulls.ts";

it.each<[string, unknown, readonly string[], unknown]>([
  ["a null where it stands for nothing is taken out", { a: null, b: null }, ["/a"], { b: null }],
  ["what is no null stays", { a: 0, b: "", c: false }, ["/a", "/b", "/c"], { a: 0, b: "", c: false }],
  ["a null inside is taken out", { a: { b: null, c: 1 } }, ["/a/b"], { a: { c: 1 } }],
  ["a null on the way stays", { a: null }, ["/a/b"], { a: null }],
  ["a text on the way stays", { a: "b" }, ["/a/b"], { a: "b" }],
  [
    "each item of a list is looked at",
    { a: [{ b: null }, { b: 1 }, null] },
    ["/a/*/b"],
    { a: [{}, { b: 1 }, null] },
  ],
  ["a star is a name like any other in an object", { "*": null, a: null }, ["/*"], { a: null }],
  [
    "names with a slash and a tilde are found",
    { "a/b": null, "c~d": null, "~1": null },
    ["/a~1b", "/c~0d", "/~01"],
    {},
  ],
  ["an inherited name is none", {}, ["/toString", "/constructor/name"], {}],
  ["the whole is never taken out", null, ["", "/a"], null],
  ["without a pointer all nulls stay", { a: null }, [], { a: null }],
])("%s", (_, given, pointers, left) => {
  expect(removeNulls(given, pointers)).toEqual(left);
});
