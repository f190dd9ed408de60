import { describe, expect, it } from "vitest";
import { knownSecrets } from "./known-secrets.ts";

describe("known secrets", () => {
  it("are those at hand and the last thousand handed out, in an order that stays", () => {
    const known = knownSecrets(["lasting", " "]);
    expect([...known.all()]).toEqual(["lasting"]);
    for (let count = 0; count < 1_000; count++) known.add(`token-${count}`);
    expect([...known.all()]).toHaveLength(1_001);
    for (let count = 1_000; count < 50_000; count++) known.add(`token-${count}`);
    const all = new Set(known.all());
    expect(all.size).toBeLessThanOrEqual(2_001);
    for (let count = 49_000; count < 50_000; count++) expect(all.has(`token-${count}`)).toBe(true);
    expect(all.has("lasting")).toBe(true);
    expect(known.all()).toBe(known.all());
  });

  it("that stay in use stay known, however many others come", () => {
    const known = knownSecrets([]);
    for (let count = 0; count < 10_000; count++) {
      known.add("used");
      known.add(`token-${count}`);
    }
    expect([...known.all()]).toContain("used");
    expect([...known.all()].filter((secret) => secret === "used")).toHaveLength(1);
  });
});
