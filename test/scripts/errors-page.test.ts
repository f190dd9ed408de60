import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorsPage } from "../../scripts/write-errors.ts";
import { failures } from "../../src/types/failures.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);

it("the page has every failure code once and no unknown code", () => {
  expect(named.toSorted()).toEqual(Object.keys(failures).toSorted());
});

it("the page is the one generated from the failure table", () => {
  expect(page).toBe(errorsPage());
});
