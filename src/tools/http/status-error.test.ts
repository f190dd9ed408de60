import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./status-error.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

describe("parseRetryAfter", () => {
  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 11:59:00 GMT", 0],
    ["Thursday, 01-Jan-26 12:00:30 GMT", 30_000],
  ])("reads %j as %d ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each([null, "", "soon", "-1", "1.5", "1e9", "2026-01-01", "99999999999"])("ignores %j", (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});
