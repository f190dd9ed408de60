import { describe, expect, it } from "vitest";
import { describeBroken, playSeed, playSeeds } from "./campaign.ts";
import { explore, type SceneName, sceneNamed } from "./explore.ts";
import { type MutationName, mutations } from "./mutations.ts";
import type { StoreKind } from "./shared-store.ts";

const isSoak = process.env.HAFT_SOAK !== undefined;
const hour = 3_600_000;

const seedsFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** Fixed seeds in everyday runs; a soak starts at a seed that is printed. */
const seedsOf = (everyday: number): readonly number[] =>
  isSoak ? seedsFrom(1_000 + Math.floor(Math.random() * 2 ** 30), 10_000) : seedsFrom(1, everyday);

describe("seeded simulation of several runtimes over one store", () => {
  const everyday = { memory: 200, sqlite: 100 } as const;
  // The outcomes that every simulation must reach: takeovers, pending runs, lost runs and waiting turns.
  const reached = {
    agent: ["begin: done", "resume: done", "resume: pending", "begin: claim_lost"],
    session: [
      "begin: stopped",
      "resume: stopped",
      "resume: pending",
      "begin: claim_lost",
      "resume: still_running",
    ],
  } as const;
  const drivers = ["agent", "session"] as const;
  const cases = (["memory", "sqlite"] as const).flatMap((store) => drivers.map((by) => [store, by] as const));
  it.each(cases)("violates no invariant (%s, driven by: %s)", { timeout: hour }, async (store, drivenBy) => {
    const seeds = seedsOf(everyday[store]);
    const { broken, outcomes, ...counts } = await playSeeds({ store, drivenBy, seeds });
    console.log(`${store}, ${drivenBy}, seeds from ${seeds[0]}: ${JSON.stringify({ ...counts, outcomes })}`);
    expect(broken.map(describeBroken).join("\n\n")).toBe("");
    for (const outcome of reached[drivenBy]) expect(outcomes[outcome], outcome).toBeGreaterThan(0);
  });

  it.each<StoreKind>(["memory", "sqlite"])("is deterministic (%s)", async (store) => {
    for (const seed of seedsFrom(1, 5)) {
      const first = await playSeed({ seed, store });
      expect((await playSeed({ seed, store })).steps).toEqual(first.steps);
    }
  });
});

describe("exhaustive interleavings of two runtimes with limited preemptions", () => {
  const scenes: readonly (readonly [StoreKind, SceneName, number])[] = [
    ["memory", "each interferes with the other's run", 1],
    ["memory", "both resume a pending run", 1],
    ["sqlite", "a run is taken from a runtime that lives", 1],
  ];
  it.each(scenes)("violate no invariant: %s, %s", { timeout: hour }, async (store, name, preemptions) => {
    const found = await explore({
      store,
      scene: sceneNamed(name),
      preemptions: isSoak ? 3 : preemptions,
      withinMs: isSoak ? 900_000 : hour,
    });
    const { broken, ...counts } = found;
    console.log(`${store}, ${name}: ${JSON.stringify(counts)}`);
    expect(broken?.violations ?? [], broken?.steps.join("\n")).toEqual([]);
    expect(found.isComplete || isSoak).toBe(true);
    expect(found.histories).toBeGreaterThan(20);
  });
});

describe("mutated store is detected within the everyday seeds", () => {
  const found: Readonly<Record<MutationName, RegExp>> = {
    "entries without epochs": /wrote .*(?:opened|closed|ledger\.open|ledger\.close)/,
    "two claims win": /took effect [2-9] times|which another actor held/,
    "giving up does nothing": /was reported done and was cancelled/,
    "lost calls are forgotten": /\.inner reads pending|took effect 2 times/,
  };
  const all = Object.keys(mutations) as readonly MutationName[];
  const cases = (["memory", "sqlite"] as const).flatMap((store) =>
    all
      // In memory no owner is declared dead, so no call can be lost and repeated.
      .filter((name) => store === "sqlite" || name !== "lost calls are forgotten")
      .map((name) => [store, name] as const),
  );
  it.each(cases)("%s: %s", async (store, mutation) => {
    const seeds = seedsFrom(1, store === "memory" ? 200 : 100);
    const { broken } = await playSeeds({ store, seeds, mutation, mostBroken: 1, keepLong: true });
    expect(broken.map(describeBroken).join("\n")).toMatch(found[mutation]);
  });
});
