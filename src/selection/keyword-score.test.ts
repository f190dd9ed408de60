import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import { registered } from "../../test/kit/registered.ts";
import type { ToolSpec } from "../words/spec.ts";
import { keywordScore, splitWords, stem } from "./keyword-score.ts";

const specOf = (name: string, spec: Partial<ToolSpec> = {}): ToolSpec =>
  registered(name, { name, description: "", ...spec }).tool.spec;

describe("words", () => {
  it.each([
    ["sayHello", ["say", "hello"]],
    ["say_hello", ["say", "hello"]],
    ["say-hello", ["say", "hello"]],
    ["parseHTTPResponse", ["parse", "http", "response"]],
    ["base64Encode", ["base64", "encode"]],
    ["", []],
    ["🤖 --", []],
  ])("%j is split into %j", (name, words) => {
    expect(splitWords(name)).toEqual(words);
  });

  it.each([
    ["cities", "city"],
    ["boxes", "box"],
    ["calculating", "calculate"],
    ["calculated", "calculates"],
    ["running", "runs"],
    ["currencies", "currency"],
  ])("%j and %j have one stem", (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it.each(["bus", "this", "class", "sing", "red", "is"])("%j is left whole", (word) => {
    expect(stem(word)).toBe(word);
  });
});

describe("the keyword score", () => {
  const weather = specOf("get_weather", {
    description: "Current weather for a city",
    tags: ["forecast"],
    input: { type: "object", properties: { postalCode: { type: "string" } } },
  });

  it("is the sum its comment promises", () => {
    // Of two words that count, `weather` is in the name: coverage 1/2, named 1/2, likeness 1/√(2·3).
    const { score, details } = keywordScore("the weather in Oslo", weather);
    expect(details).toMatchObject({ coverage: 0.5, named: 0.5, found: [{ word: "weather", place: "name" }] });
    expect(score).toBeCloseTo(0.25 + 0.05 + 0.4 / Math.sqrt(6), 12);
  });

  it("is higher for a word in the name or a tag than in the description, and lowest for a parameter", () => {
    const score = (query: string) => keywordScore(query, weather).details.coverage;
    expect(score("weather")).toBe(1);
    expect(score("forecasts")).toBe(1);
    expect(score("cities")).toBe(0.7);
    expect(score("postal")).toBe(0.4);
    expect(score("penguin")).toBe(0);
  });

  it("says which words were found where", () => {
    expect(keywordScore("forecast of the weather by postal code in the city", weather).reason).toBe(
      "shares words with its name: weather; tag: forecast; description: citi; parameter: postal, code",
    );
    expect(keywordScore("hm", weather)).toMatchObject({
      score: 0,
      reason: "no word of the query stands in it",
    });
  });

  it("does not count stop words, single letters or repetition", () => {
    const plain = keywordScore("weather Oslo", weather).score;
    expect(keywordScore("Please tell me: what's the weather, the WEATHER, in Oslo?", weather).score).toBe(
      plain,
    );
    expect(keywordScore("I am, you are, it is", weather).score).toBe(0);
  });

  it("finds a word in camelCase whole and in its parts", () => {
    const github = specOf("create_GitHub_issue");
    expect(keywordScore("github", github).score).toBeGreaterThan(0.3);
    expect(keywordScore("GitHub", specOf("github_issue")).score).toBeGreaterThan(0);
    expect(keywordScore("issues", github).score).toBeGreaterThan(0.3);
  });

  it("takes a spec that changes as it is now", () => {
    const spec = { ...weather, description: "Tides" };
    expect(keywordScore("tides", spec).score).toBeGreaterThan(0);
    Object.assign(spec, { description: "Stars" });
    expect(keywordScore("tides", spec).score).toBe(0);
  });

  it("is within 0 and 1 and the same again, whatever the words", () => {
    const text = fc.oneof(
      anyText(),
      fc
        .array(fc.constantFrom("get", "weather", "cities", "the", "postalCode"))
        .map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(text, text, text, fc.array(text), (query, name, description, tags) => {
        const spec = specOf("x", { name, description, tags });
        const { score } = keywordScore(query, spec);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        keywordScore("something between", spec);
        expect(keywordScore(query, Object.freeze({ ...spec })).score).toBe(score);
      }),
    );
  });

  it("is highest for a tool that says exactly what is asked", () => {
    const exact = specOf("weather", { description: "weather" });
    expect(keywordScore("weather", exact).score).toBe(1);
  });
});
