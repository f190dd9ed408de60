import { readdirSync, readFileSync } from "node:fs";
import { mergeConfig } from "vitest/config";
import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import whole from "./vitest.config.ts";

/** Tests of the most important features. */
const core = [
  "the overview counts calls, failures, cost and pending requests, and groups calls by tool, agent and tenant",
  "a failed call shows its eight stages with the failing one, its attempts and the reply",
  "Approve runs the call, removes the request from the list, and shows who answered",
  "an edited form is validated against the schema, and the call runs with the edited arguments",
  "a form calls the tool through the pipeline, as the signed-in user and as another caller",
  "a changed tool is reviewed as a diff, its risks are accepted by name, and the lock is written",
  "an answer streams, calls are cards, and the next message has the earlier ones as context",
  "a lost server connection is shown, and the page continues without a reload when it is back",
  "a sign-in link opens one session, and its second use is refused",
  "finds the failing call and its error, and approves a pending call",
];
/** Runs over PostgreSQL, because concurrent answers meet in the database. */
const overPostgres = "the first of two concurrent answers counts, and the other user sees who gave it";

/** Number of further tests, chosen by a seed, for example HAFT_E2E_SEED=7. */
const others = 4;
const seed = Number(process.env.HAFT_E2E_SEED ?? 1);

const folder = new URL(".", import.meta.url);
const titles = readdirSync(folder)
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/\bit\("([^"]+)"/g)])
  .map(([, title]) => title!);
const missing = [...core, overPostgres].filter((title) => !titles.includes(title));
if (missing.length > 0) throw new Error(`No test has the title: ${missing.join("; ")}`);

const random = randomStream(seed, "smoke");
const rest = titles.filter((title) => !core.includes(title) && title !== overPostgres);
const chosen = Array.from({ length: others }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]!);

const escaped = (title: string): string => title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
const onSqlite = [...core, ...chosen].map(escaped).join("|");

/** A quick part of the tests: the core, and a few by seed. */
export default mergeConfig(whole, {
  test: {
    testNamePattern: new RegExp(
      `^(?!.*over postgres).*(${onSqlite})$|over postgres.*${escaped(overPostgres)}$`,
    ),
  },
});
