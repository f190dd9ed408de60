import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("../../docs/decisions/", import.meta.url);

it.each(readdirSync(folder))("%s has a context, options, a decision and consequences", (file) => {
  const text = readFileSync(new URL(file, folder), "utf8");
  expect(text).toMatch(new RegExp(`^# ${file.slice(0, 3)} .+\n\n20\\d\\d-\\d\\d-\\d\\d`));
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
    "Context",
    "Options",
    "Decision",
    "Consequences",
  ]);
});
