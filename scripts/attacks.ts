import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type AttackRun, isBroken, isDud, runCampaign } from "../test/system/attacks/campaign.ts";
import { corpus } from "../test/system/attacks/corpus.ts";
import { isShipped, shippedEngines } from "../test/system/attacks/host/shipped.ts";
import { seededTenth } from "../test/system/attacks/seeded-tenth.ts";
import { toTable } from "../test/system/attacks/table.ts";
import { installSystemPackages, systemEnvironment } from "./system-packages.ts";

const usage = `usage: npm run attacks -- [flags]

Runs hostile programs in every sandbox engine. Each program also runs without a sandbox and must do harm there:
otherwise it proves nothing.

  --engine NAME     only this engine; repeatable: ${Object.keys(shippedEngines).join(", ")}
  --group WORDS     only groups whose name contains these words
  --case WORDS      only attacks whose name contains these words
  --tenth SEED      a tenth of the attacks, with at least one of each group
  --require NAME    fail if this engine is missing; repeatable
  --json            print every run as JSON
  --write           write the table into docs/attacks.md
  --help            this text

Exits with 1 if an attack did harm in an engine, an attack did no harm without a sandbox, or a required engine is missing.`;

const page = new URL("../docs/attacks.md", import.meta.url);

const exitWithUsage = (message: string): never => {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
};

const readAttackFlags = () => {
  try {
    return parseArgs({
      options: {
        engine: { type: "string", multiple: true },
        group: { type: "string" },
        case: { type: "string" },
        tenth: { type: "string" },
        require: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return exitWithUsage((error as Error).message);
  }
};

const flags = readAttackFlags();
if (flags.help) {
  console.log(usage);
  process.exit(0);
}
for (const name of [...(flags.engine ?? []), ...flags.require])
  if (!isShipped(name)) exitWithUsage(`Unknown engine "${name}".`);

const includesWords = (text: string, words: string | undefined): boolean =>
  words === undefined || text.toLowerCase().includes(words.toLowerCase());
const chosen = corpus.filter(
  ({ group, name }) => includesWords(group, flags.group) && includesWords(name, flags.case),
);
const seed = Number(flags.tenth ?? 0);
if (!Number.isInteger(seed)) exitWithUsage(`--tenth must be a whole number, not "${flags.tenth}".`);
const attacks = flags.tenth === undefined ? chosen : seededTenth(chosen, seed);
if (attacks.length === 0) exitWithUsage("No attack has this name.");
const isPart = attacks.length < corpus.length || flags.engine !== undefined;
if (flags.write && isPart) exitWithUsage("--write requires all attacks on all engines.");

const runLine = ({ attack, engine, harms, ending, ms }: AttackRun): string =>
  `${engine}: ${attack.group}: ${attack.name}: ${harms.join(", ") || "no harm"} (${ending}; ${Math.round(ms)} ms)`;

const onRun = (run: AttackRun, count: number, of: number): void => {
  if (isDud(run)) console.error(`no harm without a sandbox: ${runLine(run)}`);
  if (isBroken(run)) console.error(`BROKEN: ${runLine(run)}`);
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${count}/${of} ${run.engine}: ${run.attack.name}`);
  else if (count % 50 === 0) console.error(`${count} of ${of}`);
};

const abort = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => abort.abort());

installSystemPackages();
// The engines are child processes that find deno and pyodide through this environment.
Object.assign(process.env, systemEnvironment());
const startedAt = performance.now();
const result = await runCampaign({ attacks, engines: flags.engine, onRun, signal: abort.signal });
if (abort.signal.aborted) {
  console.error("\nstopped");
  process.exit(130);
}
if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");

const { runs, missing, strangers } = result;
const [duds, broken] = [runs.filter(isDud), runs.filter(isBroken)];
const absent = flags.require.filter((name) => missing[name] !== undefined);
if (flags.json) {
  const results = runs.map(({ attack: { name, group }, ...rest }) => ({ group, name, ...rest }));
  console.log(JSON.stringify({ runs: results, missing, strangers }));
} else {
  console.log(toTable(result));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`\n${attacks.length} attacks, ${runs.length} runs, ${seconds} s`);
  for (const [name, why] of Object.entries(missing)) console.log(`${name} is missing here: ${why}`);
  for (const each of strangers) console.log(`process of unknown origin: ${each}`);
  for (const run of duds) console.log(`no harm without a sandbox: ${runLine(run)}`);
  for (const run of broken) console.log(`harm in the sandbox: ${runLine(run)}`);
  if (duds.length + broken.length === 0)
    console.log("every attack does harm without a sandbox and none in an engine");
}
if (flags.write) {
  const between = /(<!-- table -->\n).*?(<!-- \/table -->)/s;
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(between, (_, from: string, to: string) => `${from}\n${toTable(result)}\n\n${to}`),
  );
}
process.exit(duds.length + broken.length + absent.length + strangers.length === 0 ? 0 : 1);
