import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, attacks, groups } from "./attack.ts";
import { type CampaignResult, isBroken, isDud, runCampaign } from "./campaign.ts";
import { corpus } from "./corpus.ts";
import { seededTenth } from "./seeded-tenth.ts";
import { toTable } from "./table.ts";

/** Minimum number of attacks per group, in the order of `groups`. */
const atLeast = [10, 3, 5, 6, 25, 7, 6, 14, 18, 20, 10];

it("the corpus has a minimum of uniquely named attacks in every group", () => {
  const counts = groups.map((group) => corpus.filter((attack) => attack.group === group).length);
  expect(counts.every((count, at) => count >= atLeast[at]!)).toBe(true);
  expect(new Set(corpus.map(({ group, name }) => `${group}: ${name}`)).size).toBe(corpus.length);
});

it("a seeded tenth covers every group and is deterministic", () => {
  for (let seed = 0; seed < 50; seed++) {
    const tenth = seededTenth(corpus, seed);
    expect(new Set(tenth.map(({ group }) => group)).size).toBe(groups.length);
    expect(tenth.length).toBe(Math.ceil(corpus.length / 10));
    expect(seededTenth(corpus, seed)).toEqual(tenth);
  }
  expect(seededTenth(corpus, 1)).not.toEqual(seededTenth(corpus, 2));
});

const named = (name: string): Attack => corpus.find((attack) => attack.name === name)!;

/** An attack without effect. */
const [dud] = attacks("network", { on: "vm" }, { "a dud": { harm: "secret", source: "return 1;" } });

describe("attack campaign", () => {
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

  it("detects the harm that attacks do without a sandbox", () => {
    const open = result.runs.filter(({ isOpen, attack }) => isOpen && attack.name !== "a dud");
    expect(open.flatMap(({ harms }) => harms).sort()).toEqual(["calls", "pollution", "secret", "secret"]);
    expect(open.filter(isDud)).toEqual([]);
  });

  it("reports attacks that cause no harm without a sandbox as duds", () => {
    expect(result.runs.filter(isDud).map(({ attack }) => attack.name)).toEqual(["a dud"]);
  });

  it("reports no broken run on QuickJS", () => {
    const ours = result.runs.filter(({ isOpen }) => !isOpen);
    expect(ours).toHaveLength(5);
    expect(ours.filter(isBroken)).toEqual([]);
  });

  it("marks runs on a broken engine in the table", () => {
    expect(toTable(result)).toContain("| constructor chains (1) | 1e, on vm | 0 | not run | – | – |");
    const broken = result.runs.map((run) => (run.isOpen ? run : { ...run, harms: ["memory" as const] }));
    expect(toTable({ ...result, runs: broken })).toContain("| constructor chains (1) | 1e, on vm | 1m |");
  });
});
