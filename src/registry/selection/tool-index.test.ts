import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { specWithParameters } from "../../../test/kit/spec-with-parameters.ts";
import { toolIndex } from "./tool-index.ts";

const specs = {
  weather: specWithParameters("get_weather", "Current weather for a city", { city: "Where" }),
  film: specWithParameters("find_film", "Searches films by title. Knows actors, too.", {
    title: "Of the film",
  }),
  flight: specWithParameters("book_flight", "Books a flight between two cities", {
    from: "Airport",
    to: "Airport",
  }),
  mail: specWithParameters("send_mail", "Sends an email to a person", { address: "Whose", text: "What" }),
  note: specWithParameters(
    "write_note",
    "Keeps a note",
    { unit: "", color: "" },
    { unit: ["celsius", "kelvin"] },
  ),
};

const filled = () => {
  const index = toolIndex();
  for (const [key, spec] of Object.entries(specs)) index.add(key, spec);
  return index;
};
const keys = (text: string, index = filled(), limit = 5): readonly string[] =>
  index.search(text, { limit }).map(({ key }) => key);

describe("toolIndex", () => {
  it.each([
    ["what is the weather in Oslo", "weather"],
    ["book me a flight to Rome", "flight"],
    ["email Bob that I am late", "mail"],
    ["which movie has Tom Hanks in it", "film"],
    ["in kelvin", "note"],
    ["GetWeather", "weather"],
    ["sending mails", "mail"],
  ])("finds for %j the tool %s first", (question, key) => {
    expect(keys(question)[0]).toBe(key);
  });

  it("finds nothing for unknown words or in an empty index", () => {
    expect(keys("qqzzx blorb")).toEqual([]);
    expect(keys("weather", toolIndex())).toEqual([]);
  });

  it("returns scores from 0 to 1 in descending order and higher ones for the tool name", () => {
    const hits = filled().search("send mail about the weather", { limit: 5 });
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    const best = (question: string) => filled().search(question, { limit: 1 })[0]?.score ?? 0;
    expect(best("send mail")).toBeGreaterThan(best("tell a person something by kelvin"));
  });

  it("reports matched terms with their place and synonyms", () => {
    const [hit] = filled().search("a movie by its title", { limit: 1 });
    expect(hit?.found).toContainEqual({
      term: "film",
      for: "movi",
      place: "name",
      weight: expect.any(Number),
    });
    expect(hit?.found).toContainEqual({ term: "titl", place: "first sentence", weight: expect.any(Number) });
  });

  it("reports the intent that a tool matches", () => {
    const hits = filled().search("Book a flight to Oslo. Then tell me the weather in Rome.", { limit: 2 });
    expect(new Map(hits.map(({ key, wish }) => [key, wish]))).toEqual(
      new Map([
        ["flight", "Book a flight to Oslo."],
        ["weather", "Then tell me the weather in Rome."],
      ]),
    );
  });

  it("calls isAllowed only for matching tools and omits rejected ones", () => {
    const asked: string[] = [];
    const isAllowed = (key: string): boolean => {
      asked.push(key);
      return key !== "flight";
    };
    expect(
      filled()
        .search("book a flight", { limit: 5, isAllowed })
        .map(({ key }) => key),
    ).not.toContain("flight");
    expect(asked).not.toContain("note");
  });

  it("keeps insertion order for equal scores", () => {
    const index = toolIndex();
    for (const key of ["c", "a", "b"]) index.add(key, specWithParameters("same_tool", "Does the same"));
    expect(keys("same tool", index)).toEqual(["c", "a", "b"]);
    index.add("c", specWithParameters("same_tool", "Does the same"));
    expect(keys("same tool", index)).toEqual(["a", "b", "c"]);
  });

  it("removes and replaces tools", () => {
    const index = filled();
    expect(index.remove("flight")).toBe(true);
    expect(index.remove("flight")).toBe(false);
    expect([keys("book a flight", index), index.size]).toEqual([expect.not.arrayContaining(["flight"]), 4]);
    index.add("mail", specWithParameters("feed_cat", "Feeds the cat"));
    expect([keys("feed the cat", index)[0], keys("send an email", index), index.size]).toEqual([
      "mail",
      [],
      4,
    ]);
  });

  it("indexes namespaces and tags but not as the name", () => {
    const index = toolIndex();
    index.add("one", specWithParameters("github__create_issue", "Makes one", {}, {}, ["tracker"]));
    index.add("two", specWithParameters("create_issue", "Makes one"));
    expect(keys("github", index)).toEqual(["one"]);
    expect(keys("tracker", index)).toEqual(["one"]);
    const named = index.search("create issue", { limit: 2 }).map(({ evidence }) => evidence.named);
    expect(named).toEqual([1, 1]);
  });
});

it("toolIndex returns the same results after any changes as a fresh index", () => {
  const words = ["send", "mail", "flight", "weather", "film", "note", "city", "title", "kelvin", "book"];
  const text = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 })
    .map((some) => some.join(" "));
  const change = fc.record({ key: fc.constantFrom(..."abcdefgh"), text, isGone: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 200 }),
      fc.array(text, { minLength: 1, maxLength: 5 }),
      (changes, asked) => {
        const lived = toolIndex();
        const left = new Map<string, string>();
        for (const { key, text: about, isGone } of changes) {
          left.delete(key);
          if (isGone) lived.remove(key);
          else {
            lived.add(key, specWithParameters("tool", about));
            left.set(key, about);
          }
        }
        const fresh = toolIndex();
        for (const [key, about] of left) fresh.add(key, specWithParameters("tool", about));
        const answers = (index: typeof lived) =>
          asked.map((question) =>
            index.search(question, { limit: 8 }).map(({ key, score }) => [key, Math.round(score * 1e5)]),
          );
        expect(answers(lived)).toEqual(answers(fresh));
      },
    ),
    { numRuns: 150 },
  );
});

describe("toolIndex with many other tools", () => {
  const animals = ["lion", "tiger", "zebra", "giraffe", "monkey", "panda", "rabbit", "turtle"];
  const questions = animals.map((animal) => `Feed the ${animal} today.`).join(" ");
  const crowd = (count: number) => {
    const index = toolIndex();
    for (let at = 0; at < count; at++)
      index.add(`hidden ${at}`, specWithParameters(`feed_all_${at}`, `Feed ${animals.join(" ")} today`));
    for (const animal of animals)
      index.add(animal, specWithParameters(`feed_${animal}`, `Feed the ${animal}`));
    return index;
  };

  it("finds allowed tools among thousands of hidden ones", () => {
    const isAllowed = (key: string): boolean => !key.startsWith("hidden");
    const hits = crowd(3_000).search(questions, { limit: 8, isAllowed });
    expect(new Set(hits.map(({ key }) => key))).toEqual(new Set(animals));
  });

  it("forgets terms of removed tools", () => {
    const index = toolIndex();
    index.add("stays", specWithParameters("feed_lion", "Feed the lion"));
    const searches = () => index.search("feed the lion", { limit: 3 }).map(({ key, score }) => [key, score]);
    const before = searches();
    for (let at = 0; at < 500; at++) {
      index.add(
        "changes",
        specWithParameters(
          "feed_other",
          `Feed ${Array.from({ length: 40 }, (_, word) => `w${at}x${word}`).join(" ")}`,
        ),
      );
      searches();
    }
    index.remove("changes");
    expect(searches()).toEqual(before);
  });

  it("keeps its state when isAllowed throws", () => {
    const index = crowd(5);
    const isAllowed = (): boolean => {
      throw new Error("no idea");
    };
    const before = index.search("feed the lion", { limit: 3 });
    expect(() => index.search("feed the lion", { limit: 3, isAllowed })).toThrow("no idea");
    expect(index.search("feed the lion", { limit: 3 })).toEqual(before);
  });

  it("returns at most a thousand tools but searches all that share a word", () => {
    const index = toolIndex();
    for (let at = 0; at < 15_000; at++)
      index.add(`${at}`, specWithParameters(`tool_${at}`, "Feed something"));
    index.add("last", specWithParameters("feed_lion", "Feed the lion"));
    expect(index.search("feed", { limit: 20_000 })).toHaveLength(1_000);
    expect(index.search("feed the lion", { limit: 1 })[0]?.key).toBe("last");
  });
});
