import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pages, withTable } from "../../scripts/write-migration.ts";
import { renames03 } from "../../src/cli/migrate/renames-0.3.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

const exportRenames = Object.entries(renames03.exports).flatMap(([entry, { values, types }]) =>
  Object.entries({ ...values, ...types }).map(([from, to]) => ({ entry, from, to })),
);

it.each(pages)("$file has the table of renames", ({ file, table }) => {
  const page = read(file);
  expect(page).toContain(table);
  expect(page).toBe(withTable(page, table));
});

/** The names that a file exports from others. */
const namesOf = (file: string): ReadonlySet<string> =>
  new Set(
    [...read(file).matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list
        .split(",")
        .map((each) => each.trim().replace(/^type /, ""))
        .filter(Boolean),
    ),
  );

it.each(exportRenames)("$entry exports $from or $to, and not both", ({ entry, from, to }) => {
  const names = namesOf(`src/exports/${entry.replace(/^haft\/?/, "") || "index"}.ts`);
  expect([from, to].filter((name) => names.has(name))).toHaveLength(1);
});

it("every renamed entry point exists under its new path", () => {
  const files = readdirSync(new URL("../../src/exports", import.meta.url), {
    recursive: true,
    encoding: "utf8",
  });
  for (const path of Object.values(renames03.entryPoints)) {
    const place = path.replace(/^haft\//, "");
    expect(
      files.some((file) => (place.endsWith("/") ? file.startsWith(place) : file === `${place}.ts`)),
    ).toBe(true);
  }
});

it("no new name is also an old name, so that a second run changes nothing", () => {
  for (const { entry, to } of exportRenames) {
    const { values = {}, types = {} } = renames03.exports[entry]!;
    expect([entry, to, Object.hasOwn({ ...values, ...types }, to)]).toEqual([entry, to, false]);
  }
});

it("no two old names become the same new name, so that imports of a file cannot collide", () => {
  const olds = Map.groupBy(exportRenames, ({ to }) => to);
  for (const [to, all] of olds) expect([to, new Set(all.map(({ from }) => from)).size]).toEqual([to, 1]);
});
