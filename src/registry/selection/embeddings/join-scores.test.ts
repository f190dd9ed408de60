import { describe, expect, it } from "vitest";
import {
  bakeBread,
  hireCar,
  playSong,
  rankedNames,
  rankedTool,
  specs,
} from "../../../../test/kit/fake-embedder.ts";
import { type JoinRequest, joinScores } from "./join-scores.ts";

/** Cosines are given for bake, hire and play, in this order. */
const join = (cosines: readonly number[], rest: Partial<JoinRequest>) =>
  joinScores({ specs, cosines, lexical: [], limit: 3, weight: 0.35, range: [0, 1], name: "fake", ...rest });

describe("joinScores", () => {
  it("prefers words when they are certain and similarity when they are not", () => {
    const cosines = [0.2, 0.7, 0];
    const sure = join(cosines, { lexical: [rankedTool(bakeBread, 0.9), rankedTool(hireCar, 0.2)] });
    const unsure = join(cosines, { lexical: [rankedTool(bakeBread, 0.09), rankedTool(hireCar, 0.02)] });
    expect(rankedNames({ tools: sure })[0]).toBe("bake_bread");
    expect(rankedNames({ tools: unsure })[0]).toBe("hire_car");
  });

  it("returns nearly the likelihoods of the words when similarity has no weight", () => {
    const lexical = [rankedTool(playSong, 0.8), rankedTool(bakeBread, 0.4), rankedTool(hireCar, 0.1)];
    const tools = join([1, 1, 1], { lexical, weight: 0 });
    expect(rankedNames({ tools })).toEqual(["play_song", "bake_bread", "hire_car"]);
    for (const [at, { score }] of lexical.entries()) expect(tools[at]!.score).toBeCloseTo(score, 1);
  });

  it("keeps the ratio of word likelihoods for any weight", () => {
    const lexical = [rankedTool(playSong, 0.8), rankedTool(bakeBread, 0.4)];
    for (const weight of [0.2, 0.35, 0.5]) {
      const [first, second] = join([0.5, 0, 0.5], { lexical, weight });
      expect(second!.score / first!.score).toBeCloseTo(0.5, 1);
    }
  });

  it("scores a weak first match low, and a first match without shared words by similarity", () => {
    const [far] = join([0.05, 0, 0], { lexical: [rankedTool(bakeBread, 0.02)] });
    expect(far!.score).toBeLessThan(0.05);
    const [alike] = join([0, 0.8, 0], { weight: 1 });
    expect(alike).toMatchObject({ spec: hireCar, score: 0.8 });
  });

  it("clamps cosines to the range", () => {
    const tools = join([0.9, 0.7, 0.1], { weight: 1, range: [0.2, 0.7] });
    expect(tools.map(({ spec, score }) => [spec.name, score])).toEqual([
      ["bake_bread", 1],
      ["hire_car", 1],
    ]);
  });
});
