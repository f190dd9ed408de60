import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { failureMeanings } from "../src/types/failure-meanings.ts";
import { type FailureCode, failures, type Stage } from "../src/types/failures.ts";
import { readFlags } from "./flags.ts";

const titles: Readonly<Record<Stage, string>> = {
  hydrate: "1 hydrate",
  bind: "2 bind",
  authorize: "3 authorize",
  layers: "4 layers",
  run: "5 run",
  check: "6 check",
  record: "7 record",
  reply: "8 reply",
  define: "Before any call: definitions and configuration",
};

/** The page of all failures, by the pipeline stage in which they occur. */
export const errorsPage = (): string => {
  const rows = Object.entries(failures);
  const sections = Object.entries(titles).flatMap(([stage, title]) => {
    const own = rows.filter(([, row]) => row.stage === stage);
    if (own.length === 0) return [];
    const lines = own.map(
      ([code, row]) =>
        `| \`${code}\` | \`${row.error}\` | ${row.retryable ? "yes" : "no"} | ${row.reader} | ${failureMeanings[code as FailureCode]} |`,
    );
    return [
      [
        `## ${title}`,
        "",
        "| code | error | retryable | reader | meaning |",
        "|---|---|---|---|---|",
        ...lines,
      ].join("\n"),
    ];
  });
  const head = [
    "# Failures",
    "",
    "<!-- Generated from src/types/failures.ts and failure-meanings.ts by `npm run errors`. -->",
    "",
    "Every way a call or a definition can fail, in the order of the call pipeline. In the pipeline a failure is a value;",
    "the promise API throws it as the error named here, with the code in `error.code`.",
    "",
    "**Retryable** means that trying again may help. A retry layer never repeats a call that may have run,",
    "unless the tool is idempotent. **Reader** says who may read the message: a message for operators",
    "is replaced by a general sentence for the model.",
  ].join("\n");
  return `${[head, ...sections].join("\n\n")}\n`;
};

if (import.meta.main) {
  const file = new URL("../docs/errors.md", import.meta.url);
  const page = errorsPage();
  if (!readFlags({ "--check": "change nothing; fail if the page is stale" }).has("--check"))
    writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    console.error("docs/errors.md differs from src/types/failures.ts: run npm run errors");
    process.exitCode = 1;
  }
}
