import { describe, expect, it } from "vitest";
import { initialRows, updateRows } from "./windowed-rows.ts";

const idOf = (row: string): string => row;
const named = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `r${from + i}`);

describe("windowed rows", () => {
  it("keep their place when the first rows are removed and return", () => {
    const all = updateRows(initialRows(named(0, 10)), named(4, 14), idOf);
    expect(all).toMatchObject({ before: 4, moved: 0 });
    expect(updateRows(all, named(2, 12), idOf)).toMatchObject({ before: 2, moved: 0 });
    expect(updateRows(all, named(4, 30), idOf)).toMatchObject({ before: 4, moved: 0 });
  });

  it("move down by the number of rows before the first one", () => {
    expect(updateRows(initialRows(named(5, 15)), named(0, 15), idOf)).toMatchObject({ before: 0, moved: 5 });
  });

  it("start again for another list", () => {
    const all = updateRows(initialRows(named(0, 10)), named(4, 14), idOf);
    expect(updateRows(all, named(100, 110), idOf)).toEqual(initialRows(named(100, 110)));
    expect(updateRows(all, [], idOf)).toEqual(initialRows([]));
  });

  it("move up before the list exceeds the layout height of a browser", () => {
    let placed = initialRows(named(0, 1_000));
    for (let from = 500; from <= 250_000; from += 500)
      placed = updateRows(placed, named(from, from + 1_000), idOf);
    expect(placed.before).toBeLessThanOrEqual(200_000);
    expect(placed.before - placed.moved).toBe(250_000);
  });
});
