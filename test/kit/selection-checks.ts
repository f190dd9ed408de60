import { pickTools } from "haft";
import { expect } from "vitest";
import { toolIndex } from "../../src/registry/selection/tool-index.ts";
import type { ToolSpec } from "../../src/types/tool.ts";
import { testRegistration } from "./test-registration.ts";

export const sampleSpec = (name: string, spec: Partial<ToolSpec> = {}): ToolSpec =>
  testRegistration(name, { name, description: `Says what ${name} is for`, ...spec }).tool.spec;

const weather = sampleSpec("get_weather", {
  description: "Weather of a city, today and tomorrow",
  tags: ["forecast"],
  input: { type: "object", properties: { city: { type: "string", description: "Name of the city" } } },
});
export const sampleSpecs = [
  weather,
  sampleSpec("send_mail", { description: "Sends a message to an address" }),
  sampleSpec("book_flight", { description: "Books a seat on a plane" }),
];

export const indexOfSpecs = (specs: readonly ToolSpec[]) => {
  const index = toolIndex();
  for (const spec of specs) index.add(spec.name, spec);
  return index;
};

/**
 * Runs both selection functions twice: every input is answered in order, within bounds, and the same again.
 */
export const checkAnswers = async (query: unknown, specs: readonly ToolSpec[] = sampleSpecs) => {
  const names = new Set(specs.map(({ name }) => name));
  const picked = await pickTools(query, specs, { minScore: 0, maxCandidates: 5, allowUnsafe: true });
  expect(picked.length).toBeLessThanOrEqual(5);
  checkHits(picked.map(({ name, score }) => ({ key: name, score })));
  expect(await pickTools(query, specs, { minScore: 0, maxCandidates: 5, allowUnsafe: true })).toEqual(picked);
  for (const { name, reason } of picked) {
    expect(names.has(name)).toBe(true);
    expect(typeof reason).toBe("string");
  }
  if (typeof query === "string") {
    const hits = indexOfSpecs(specs).search(query, { limit: 5 });
    checkHits(hits);
    const again = indexOfSpecs(specs).search(query, { limit: 5 });
    expect(again.map(({ key, score }) => [key, score])).toEqual(hits.map(({ key, score }) => [key, score]));
    for (const { key } of hits) expect(names.has(key)).toBe(true);
  }
  return picked;
};

export const checkHits = (hits: readonly { readonly key: string; readonly score: number }[]): void => {
  const scores = hits.map(({ score }) => score);
  for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(new Set(hits.map(({ key }) => key)).size).toBe(hits.length);
};
