import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../src/types/tool.ts";
import { anyText } from "./kit/any-text.ts";
import { requestsInLanguages } from "./kit/requests-in-languages.ts";
import { checkAnswers, checkHits, indexOfSpecs, sampleSpec, sampleSpecs } from "./kit/selection-checks.ts";

const million = 1_000_000;

describe("a query without content", () => {
  const blank: readonly (readonly [string, string])[] = [
    ["empty", ""],
    ["blank", " \t\r\n\u00a0\u2003\u3000"],
    ["of stop words only", "what is it that you are and the of"],
    ["of punctuation", "?!… --- ''' \"\" () [] {} <> \\ / | ~ ^ ` @ # $ % & * + = _"],
    ["of zero bytes", "\0\0\0"],
    ["of zero-width characters", "\u200b\u200d\ufeff\u2060"],
  ];
  it.each(blank)("%s finds nothing in the index", async (_, query) => {
    await checkAnswers(query);
    expect(indexOfSpecs(sampleSpecs).search(query, { limit: 5 })).toEqual([]);
  });

  const odd: readonly (readonly [string, string])[] = [
    [
      "control characters",
      Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join("weather"),
    ],
    [
      "bytes read as text",
      Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)).toString("latin1"),
    ],
    ["half a surrogate pair", "weather \ud83d in \udc00 Oslo \udfff"],
    ["emoji", "🌦️ weather 👩🏽‍🚀👨‍👩‍👧‍👦 🏳️‍🌈 in 🇳🇴?"],
    ["text from right to left with marks", "\u202eweather\u202c \u2066Oslo\u2069 \u061c"],
    ["many combining marks on a letter", `w${"\u0301".repeat(5000)}eather`],
    ["regular expressions", "(a+)+$ [z-a] \\p{L} .* (?<=weather) $1 $& $`"],
    ["code and markup", "<script>alert('weather')</script> #{weather} {{weather}} '; DROP TABLE weather; --"],
    ["full-width and decomposed letters", "ｗｅａｔｈｅｒ we\u0308ather ﬂight"],
    ["numbers", "1e308 -0 NaN Infinity 0x10 ١٢٣ ²³ Ⅷ 1_000"],
  ];
  it.each(odd)("%s are read without an error", async (_, query) => {
    await checkAnswers(query);
  });

  it("names of members of Object match no tool unless a tool has that name", async () => {
    const words = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "length",
    ];
    for (const word of words) {
      await checkAnswers(word);
      expect(indexOfSpecs(sampleSpecs).search(word, { limit: 5 })).toEqual([]);
    }
    const specs = words.map((name) => sampleSpec(name, { description: "", tags: [name] }));
    for (const word of words) {
      await checkAnswers(word, specs);
      expect(indexOfSpecs(specs).search(word, { limit: 1 })[0]?.key, word).toBe(word);
    }
  });

  it.each(Object.entries(requestsInLanguages))("in %s is read without an error", async (language, query) => {
    await checkAnswers(query);
    const named = sampleSpec(`weather_${language}`, { description: query });
    expect((await checkAnswers(query, [...sampleSpecs, named])).length, language).toBeGreaterThan(0);
    expect(indexOfSpecs([...sampleSpecs, named]).search(query, { limit: 1 })[0]?.key).toBe(named.name);
  });
});

describe("a query that is a JSON value", () => {
  it.each([
    [null],
    [true],
    [0],
    [-1.5e300],
    [[]],
    [{}],
    [["weather", "in", "Oslo"]],
    [{ ask: "weather", where: { city: "Oslo" } }],
    [JSON.parse('{"__proto__":{"polluted":"weather"},"constructor":1}')],
  ])("%j is read as its text", async (query) => {
    await checkAnswers(query);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("is matched by the words in it", async () => {
    expect((await checkAnswers({ ask: "weather", in: "Oslo" }))[0]?.name).toBe("get_weather");
  });
});

describe("a query of a million characters", () => {
  const long: readonly (readonly [string, string])[] = [
    ["many words", "what is the weather in Oslo and ".repeat(million / 32)],
    [
      "many different words",
      Array.from({ length: million / 8 }, (_, at) => at.toString(36).padStart(7, "q")).join(" "),
    ],
    ["one word", "w".repeat(million)],
    ["one word in camelCase", "wEather".repeat(million / 7)],
    ["one word of capitals", "W".repeat(million)],
    ["separators", "_".repeat(million)],
    ["apostrophes", "a'".repeat(million / 2)],
    ["emoji", "🌦️".repeat(million / 3)],
    ["half pairs", "\ud83d".repeat(million)],
    ["no spaces", "天気".repeat(million / 2)],
    ["line ends", "weather\n".repeat(million / 8)],
  ];
  it.each(long)("of %s is answered", (_, query) => {
    const index = indexOfSpecs(sampleSpecs);
    const hits = index.search(query, { limit: 5 });
    checkHits(hits);
    expect(index.search(query, { limit: 5 }).map(({ key }) => key)).toEqual(hits.map(({ key }) => key));
  });

  it("is also answered by pickTools", async () => {
    expect((await checkAnswers("what is the weather in Oslo and ".repeat(million / 32)))[0]?.name).toBe(
      "get_weather",
    );
  });
});

describe("the work of a search", () => {
  /** Counts every read of a field of the spec. */
  const counted = (name: string, spec: Partial<ToolSpec>, looks: { count: number }): ToolSpec =>
    new Proxy(sampleSpec(name, spec), {
      get: (target, field, receiver) => {
        looks.count += 1;
        return Reflect.get(target, field, receiver);
      },
    });

  it("does not grow with the length of the query times the number of tools", () => {
    const looks = { count: 0 };
    const specs = Array.from({ length: 50 }, (_, at) =>
      counted(`tool_${at}`, { description: "weather" }, looks),
    );
    const index = indexOfSpecs(specs);
    const search = (query: string): number => {
      looks.count = 0;
      index.search(query, { limit: 5 });
      return looks.count;
    };
    search("weather");
    const few = search("weather in Oslo");
    const many = search("weather in Oslo ".repeat(20_000));
    expect(many).toBeLessThanOrEqual(few + 50);
  });

  it("checks each tool at most once with isAllowed, and finds no tool that is not allowed", () => {
    const specs = Array.from({ length: 200 }, (_, at) =>
      sampleSpec(`tool_${at}`, { description: "weather" }),
    );
    const asked: string[] = [];
    const hits = indexOfSpecs(specs).search("weather", {
      limit: 5,
      isAllowed: (key) => {
        asked.push(key);
        return Number(key.slice(5)) % 2 === 1;
      },
    });
    expect(hits).toHaveLength(5);
    expect(hits.every(({ key }) => Number(key.slice(5)) % 2 === 1)).toBe(true);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each([0, 1, 2, 1000])("returns at most %i hits", (limit) => {
    expect(indexOfSpecs(sampleSpecs).search("weather message seat", { limit }).length).toBeLessThanOrEqual(
      limit,
    );
  });
});

it("for any query and any tools, both search functions answer within bounds and repeatably", async () => {
  const text = fc.oneof(
    anyText({ maxLength: 40 }),
    fc.constantFrom("weather city", "getWeather", "__proto__", "城市"),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.uniqueArray(fc.tuple(text, text, text), { maxLength: 6, selector: ([name]) => name }),
      async (query, drawn) => {
        const specs = drawn.map(([name, description, tag]) => sampleSpec(name, { description, tags: [tag] }));
        await checkAnswers(query, specs);
      },
    ),
    { numRuns: 60 },
  );
});
