import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorsPage } from "../../scripts/write-errors.ts";
import { failures } from "../../src/types/failures.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);

it("both tables of the page have every failure code once and no unknown code", () => {
  const codes = Object.keys(failures);
  expect(named.toSorted()).toEqual([...codes, ...codes].toSorted());
});

it("every failure code is raised in the sources", () => {
  expect([...page.matchAll(/^\| `(\w+)` \| {2}\|/gm)].map(([, code]) => code)).toEqual([]);
});

it("the page is the one generated from the failure table", () => {
  expect(page).toBe(errorsPage());
});
