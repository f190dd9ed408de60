import { expect, it } from "vitest";
import { argumentReader } from "./argument-reader.ts";

const input = { order: "7", "a/b": { "~": 8 }, list: ["first"], none: null };

it.each([
  ["/order", "7"],
  ["/a~1b/~0", "8"],
  ["/list/0", "first"],
  ["/none", null],
  ["/missing", undefined],
  ["/order/length", undefined],
  ["/toString", undefined],
])("reads %s", (pointer, expected) => {
  expect(argumentReader(pointer)(input)).toBe(expected);
});
