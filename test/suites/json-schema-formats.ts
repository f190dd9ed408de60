import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatCheck } from "../../src/base/schema/format-checks.ts";
import type { Suite } from "./suite.ts";

export const name = "JSON Schema Test Suite, formats of draft 2020-12 and draft-07";

export const floor = 0.99;

export const mostWrong = 0;

interface Group {
  readonly schema: { readonly format: string };
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

/** Counts the tests of known formats. Unknown formats assert nothing. */
export const run: Suite["run"] = async (dataDir) => {
  const notes: string[] = [];
  let [total, right] = [0, 0];
  for (const draft of ["draft2020-12", "draft7"]) {
    const folder = join(dataDir, "schemas/json-schema-test-suite", draft, "optional/format");
    for (const file of (await readdir(folder)).sort()) {
      const groups: readonly Group[] = JSON.parse(await readFile(join(folder, file), "utf8"));
      for (const { schema, tests } of groups) {
        const check = formatCheck(schema.format);
        if (check === undefined) continue;
        total += tests.length;
        for (const { data, valid } of tests) {
          if (check(data) === valid) right++;
          else notes.push(`${draft}, ${schema.format}: ${JSON.stringify(data)} is valid: ${valid}`);
        }
      }
    }
  }
  return { right, wrong: notes.length, total, notes: ["", ...notes] };
};
