import { parseArgs } from "node:util";
import {
  type Broken,
  describeBroken,
  playSeed,
  playSeeds,
  replayCommand,
} from "../test/system/sim/campaign.ts";
import { explore, sceneNamed, sceneNames } from "../test/system/sim/explore.ts";
import type { Driver } from "../test/system/sim/history.ts";
import { type MutationName, mutations } from "../test/system/sim/mutations.ts";
import type { StoreKind } from "../test/system/sim/shared-store.ts";

const usage = `usage: npm run sim -- [flags]

Several runtimes share one ledger under a scheduler that controls time and order. A seed decides what they do, in which order,
and what fails. The same seed gives the same history.

  --store memory|sqlite   the ledger; default memory
  --driven-by agent|session   what makes the calls: Haft's agents, or another framework's loop; default agent
  --histories N           number of seeds; default 1000
  --from N                first seed; default random, and printed
  --seed N                play one history and print its steps
  --without 2,5           omit these disturbances of a history, by number
  --mutation NAME         use a ledger that breaks a promise: ${Object.keys(mutations).join(", ")}
  --explore N             instead of seeds, try every order of two runtimes' steps with at most N preemptions
  --within SECONDS        maximum time for each scene; default 600
  --json                  print the result as JSON
  --help                  this text`;

const exitWithUsage = (message: string): never => {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
};

const readSimFlags = () => {
  try {
    return parseArgs({
      options: {
        store: { type: "string", default: "memory" },
        "driven-by": { type: "string", default: "agent" },
        histories: { type: "string", default: "1000" },
        from: { type: "string" },
        seed: { type: "string" },
        without: { type: "string" },
        mutation: { type: "string" },
        explore: { type: "string" },
        within: { type: "string", default: "600" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return exitWithUsage((error as Error).message);
  }
};

const toNumber = (flag: string, text: string): number => {
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 && text.trim() !== ""
    ? number
    : exitWithUsage(`--${flag} must be a whole number, not "${text}".`);
};

const flags = readSimFlags();
if (flags.help) {
  console.log(usage);
  process.exit(0);
}
if (flags.store !== "memory" && flags.store !== "sqlite") exitWithUsage(`Unknown store "${flags.store}".`);
if (flags.mutation !== undefined && !Object.hasOwn(mutations, flags.mutation))
  exitWithUsage(`Unknown mutation "${flags.mutation}".`);
if (flags["driven-by"] !== "agent" && flags["driven-by"] !== "session")
  exitWithUsage(`--driven-by must be agent or session, not "${flags["driven-by"]}".`);
const store = flags.store as StoreKind;
const drivenBy = flags["driven-by"] as Driver;
const mutation = flags.mutation as MutationName | undefined;

const simulateSeed = async (seed: number): Promise<boolean> => {
  const without = (flags.without ?? "").split(",").filter(Boolean);
  const draw = { seed, store, drivenBy, mutation, without: without.map((text) => toNumber("without", text)) };
  const played = await playSeed(draw);
  if (flags.json) console.log(JSON.stringify({ ...draw, ...played }));
  else console.log([...played.steps, "", describeBroken({ draw, played })].join("\n"));
  return played.violations.length === 0;
};

const simulateSeeds = async (): Promise<boolean> => {
  const count = toNumber("histories", flags.histories);
  const from =
    flags.from === undefined ? 1 + Math.floor(Math.random() * 2 ** 30) : toNumber("from", flags.from);
  const seeds = Array.from({ length: count }, (_, index) => from + index);
  const { broken, ...counts } = await playSeeds({ store, drivenBy, seeds, mutation });
  const perSecond = Math.round((counts.histories / counts.ms) * 1_000);
  const toResult = ({ draw, played }: Broken) => ({ ...draw, ...played, replay: replayCommand(draw) });
  if (flags.json)
    console.log(
      JSON.stringify({ store, drivenBy, from, ...counts, perSecond, broken: broken.map(toResult) }),
    );
  else {
    const { histories, steps, disturbances, outcomes } = counts;
    console.log(`${store}: ${histories} histories from seed ${from}, ${perSecond} a second`);
    console.log(`${steps} steps, ${disturbances} disturbances`);
    for (const [outcome, times] of Object.entries(outcomes).toSorted()) console.log(`  ${outcome}: ${times}`);
    for (const each of broken) console.log(`\n${describeBroken(each)}`);
    console.log(broken.length === 0 ? "no violations" : `\n${broken.length} histories have violations`);
  }
  return broken.length === 0;
};

const exploreAll = async (preemptions: number): Promise<boolean> => {
  const withinMs = toNumber("within", flags.within) * 1_000;
  const results = [];
  for (const name of sceneNames) {
    const scene = sceneNamed(name);
    const found = await explore({
      store,
      scene,
      preemptions,
      withinMs,
      mutate: mutation === undefined ? undefined : mutations[mutation],
    });
    results.push({ scene: name, ...found });
    if (flags.json) continue;
    const end = found.isComplete ? "complete" : "incomplete";
    console.log(`${store}, ${name}: ${found.histories} histories, ${found.steps} steps, ${end}`);
    if (found.broken !== undefined)
      console.log([...found.broken.steps, "", ...found.broken.violations].join("\n"));
  }
  if (flags.json) console.log(JSON.stringify({ store, preemptions, results }));
  return results.every(({ broken }) => broken === undefined);
};

const isWhole =
  flags.explore !== undefined
    ? await exploreAll(toNumber("explore", flags.explore))
    : flags.seed !== undefined
      ? await simulateSeed(toNumber("seed", flags.seed))
      : await simulateSeeds();
process.exit(isWhole ? 0 : 1);
