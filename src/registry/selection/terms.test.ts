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
  ])("reads %j in its words", (name, words) => {
    expect(splitWords(name)).toEqual(words);
  });
});

describe("termsOf", () => {
  it("drops words that say nothing, and what is left of short forms", () => {
    expect(termsOf("What's the weather like in Oslo? I'd like to know, please.")).toEqual([
      "weather",
      "oslo",
    ]);
  });

  it("keeps the order, and words as often as they stand there", () => {
    expect(termsOf("Send mails, then send one more mail")).toEqual(["send", "mail", "send", "on", "mail"]);
  });

  it("gives the same for names and for words", () => {
    expect(termsOf("bookFlights")).toEqual(termsOf("booking a flight"));
  });

  it("reads scripts without blanks two signs at a time", () => {
    expect(termsOf("北京天气")).toEqual(["北京", "京天", "天气"]);
    expect(termsOf("天气")).toEqual(["天气"]);
  });

  it("reads other alphabets word by word", () => {
    expect(termsOf("Погода в Осло, сегодня")).toEqual(["погода", "в", "осло", "сегодня"]);
  });

  it("leaves out what is too long to be a word", () => {
    expect(termsOf(`one ${"x".repeat(100)} two`)).toEqual(["on", "two"]);
  });
});

it("names in camelCase are one word too", () => {
  expect(camelCaseNames("Open a GitHub issue and tell YouTube")).toEqual(["github", "youtub"]);
  expect(camelCaseNames("no such names")).toEqual([]);
});
