import fc from "fast-check";
import { expect, test } from "vitest";
import { expectToFinish } from "../../../../test/kit/expect-to-finish.ts";
import { matchesTemplate } from "./resource-owners.ts";

test.each([
  ["file:///{path}", "file:///a.txt", true],
  ["file:///{path}", "file:///a/b.txt", false],
  ["file:///{+path}", "file:///a/b.txt", true],
  ["file:///{path}", "file:///", false],
  ["test://template/{id}/data", "test://template/123/data", true],
  ["test://template/{id}/data", "test://template/123/other", false],
  ["test://template/{id}/data", "test://template/1/2/data", false],
  ["db://{table}/{row}", "db://users/7", true],
  ["search://q{?term,page}", "search://q?term=x&page=2", true],
  ["search://q{?term,page}", "search://q", true],
  ["plain://uri", "plain://uri", true],
  ["plain://uri", "plain://uri2", false],
  ["broken://{open", "broken://x", false],
])("%s matches %s: %s", (template, uri, expected) => {
  expect(matchesTemplate(template, uri)).toBe(expected);
});

test("matches everything that a template expands to", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/u);
  const parts = fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(parts, (pairs) => {
      const template = pairs.map(([literal], i) => `/${literal}-${i}/{v${i}}`).join("");
      const uri = pairs.map(([literal, value], i) => `/${literal}-${i}/${value}`).join("");
      expect(matchesTemplate(template, uri)).toBe(true);
    }),
  );
});

test("takes bounded time for every template", () => {
  const template = "{+a}x".repeat(400);
  expect(expectToFinish(() => matchesTemplate(template, "x".repeat(3000).concat("y")))).toBe(false);
});
