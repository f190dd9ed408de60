import { describe, expect, it } from "vitest";
import { initialRows, updateRows } from "./windowed-rows.ts";

const idOf = (row: string): string => row;
const named = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `r${from + i}`);

describe("rows of which some are here", () => {
  it("keep their place when the first of them go, and when those come back", () => {
    const all = updateRows(initialRows(named(0, 10)), named(4, 14), idOf);
    expect(all).toMatchObject({ before: 4, moved: 0 });
    expect(updateRows(all, named(2, 12), idOf)).toMatchObject({ before: 2, moved: 0 });
    expect(updateRows(all, named(4, 30), idOf)).toMatchObject({ before: 4, moved: 0 });
  });

  it("move down by as many as came before the first place", () => {
    expect(updateRows(initialRows(named(5, 15)), named(0, 15), idOf)).toMatchObject({ before: 0, moved: 5 });
  });

  it("of another list begin anew", () => {
    const all = updateRows(initialRows(named(0, 10)), named(4, 14), idOf);
    expect(updateRows(all, named(100, 110), idOf)).toEqual(initialRows(named(100, 110)));
    expect(updateRows(all, [], idOf)).toEqual(initialRows([]));
  });

  it("move up before their list is higher than a browser lays out", () => {
    let placed = initialRows(named(0, 1_000));
    for (let from = 500; from <= 250_000; from += 500)
      placed = updateRows(placed, named(from, from + 1_000), idOf);
    expect(placed.before).toBeLessThanOrEqual(200_000);
    expect(placed.before - placed.moved).toBe(250_000);
  });
});
