import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";

/**
 * `npm run prose`: comments, messages, tests and documents use ordinary technical English. Fails if the words
 * of `plain-english.mjs` are more frequent than this, per 1,000 words of a kind.
 */
const maxRate = 2;

interface ProseCount {
  readonly words: number;
  readonly hits: number;
  readonly perThousand: number;
  readonly top: readonly (readonly [word: string, count: number])[];
  readonly files: readonly (readonly [file: string, count: number])[];
}

const flags = readFlags({
  "--worst": "also list the files with the most hits",
  "--help": "print this text",
});
const root = fileURLToPath(new URL("..", import.meta.url));
const script = fileURLToPath(new URL("./plain-english.mjs", import.meta.url));
const output = execFileSync(process.execPath, [script, root, "--json", "--worst", "20"], {
  encoding: "utf8",
  maxBuffer: 1 << 26,
});
const counts = JSON.parse(output) as Readonly<Record<string, ProseCount>>;

for (const [kind, { words, hits, perThousand, top, files }] of Object.entries(counts)) {
  const isTooHigh = perThousand > maxRate;
  const rate = perThousand.toFixed(2).padStart(5);
  console.log(`${rate} per 1,000  ${kind} (${hits} in ${words} words)${isTooHigh ? ": too many" : ""}`);
  if (isTooHigh) {
    console.log(`  ${top.map(([word, count]) => `${word} ${count}`).join(", ")}`);
    process.exitCode = 1;
  }
  if (isTooHigh || flags.has("--worst"))
    for (const [file, count] of files) console.log(`  ${count}  ${file}`);
}
if (process.exitCode === 1)
  console.error(
    `At most ${maxRate} per 1,000 words are allowed. Rewrite the sentences: node scripts/plain-english.mjs --show WORD lists them.`,
  );
