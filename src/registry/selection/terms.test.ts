import { describe, expect, it } from "vitest";
import { camelCaseNames, splitWords, termsOf } from "./terms.ts";

describe("splitWords", () => {
  it.each([
    ["sayHello", ["say", "hello"]],
    ["say_hello", ["say", "hello"]],
    ["say-hello", ["say", "hello"]],
    ["GET_movie-movie_id", ["get", "movie", "movie", "id"]],
    ["parseHTMLPage", ["parse", "html", "page"]],
    ["ipv4Address", ["ipv4", "address"]],
    ["größeÄndern", ["größe", "ändern"]],
    ["", []],
  ])("splits %j", (name, words) => {
    expect(splitWords(name)).toEqual(words);
  });
});

describe("termsOf", () => {
  it("drops stop words and parts of contractions", () => {
    expect(termsOf("What's the weather like in Oslo? I'd like to know, please.")).toEqual([
      "weather",
      "oslo",
    ]);
  });

  it("keeps order and repetitions", () => {
    expect(termsOf("Send mails, then send one more mail")).toEqual(["send", "mail", "send", "on", "mail"]);
  });

  it("returns the same terms for names and words", () => {
    expect(termsOf("bookFlights")).toEqual(termsOf("booking a flight"));
  });

  it("splits scripts without spaces into pairs of characters", () => {
    expect(termsOf("北京天气")).toEqual(["北京", "京天", "天气"]);
    expect(termsOf("天气")).toEqual(["天气"]);
  });

  it("splits other alphabets into words", () => {
    expect(termsOf("Погода в Осло, сегодня")).toEqual(["погода", "в", "осло", "сегодня"]);
  });

  it("omits terms that are too long", () => {
    expect(termsOf(`one ${"x".repeat(100)} two`)).toEqual(["on", "two"]);
  });
});

it("camelCaseNames returns camelCase names as single words", () => {
  expect(camelCaseNames("Open a GitHub issue and tell YouTube")).toEqual(["github", "youtub"]);
  expect(camelCaseNames("no such names")).toEqual([]);
});
