import { expect, it } from "vitest";
import { formatElapsed, formatTime, readMoment } from "./short-id.ts";

const now = Date.parse("2026-11-16T12:00:00Z");

it.each([
  ["90s", "2026-11-16T11:58:30Z"],
  ["30m", "2026-11-16T11:30:00Z"],
  ["2h", "2026-11-16T10:00:00Z"],
  ["1.5d", "2026-11-15T00:00:00Z"],
  ["1w", "2026-11-09T12:00:00Z"],
  ["2026-11-01", "2026-11-01T00:00:00Z"],
  ["2026-11-16T09:00:00+01:00", "2026-11-16T08:00:00Z"],
])("reads %s as %s", (text, when) => {
  expect(formatTime(readMoment("since", text, now))).toBe(when);
});

it.each(["", "soon", "5", "2 hours ago", "2026-13-01", "-3d"])("refuses %j as a time", (text) => {
  expect(() => readMoment("since", text, now)).toThrow("--since must be a time");
});

it("formats a span in the largest unit that fits", () => {
  expect([1_000, 89_000, 600_000, 7_200_000, 3 * 86_400_000, -5].map(formatElapsed)).toEqual([
    "1 s",
    "89 s",
    "10 min",
    "2 h",
    "3 d",
    "0 s",
  ]);
});
