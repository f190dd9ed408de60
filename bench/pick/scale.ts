import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { round, table } from "../numbers.ts";
import type { Times } from "./measure-contender.ts";
import type { ScaleResult } from "./scale-measure.ts";

const run = promisify(execFile);
const measure = fileURLToPath(new URL("./scale-measure.ts", import.meta.url));
const contenders = ["haft.pick", "toolIndex", "minisearch", "orama"];
/** A contender that takes longer is skipped and reported. */
const timeout = 300_000;

/** Runs each contender and size in a separate process, so that heaps do not add up. */
export const scaleText = async (
  sizes: readonly number[],
  only: readonly string[] | undefined,
  say: (text: string) => void,
): Promise<{ readonly text: string; readonly json: readonly ScaleResult[] }> => {
  const results: ScaleResult[] = [];
  const left: string[] = [];
  for (const size of sizes) {
    for (const contender of contenders.filter((name) => only?.includes(name) ?? true)) {
      say(`${contender}: ${size} tools`);
      const words = ["--expose-gc", "--max-old-space-size=8192", measure, contender, String(size)];
      const done = await run(process.execPath, words, { timeout }).catch(
        (error: { readonly killed?: boolean; readonly stderr?: string }) => error,
      );
      if ("stdout" in done && !("killed" in done)) results.push(JSON.parse(done.stdout) as ScaleResult);
      else {
        const why = "killed" in done && done.killed ? `not done in ${timeout / 1000} s` : "failed";
        left.push(`${contender} with ${size} tools: ${why}`);
        say(("stderr" in done && done.stderr) || why);
      }
    }
  }
  return { text: [tableOf(results), ...left].join("\n"), json: results };
};

const both = ({ p50, p99 }: Times): string => `${round(p50)}/${round(p99)}`;

const tableOf = (results: readonly ScaleResult[]): string =>
  table([
    [
      "p50/p99",
      "tools",
      "index, ms",
      "MB",
      "first, ms",
      "questions",
      "question, µs",
      "add, µs",
      "question after it, µs",
      "remove, µs",
    ],
    ...results.map((each) => [
      each.contender,
      each.tools.toLocaleString("en-US"),
      round(each.indexMilliseconds),
      round(each.megabytes),
      round(each.firstMilliseconds),
      String(each.queries),
      both(each.queryMicroseconds),
      both(each.addMicroseconds),
      both(each.afterAddMicroseconds),
      both(each.removeMicroseconds),
    ]),
  ]);
