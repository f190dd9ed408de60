import { describe, expect, it, onTestFinished, vi } from "vitest";
import { redactor } from "../json/redact.ts";
import { FormIndex } from "../json/secrets/form-index.ts";
import { knownSecrets } from "./credentials.ts";

const hour = 60 * 60_000;

describe("knownSecrets", () => {
  it("returns the same frozen list of configured and issued secrets until a new one is added", () => {
    const known = knownSecrets(["lasting", " "]);
    expect(known.all()).toEqual(["lasting"]);
    known.add("token-1");
    known.add("lasting");
    const all = known.all();
    expect(all).toEqual(["lasting", "token-1"]);
    known.add("token-1");
    expect(known.all()).toBe(all);
    expect(Object.isFrozen(all)).toBe(true);
    known.add("token-2");
    expect(known.all()).toContain("token-2");
  });

  it("forgets a secret an hour after its last use but keeps the newest thousand", () => {
    let now = 0;
    const known = knownSecrets(["lasting"], () => now);
    for (let count = 0; count < 4_000; count++) known.add(`token-${count}`);
    expect(known.all()).toHaveLength(4_001);
    now = hour - 1;
    known.add("token-0");
    now = hour;
    for (let count = 4_000; count < 4_501; count++) known.add(`token-${count}`);
    const all = new Set(known.all());
    expect([all.has("token-0"), all.has("token-1"), all.has("token-3999")]).toEqual([true, false, true]);
    expect(all.has("lasting")).toBe(true);
    expect(all.size).toBeLessThanOrEqual(1_501);
  });

  it("limits the list to a few thousand secrets when many arrive at once", () => {
    const known = knownSecrets(["lasting"], () => 0);
    for (let count = 0; count < 50_000; count++) known.add(`token-${count}`);
    const all = new Set(known.all());
    expect(all.size).toBeLessThanOrEqual(5_501);
    for (let count = 45_000; count < 50_000; count++) expect(all.has(`token-${count}`)).toBe(true);
    expect(all.has("lasting")).toBe(true);
  });

  it("keeps a secret that stays in use while many others arrive", () => {
    let now = 0;
    const known = knownSecrets([], () => (now += 1_000));
    for (let count = 0; count < 10_000; count++) {
      known.add("used");
      known.add(`token-${count}`);
    }
    expect(known.all().filter((secret) => secret === "used")).toHaveLength(1);
  });

  it("masks a new secret immediately, and the cost per secret does not grow with their number", () => {
    const known = knownSecrets([]);
    const masking = redactor({ secrets: known.all });
    const add = vi.spyOn(FormIndex.prototype, "add");
    onTestFinished(() => add.mockRestore());
    const workFor = (from: number): number => {
      add.mockClear();
      for (let count = from; count < from + 100; count++) {
        known.add(`token-${count * 7919}-${count}`);
        expect(masking.text(`a token-${count * 7919}-${count} b`)).toBe("a [redacted] b");
      }
      return add.mock.calls.length;
    };
    const first = workFor(0);
    for (let count = 100; count < 3_000; count++) known.add(`token-${count * 7919}-${count}`);
    masking.text("");
    expect(first).toBeGreaterThan(0);
    expect(workFor(3_000)).toBeLessThanOrEqual(first * 2);
  });
});
