import { describe, expect, it } from "vitest";
import { toLocalDateTime } from "../pages/call-filters.tsx";
import { formatAgo, formatDuration, formatNumberOf } from "./time.tsx";

describe("formatting", () => {
  it("shows durations with at most three significant digits", () => {
    const shown = [0, 0.4741, 1.5, 27.5718, 352.04, 999.6, 4_043, 59_960, 3_599_700, 7_325_000];
    expect(shown.map(formatDuration)).toEqual([
      "0 ms",
      "0.474 ms",
      "1.5 ms",
      "27.6 ms",
      "352 ms",
      "1 s",
      "4.04 s",
      "1 min 0 s",
      "1 h 0 min",
      "2 h 2 min",
    ]);
    expect(formatDuration(undefined)).toBe("–");
  });

  it("distinguishes singular and plural", () => {
    expect(formatNumberOf(1, "row")).toBe("1 row");
    expect(formatNumberOf(1_200, "row")).toBe("1,200 rows");
    expect(formatAgo(0, 90_000)).toBe("2 min ago");
  });

  it("returns a local time that parses to the same time", () => {
    const at = new Date(2026, 10, 3, 4, 5, 6).getTime();
    expect(toLocalDateTime(at)).toBe("2026-11-03T04:05:06");
    expect(Date.parse(toLocalDateTime(at))).toBe(at);
  });
});
