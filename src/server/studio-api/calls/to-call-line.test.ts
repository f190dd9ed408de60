import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../types/ledger.ts";
import { executionMsOf } from "./to-call-line.ts";

const entry = (durationMs: number, startedAt?: number): LedgerEntry =>
  ({
    at: 1_000,
    durationMs,
    ...(startedAt === undefined ? {} : { attempts: [{ number: 1, startedAt }] }),
  }) as unknown as LedgerEntry;

describe("how long a call took", () => {
  it("is without what it waited for a person before its code began", () => {
    expect(executionMsOf(entry(102_050, 103_000))).toBe(50);
  });

  it("is all of it where the code began at once, or never did", () => {
    expect(executionMsOf(entry(0.4, 1_001))).toBe(0.4);
    expect(executionMsOf(entry(5_000))).toBe(5_000);
  });
});
