import { expect, it } from "vitest";
import { findById, shortId, throwAmbiguousId } from "./short-id.ts";

const ids = [
  "entry-4f3a9c0d1e2b3f44-3",
  "entry-4f3a9c0d1e2b3f44-3x",
  "1f0c9a21-0000-4000-8000-000000000001",
  "x",
  `session-8f6f3b7e${"0".repeat(24)}`,
];
const find = (typed: string) => findById(typed, ids, (id) => id);

it("shortens ids so that calls of one process differ, and keeps other ids", () => {
  expect(ids.map(shortId)).toEqual(["4f3a9c-3", "4f3a9c-3x", "1f0c9a21", "x", "session-8f6f3b7e"]);
});

it("finds the exact id first, then a short id, then all ids with the prefix", () => {
  expect(find("entry-4f3a9c0d1e2b3f44-3")).toEqual([ids[0]]);
  expect(find("4f3a9c-3")).toEqual([ids[0]]);
  expect(find("4f3a9c0d1e2b")).toEqual([ids[0], ids[1]]);
  expect(find("entry-4f3a")).toEqual([ids[0], ids[1]]);
  expect(find("1f0c")).toEqual([ids[2]]);
  expect([find("session-8f6f3b7e"), find("8f6f")]).toEqual([[ids[4]], [ids[4]]]);
});

it("finds nothing for a prefix of fewer than four characters", () => {
  expect([find(""), find("1f0"), find("x")]).toEqual([[], [], ["x"]]);
});

it("lists all ids that match an ambiguous one", () => {
  expect(() => throwAmbiguousId("4f3a", "calls", ["a", "b"])).toThrow('"4f3a" matches 2 calls: a, b.');
});
