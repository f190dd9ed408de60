import { describe, expect, it } from "vitest";
import { encodeStrictly, type ParameterStyle, toPairs, toStyledText } from "./styles.ts";

const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200 };

describe("toPairs", () => {
  it.each<[ParameterStyle, boolean, unknown, string]>([
    ["form", true, "blue", "color=blue"],
    ["form", true, list, "color=blue&color=black&color=brown"],
    ["form", true, object, "R=100&G=200"],
    ["form", false, list, "color=blue,black,brown"],
    ["form", false, object, "color=R,100,G,200"],
    ["spaceDelimited", false, list, "color=blue%20black%20brown"],
    ["pipeDelimited", false, list, "color=blue%7Cblack%7Cbrown"],
    ["tabDelimited", false, list, "color=blue%09black%09brown"],
    ["pipeDelimited", true, list, "color=blue&color=black&color=brown"],
    ["deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200"],
    ["deepObject", true, { a: [1, { b: 2 }] }, "color%5Ba%5D%5B0%5D=1&color%5Ba%5D%5B1%5D%5Bb%5D=2"],
    ["form", true, "", "color="],
    ["form", true, 0, "color=0"],
    ["form", true, false, "color=false"],
    ["form", true, [{ a: 1 }], "color=%7B%22a%22%3A1%7D"],
  ])("with %s and explode %s writes %j as %s", (style, explode, value, expected) => {
    expect(toPairs(value, { name: "color", style, explode }).join("&")).toBe(expected);
  });

  it.each([[undefined], [null], [[]], [{}], [[null, undefined]]])("writes nothing for %j", (value) => {
    expect(toPairs(value, { name: "a", style: "form", explode: false })).toEqual([]);
    expect(toPairs(value, { name: "a", style: "form", explode: true })).toEqual([]);
  });

  it("encodes delimiters, and with allowReserved only those", () => {
    const value = "a/b?c:d@e&f=g#h+i%j [k]";
    const styled = { name: "p q", style: "form", explode: true } as const;
    const [strict] = toPairs(value, styled);
    const [open] = toPairs(value, { ...styled, allowReserved: true });
    expect(open).toBe("p%20q=a/b?c:d@e%26f=g%23h%2Bi%25j%20[k]");
    for (const pair of [strict, open]) expect(new URLSearchParams(pair).get("p q")).toBe(value);
  });
});

describe("toStyledText", () => {
  it.each<[ParameterStyle, boolean, unknown, string]>([
    ["simple", false, "blue", "blue"],
    ["simple", false, list, "blue,black,brown"],
    ["simple", false, object, "R,100,G,200"],
    ["simple", true, object, "R=100,G=200"],
    ["label", false, "blue", ".blue"],
    ["label", false, list, ".blue,black,brown"],
    ["label", true, list, ".blue.black.brown"],
    ["label", false, object, ".R,100,G,200"],
    ["label", true, object, ".R=100.G=200"],
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, list, ";color=blue,black,brown"],
    ["matrix", true, list, ";color=blue;color=black;color=brown"],
    ["matrix", false, object, ";color=R,100,G,200"],
    ["matrix", true, object, ";R=100;G=200"],
  ])("styles text with %s and explode %s, so that %j becomes %s", (style, explode, value, expected) => {
    expect(toStyledText(value, { name: "color", style, explode }, encodeStrictly)).toBe(expected);
  });
});
