import { readFlags } from "./flags.ts";
import { type RoomResult, toLines, toRoomResult, toTable } from "./mutants/result.ts";
import { type Room, rooms } from "./mutants/rooms.ts";
import { loadStryker } from "./mutants/stryker.ts";

/**
 * Mutation testing: `npm run mutants [-- room …]`. The source is broken at one place at a time, and a test has to fail.
 * The corridor and policy are mutated whole, the other rooms by a seeded sample. A path (`src/policy/judge.ts`) instead
 * of a room mutates all of what stands there. Mutated strings are left out: nearly all of them are words of sentences.
 */
const bar = 85;
const flags = readFlags({
  "--json": "print the result as JSON",
  "--one": "with one worker instead of two",
  "--help":
    "this text, and then the names of rooms or paths in them: call, policy, layers, agent, experiment, ledger",
});
const isJson = flags.has("--json");
const Stryker = await loadStryker();

interface Job {
  readonly room: Room;
  readonly path: string;
  readonly sample?: number | undefined;
}

const toJob = (word: string): Job => {
  const named = rooms.find(({ name, folder }) => word === name || word === folder);
  if (named !== undefined) return { room: named, path: named.folder, sample: named.sample };
  const room = rooms.find(({ folder }) => word.startsWith(`${folder}/`));
  if (room !== undefined) return { room, path: word };
  console.error(`There is no room "${word}": ${rooms.map(({ name }) => name).join(", ")}, or a path in one.`);
  process.exit(2);
};

const play = async ({ room, path, sample }: Job): Promise<RoomResult> => {
  process.env.HAFT_MUTANTS_ROOM = room.name;
  process.env.HAFT_MUTANTS_SAMPLE = String(sample ?? "");
  const started = performance.now();
  const tested = await new Stryker({
    mutate: [
      /\.ts(:|$)/.test(path) ? path : `${path}/**/*.ts`,
      "!**/*.test.ts",
      ...(room.without === undefined ? [] : [`!${room.without}.ts`]),
    ],
    mutator: { excludedMutations: ["StringLiteral"] },
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutants/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    plugins: ["@stryker-mutator/vitest-runner", "./scripts/mutants/sample-checker.ts"],
    checkers: sample === undefined ? [] : ["sample"],
    concurrency: flags.has("--one") ? 1 : 2,
    // Generous, so that a busy machine does not pass for a test that noticed.
    timeoutMS: 20_000,
    reporters: isJson ? [] : ["progress-append-only"],
    logLevel: "warn",
    // Stryker would rewrite the paths in this file by a part of TypeScript that version 7 does not have.
    tsconfigFile: "no-such-tsconfig.json",
  }).runMutationTest();
  return toRoomResult(path, tested, (performance.now() - started) / 1_000);
};

const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const jobs = (words.length === 0 ? rooms.map(({ name }) => name) : words).map(toJob);
const results: RoomResult[] = [];
for (const job of jobs) {
  if (!isJson)
    console.log(`${job.path}, ${job.sample === undefined ? "whole" : `${job.sample} mutants by seed`}`);
  results.push(await play(job));
}
if (isJson) console.log(JSON.stringify({ bar, excluded: ["StringLiteral"], results }));
else {
  console.log(`\n${toTable(results)}\n\nWithout mutated strings. The bar is ${bar} %.`);
  for (const { survivors } of results) if (survivors.length > 0) console.log(`\n${toLines(survivors)}`);
}
process.exit(results.every(({ score }) => score >= bar) ? 0 : 1);
