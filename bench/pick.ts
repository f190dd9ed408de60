import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Difference, pairedBootstrap } from "./pick/bootstrap.ts";
import { checkAnchor } from "./pick/check-anchor.ts";
import type { Contender } from "./pick/contender.ts";
import { loadAnchor } from "./pick/contenders/anchor.ts";
import { anchorFile, isDataThere, readData, sampleOf } from "./pick/data.ts";
import { measureContender, type Result } from "./pick/measure-contender.ts";
import { scaleText } from "./pick/scale.ts";
import { comparisonText, differencesText, resultText } from "./pick/show.ts";

/**
 * Measures tool search: Haft compared to plain BM25, search libraries, and Haft with embeddings, over the
 * same queries.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    smoke: { type: "boolean", default: false },
    weights: { type: "boolean", default: false },
    fit: { type: "boolean", default: false },
    scale: { type: "boolean", default: false },
    sizes: { type: "string", default: "10000,100000" },
    json: { type: "string" },
  },
});

const leastGain = 0.02;
const say = (text: string): void => console.error(text);

if (!isDataThere()) {
  console.log("skipped: no tool-selection data in the data folder ($HAFT_SUITES)");
  process.exit(0);
}
if (values.scale) {
  const { text, json } = await scaleText(values.sizes.split(",").map(Number), values.only?.split(","), say);
  console.log(text);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(json, null, 2)}\n`);
  process.exit(0);
}

const data = values.smoke ? sampleOf(readData(), 200) : readData();
const complaints: string[] = [];
const results: Result[] = [];

/** Imported lazily, so that Haft can be measured without the others installed. */
const contenders: Readonly<Record<string, () => Promise<Contender>>> = {
  haft: async () => (await import("./pick/contenders/haft.ts")).haft,
  "haft+embeddings": async () =>
    (await import("./pick/contenders/haft-embeddings.ts")).haftEmbeddings(data, say),
  minisearch: async () => (await import("./pick/contenders/minisearch.ts")).minisearch,
  orama: async () => (await import("./pick/contenders/orama.ts")).orama,
};
/** The smoke run skips contenders that are not installed with the package or need minutes for a model. */
const inSmoke = new Set(["haft"]);

if (values.weights) {
  const { weightsText } = await import("./pick/weights.ts");
  const words = values.only === "anchor" ? (await loadAnchor(data)).contender : await contenders.haft!();
  console.log(await weightsText(data, words, say));
  process.exit(0);
}
if (values.fit) {
  const { fitText } = await import("./pick/fit.ts");
  const { text, json } = fitText(data, say);
  console.log(text);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ fit: json }, null, 2)}\n`);
  process.exit(0);
}
const asked = values.only?.split(",");
const unknown = asked?.find((name) => name !== "anchor" && contenders[name] === undefined);
if (unknown !== undefined)
  throw new Error(
    `unknown contender ${unknown}; the contenders are anchor, ${Object.keys(contenders).join(", ")}`,
  );

for (const [name, load] of Object.entries(contenders)) {
  if (asked === undefined ? values.smoke && !inSmoke.has(name) : !asked.includes(name)) continue;
  results.push(await measureContender(await load(), data, say));
}
if (!existsSync(anchorFile)) say("the anchor is not in the data folder, so results are not compared with it");
else if (asked?.includes("anchor") !== false) {
  say("anchor: measuring itself");
  const { contender, printed } = await loadAnchor(data);
  const result = await measureContender(contender, data, say);
  results.push(result);
  complaints.push(...checkAnchor(printed, result));
}

console.log(`${results.map(resultText).join("\n\n")}\n\n${comparisonText(results)}`);
const anchor = results.find(({ name }) => name === "anchor");
const compared: Record<string, Readonly<Record<string, Difference>>> = {};
for (const { name, measured } of results) {
  if (anchor === undefined || name === "anchor") continue;
  const r5 = (all: Result["measured"]) => all.map((each) => each.r5);
  compared[name] = pairedBootstrap(data.queries, r5(measured), r5(anchor.measured));
  console.log(`\n${differencesText(`${name} minus anchor, R@5`, compared[name])}`);
}
// A sample is too small to judge results, so the smoke run only checks that everything can be measured.
if (!values.smoke && compared.haft !== undefined) complaints.push(...judged(compared.haft));
for (const { name, summary } of results)
  if (!(summary.micro.r10 > 0)) complaints.push(`${name} found nothing`);
for (const each of complaints) console.log(`FAIL  ${each}`);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ results: results.map(({ measured: _, ...rest }) => rest), compared, complaints }, null, 2)}\n`,
  );
process.exit(complaints.length === 0 ? 0 : 1);

function judged(differences: Readonly<Record<string, Difference>>): readonly string[] {
  return Object.entries(differences).flatMap(([name, { difference, verdict }]) => {
    if ((name === "macro" || name === "micro") && difference < leastGain)
      return [`haft is not ${100 * leastGain} points above the anchor in ${name} R@5`];
    return verdict === "loses" ? [`haft loses to the anchor on ${name}`] : [];
  });
}
