import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toModelText } from "../src/pipeline/8-reply/reply.ts";
import { failureMeanings } from "../src/types/failure-meanings.ts";
import { type FailureCode, failures, type Stage } from "../src/types/failures.ts";
import { findRaiseSites, type RaiseSite } from "./errors/find-raise-sites.ts";
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

const introduction = `# Failures

<!-- Generated from src/types/failures.ts, failure-meanings.ts and the sources by \`npm run errors\`. -->

Every way a call or a definition can fail, in the order of the pipeline. A failure is a value inside, and the promise API throws it as the
error named here, with the code in \`error.code\`.

**Retryable** means that another try may succeed. A retry layer repeats nothing that may have run, unless the tool is idempotent.
**The model reads** what the second table of a section says; \`…\` is a computed part. Where it is a general sentence, the details are for
operators: the log, the thrown error and the command line have them.`;

/** The page of all failures, by the pipeline stage in which they occur. */
export const errorsPage = (): string => {
  const codes = Object.keys(failures) as readonly FailureCode[];
  const sites = findRaiseSites(fileURLToPath(new URL("../src", import.meta.url)), new Set(codes));
  const sections = (Object.keys(titles) as readonly Stage[]).flatMap((stage) => {
    const own = codes.filter((code) => failures[code].stage === stage);
    return own.length === 0 ? [] : [stageSection(stage, own, sites)];
  });
  return `${[introduction, ...sections].join("\n\n")}\n`;
};

const stageSection = (stage: Stage, codes: readonly FailureCode[], sites: readonly RaiseSite[]): string => {
  const meanings = codes.map((code) => {
    const { error, retryable } = failures[code];
    return `| \`${code}\` | \`${error}\` | ${retryable ? "yes" : "no"} | ${failureMeanings[code]} |`;
  });
  const origins = codes.map((code) => {
    const own = sites.filter((site) => site.code === code);
    return `| \`${code}\` | ${placesOf(own)} | ${modelTextOf(code, stage, own)} |`;
  });
  return [
    `## ${titles[stage]}`,
    "",
    "| code | error | retryable | meaning |",
    "|---|---|---|---|",
    ...meanings,
    "",
    "| code | raised in | the model reads |",
    "|---|---|---|",
    ...origins,
  ].join("\n");
};

const maxPlaces = 3;

const placesOf = (sites: readonly RaiseSite[]): string => {
  const places = [...new Set(sites.map(({ file, functionName }) => `\`${file}\` ${functionName}`.trim()))];
  const rest = places.length - maxPlaces;
  return [...places.slice(0, maxPlaces), ...(rest > 0 ? [`and ${rest} more`] : [])].join("<br>");
};

const maxTexts = 2;

const modelTextOf = (code: FailureCode, stage: Stage, sites: readonly RaiseSite[]): string => {
  if (stage === "define") return "nothing: no call is made";
  if (failures[code].reader === "operator" && code !== "ledger_unavailable")
    return escapeCell(toModelText({ code, message: "" }, "…"));
  const texts = [...new Set(sites.flatMap(({ message }) => message ?? []))];
  if (texts.length === 0) return "the message of the error";
  return texts
    .slice(0, maxTexts)
    .map((text) => escapeCell(`Error: ${text}`))
    .join("<br>");
};

const escapeCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

if (import.meta.main) {
  const file = new URL("../docs/errors.md", import.meta.url);
  const page = errorsPage();
  if (!readFlags({ "--check": "change nothing; fail if the page is stale" }).has("--check"))
    writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    console.error("docs/errors.md is stale. Run npm run errors.");
    process.exitCode = 1;
  }
}
