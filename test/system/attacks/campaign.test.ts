import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, attacks, groups } from "./attack.ts";
import { type CampaignResult, isBroken, isDud, runCampaign } from "./campaign.ts";
import { corpus } from "./corpus.ts";
import { seededTenth } from "./seeded-tenth.ts";
import { toTable } from "./table.ts";

/** At least so many attacks of each group. */
const atLeast = [10, 3, 5, 6, 25, 7, 6, 14, 18, 20, 10];

it("the corpus has attacks of every group, each under a name of its own", () => {
  const counts = groups.map((group) => corpus.filter((attack) => attack.group === group).length);
  expect(counts.every((count, at) => count >= atLeast[at]!)).toBe(true);
  expect(new Set(corpus.map(({ group, name }) => `${group}: ${name}`)).size).toBe(corpus.length);
});

it("a tenth has at least one attack of each group, and is the same for the same seed", () => {
  for (let seed = 0; seed < 50; seed++) {
    const tenth = seededTenth(corpus, seed);
    expect(new Set(tenth.map(({ group }) => group)).size).toBe(groups.length);
    expect(tenth.length).toBe(Math.ceil(corpus.length / 10));
    expect(seededTenth(corpus, seed)).toEqual(tenth);
  }
  expect(seededTenth(corpus, 1)).not.toEqual(seededTenth(corpus, 2));
});

const named = (name: string): Attack => corpus.find((attack) => attack.name === name)!;

/** Harms nobody, whatever it says. */
const [dud] = attacks("network", { on: "vm" }, { "a dud": { harm: "secret", source: "return 1;" } });

describe("a campaign", () => {
  let result: CampaignResult;
  beforeAll(async () => {
    const chosen = [
      named("the input"),
      named("a member of every object of the host"),
      named("a promise whose then is given the host's functions"),
      named("100,000 calls"),
      dud!,
    ];
    result = await runCampaign({ attacks: chosen, engines: ["quickjs"] });
  });
  afterAll(() => {
    expect(result.strangers).toEqual([]);
  });

  it("sees the harm that attacks do where nothing holds them", () => {
    const open = result.runs.filter(({ isOpen, attack }) => isOpen && attack.name !== "a dud");
    expect(open.flatMap(({ harms }) => harms).sort()).toEqual(["calls", "pollution", "secret", "secret"]);
    expect(open.filter(isDud)).toEqual([]);
  });

  it("says which attack is a dud", () => {
    expect(result.runs.filter(isDud).map(({ attack }) => attack.name)).toEqual(["a dud"]);
  });

  it("finds that QuickJS holds", () => {
    const ours = result.runs.filter(({ isOpen }) => !isOpen);
    expect(ours).toHaveLength(5);
    expect(ours.filter(isBroken)).toEqual([]);
  });

  it("writes a table in which an engine that did not hold is seen", () => {
    expect(toTable(result)).toContain("| constructor chains (1) | 1e, on vm | 0 | not run | – | – |");
    const broken = result.runs.map((run) => (run.isOpen ? run : { ...run, harms: ["memory" as const] }));
    expect(toTable({ ...result, runs: broken })).toContain("| constructor chains (1) | 1e, on vm | 1m |");
  });
});
