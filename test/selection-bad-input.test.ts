import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../src/types/spec.ts";
import { anyText } from "./kit/any-text.ts";
import { requestsInLanguages } from "./kit/requests-in-languages.ts";
import { checkAnswers, checkHits, indexOfSpecs, sampleSpec, sampleSpecs } from "./kit/selection-checks.ts";

const million = 1_000_000;

describe("a question that is hardly one", () => {
  const blank: readonly (readonly [string, string])[] = [
    ["empty", ""],
    ["blank", " \t\r\n\u00a0\u2003\u3000"],
    ["of nothing but stop words", "what is it that you are and the of"],
    ["of punctuation", "?!… --- ''' \"\" () [] {} <> \\ / | ~ ^ ` @ # $ % & * + = _"],
    ["of zero bytes", "\0\0\0"],
    ["of zero-width characters", "\u200b\u200d\ufeff\u2060"],
  ];
  it.each(blank)("%s finds nothing by the index", async (_, query) => {
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
    ["marks piled upon a letter", `w${"\u0301".repeat(5000)}eather`],
    ["regular expressions", "(a+)+$ [z-a] \\p{L} .* (?<=weather) $1 $& $`"],
    ["code and markup", "<script>alert('weather')</script> #{weather} {{weather}} '; DROP TABLE weather; --"],
    ["full-width and decomposed letters", "ｗｅａｔｈｅｒ we\u0308ather ﬂight"],
    ["numbers", "1e308 -0 NaN Infinity 0x10 ١٢٣ ²³ Ⅷ 1_000"],
  ];
  it.each(odd)("%s are read without a fault", async (_, query) => {
    await checkAnswers(query);
  });

  it("names of what every object has find nothing, and tools of such names are found", async () => {
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

  it.each(Object.entries(requestsInLanguages))("in %s is read without a fault", async (language, query) => {
    await checkAnswers(query);
    const named = sampleSpec(`weather_${language}`, { description: query });
    expect((await checkAnswers(query, [...sampleSpecs, named])).length, language).toBeGreaterThan(0);
    expect(indexOfSpecs([...sampleSpecs, named]).search(query, { limit: 1 })[0]?.key).toBe(named.name);
  });
});

describe("a question that is a JSON value", () => {
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
  ])("%j is taken as its text", async (query) => {
    await checkAnswers(query);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("finds by the words in it", async () => {
    expect((await checkAnswers({ ask: "weather", in: "Oslo" }))[0]?.name).toBe("get_weather");
  });
});

describe("a question of a million characters", () => {
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

  it("is picked for as well", async () => {
    expect((await checkAnswers("what is the weather in Oslo and ".repeat(million / 32)))[0]?.name).toBe(
      "get_weather",
    );
  });
});

describe("the work of a search", () => {
  /** How often a spec is looked at, by any field. */
  const counted = (name: string, spec: Partial<ToolSpec>, looks: { count: number }): ToolSpec =>
    new Proxy(sampleSpec(name, spec), {
      get: (target, field, receiver) => {
        looks.count += 1;
        return Reflect.get(target, field, receiver);
      },
    });

  it("does not grow with the length of the question times the tools: each tool is looked at as often", () => {
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

  it("asks whether a tool may be found at most once for each tool, and finds none that may not", () => {
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

  it.each([0, 1, 2, 1000])("gives no more than %i", (limit) => {
    expect(indexOfSpecs(sampleSpecs).search("weather message seat", { limit }).length).toBeLessThanOrEqual(
      limit,
    );
  });
});

it("whatever the words of question and tools, both ways answer within bounds and the same again", async () => {
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
