import { readFileSync, writeFileSync } from "node:fs";
import { type Renames, renames03 } from "../src/cli/migrate/renames-0.3.ts";
import { readFlags } from "./flags.ts";

interface Row {
  readonly from: string;
  readonly to: string;
  /** The entry point, or the kind of name. */
  readonly where: string;
}

const entryPointRows = ({ entryPoints }: Renames): readonly Row[] =>
  Object.entries(entryPoints).map(([from, to]) => ({
    from: from.replace(/\/$/, "/*"),
    to: to.replace(/\/$/, "/*"),
    where: "entry points",
  }));

const optionRows = ({ options }: Renames): readonly Row[] =>
  Object.entries(options).flatMap(([type, { fields }]) =>
    Object.entries(fields).map(([path, to]) => ({
      from: path,
      to: path.replace(/[^.]+$/, to),
      where: `options: ${type}`,
    })),
  );

const exportRows = ({ exports }: Renames): readonly Row[] =>
  Object.entries(exports).flatMap(([entry, { values = {}, types = {} }]) =>
    Object.entries({ ...values, ...types })
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([from, to]) => ({ from, to, where: entry })),
  );

const memberRows = (renames: Renames): readonly Row[] => {
  const types = new Map(exportRows(renames).map(({ from, to }) => [from, to]));
  const options = new Set(optionRows(renames).map(({ from }) => from.split(".").at(-1)));
  return renames.members
    .filter(({ from }) => !options.has(from))
    .map(({ owner, from, to }) => ({
      from: `${owner}.${from}`,
      to: `${types.get(owner) ?? owner}.${to}`,
      where: "members",
    }));
};

const allRows = (renames: Renames): readonly Row[] => [
  ...entryPointRows(renames),
  ...optionRows(renames),
  ...exportRows(renames),
  ...memberRows(renames),
];

/** One row per name, with its places. */
export const guideTable = (renames: Renames): string => {
  const places = new Map<string, string[]>();
  for (const { from, to, where } of allRows(renames)) {
    const row = `| \`${from}\` | \`${to}\` |`;
    places.set(row, [...(places.get(row) ?? []), where.startsWith("haft") ? `\`${where}\`` : where]);
  }
  const rows = [...places].map(([row, where]) => `${row} ${where.join(", ")} |`);
  return ["| Old | New | In |", "|---|---|---|", ...rows].join("\n");
};

/** One row per place, with its names. */
export const changelogTable = (renames: Renames): string => {
  const names = new Map<string, string[]>();
  for (const { from, to, where } of allRows(renames))
    names.set(where, [...(names.get(where) ?? []), `\`${from}\` → \`${to}\``]);
  const rows = [...names].map(
    ([where, each]) => `| ${where.startsWith("haft") ? `\`${where}\`` : where} | ${each.join(", ")} |`,
  );
  return ["| In | Old → new |", "|---|---|", ...rows].join("\n");
};

/** Replaces the text between the markers of a page. */
export const withTable = (page: string, table: string): string =>
  page.replace(
    /(<!-- renames -->\n)[\s\S]*?(<!-- \/renames -->)/,
    (_, begin, end) => `${begin}\n${table}\n\n${end}`,
  );

export const pages = [
  { file: "docs/migrate-to-0.3.md", table: guideTable(renames03) },
  { file: "CHANGELOG.md", table: changelogTable(renames03) },
];

if (import.meta.main) {
  const check = readFlags({ "--check": "change nothing; fail if a table is stale" }).has("--check");
  for (const { file, table } of pages) {
    const url = new URL(`../${file}`, import.meta.url);
    const before = readFileSync(url, "utf8");
    const after = withTable(before, table);
    if (after === before) continue;
    if (!check) writeFileSync(url, after);
    else {
      console.error(`${file} differs from src/cli/migrate/renames-0.3.ts: run npm run migration`);
      process.exitCode = 1;
    }
  }
}
