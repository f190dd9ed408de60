import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../types/ledger.ts";
import { executionMsOf } from "./list-calls.ts";

const entry = (durationMs: number, startedAt?: number): LedgerEntry =>
  ({
    at: 1_000,
    durationMs,
    ...(startedAt === undefined ? {} : { attempts: [{ number: 1, startedAt }] }),
  }) as unknown as LedgerEntry;

describe("execution time of a call", () => {
  it("excludes the wait for an approval", () => {
    expect(executionMsOf(entry(102_050, 103_000))).toBe(50);
  });

  it("is the whole duration when the call did not wait or its code never started", () => {
    expect(executionMsOf(entry(0.4, 1_001))).toBe(0.4);
    expect(executionMsOf(entry(5_000))).toBe(5_000);
  });
});
