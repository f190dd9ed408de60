import { chainOf } from "../../ledger/durable/chain/link.ts";
import type { ChainHead, DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerEntry, LedgerQuery } from "../../words/ledger.ts";
import { sheet } from "../columns.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { findRunId } from "../ledger/find-run.ts";
import { ask, bookOptions, every, ledgerComes, withLedger } from "../ledger/open.ts";
import { readMoment } from "../ledger/times.ts";
import { entryLayouts } from "../log/entry-line.ts";
import { exportRows } from "../log/export-rows.ts";
import { listRuns } from "../log/list-runs.ts";
import { prune } from "../log/prune.ts";
import { filterOptions, fits, type GivenFilter, queryOf, refuseFilters, type Way } from "../log/query.ts";
import { showEntry } from "../log/show-entry.ts";
import { readHash, verifyChain } from "../log/verify-chain.ts";
import { Misuse } from "../misuse.ts";
import { readCount } from "../read-count.ts";
import { painter, toJsonLine } from "../screen.ts";

const page = 1_000;
const remembered = 10_000;
const ends: ReadonlySet<string> = new Set(["closed", "lost"]);

/** Tells each entry as it ends, in the order of its chain, until Ctrl-C. What was shown before is not told again. */
const follow = async (
  ledger: DurableLedger,
  { heads, shown }: { readonly heads: readonly ChainHead[]; readonly shown: readonly LedgerEntry[] },
  terminal: Terminal,
  tell: (entry: LedgerEntry) => void,
): Promise<void> => {
  const printed = new Map(shown.map(({ entryId, ending }) => [entryId, ending]));
  const last = new Map(heads.map(({ seq }) => [chainOf(seq), seq]));
  while (!terminal.signal.aborted) {
    const rows = await ask(ledger.rows({ behind: [...last.values()], limit: page }));
    const ended = new Set(rows.flatMap(({ kind, entryId }) => (ends.has(kind) && entryId ? [entryId] : [])));
    for (const entryId of ended) {
      const [entry] = await ask(ledger.entries({ entryId }));
      if (entry === undefined || printed.get(entryId) === entry.ending) continue;
      printed.set(entryId, entry.ending);
      tell(entry);
    }
    for (const entryId of printed.keys()) if (printed.size > remembered) printed.delete(entryId);
    for (const { chain, seq } of rows) last.set(chain, seq);
    if (rows.length < page) await terminal.wait(every);
  }
};

interface GivenLog extends GivenFilter {
  readonly runs?: boolean;
  readonly follow?: boolean;
  readonly export?: string;
  readonly verify?: boolean;
  readonly expect?: string;
  readonly from?: string;
  readonly "keyed-from"?: string;
  readonly prune?: string;
  readonly yes?: boolean;
  readonly rewrite?: boolean;
  readonly json?: boolean;
}

/** What was called, by whom, and what came of it. */
export const log = command({
  operands: "[ENTRY|CALL]",
  options: {
    ...filterOptions,
    runs: { type: "boolean", about: "list runs in place of calls" },
    follow: { type: "boolean", short: "f", about: "go on with what comes, until Ctrl-C" },
    json: jsonLines("each entry"),
    export: {
      type: "string",
      value: "FILE",
      about: "write every row of the chain as JSON lines; - for standard output",
    },
    verify: { type: "boolean", about: "follow the chain of hashes and MACs, and name the first broken row" },
    expect: {
      type: "string",
      value: "HASH",
      about: "with --verify: a head or an anchor noted before must still be there",
    },
    from: {
      type: "string",
      value: "HASH",
      about: "with --verify: only what came since this anchor, or in SQLite since this head",
    },
    "keyed-from": {
      type: "string",
      value: "ROW",
      about: "with --verify: every row from this one on must have a MAC",
    },
    prune: { type: "string", value: "AGE", about: "drop what ended longer ago than this, such as 30d" },
    yes: { type: "boolean", short: "y", about: "with --prune: do not ask" },
    rewrite: {
      type: "boolean",
      about: "with --prune: rewrite a SQLite file of 0.1.0 once, so that it becomes shorter",
    },
    ...bookOptions,
  },
  examples: [
    { line: "haft log", about: "the newest fifty calls" },
    { line: "haft log 4f3a9c-3", about: "one of them, with its whole way through the corridor" },
    { line: "haft log --tool send_mail --ending failed --since 2d", about: "what went wrong" },
    {
      line: "haft log --session chat-7",
      about: "what one conversation called, in all of its turns and runs",
    },
    { line: "haft log -f --json", about: "every call as it ends, for another program" },
    { line: "haft log --runs", about: "runs, and which of them wait" },
    { line: "haft log --verify --json | tee head.json", about: "nothing was changed; note the head" },
    {
      line: `haft log --verify --expect "$(jq -r .head.hash head.json)"`,
      about: "nor was anything cut off since the head was noted",
    },
    {
      line: `haft log --verify --from "$(jq -r .anchor.hash anchor.json)"`,
      about: "on PostgreSQL: what came since an anchor up to which all was verified",
    },
    { line: "haft log --export ledger.jsonl", about: "all rows with their hashes" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [typed, ...more] = operands;
    if (more.length > 0) throw new Misuse("haft log takes one entry or call, or none.");
    refuseTogether(options, typed);
    if (options.follow === true && !(await ledgerComes(options, terminal))) return exitCodes.done;
    return withLedger(options, terminal, options.prune === undefined ? "read" : "write", (ledger) =>
      look(ledger, options, typed, terminal),
    );
  },
});

/** Each does something else. */
const refuseTogether = (given: GivenLog, typed: string | undefined): void => {
  const ways: readonly Way[] = [
    ...(typed === undefined ? [] : (["an entry"] as const)),
    ...(["runs", "follow", "export", "verify", "prune"] as const).filter((name) => given[name] !== undefined),
  ];
  if (ways.length > 1) {
    const shown = ways.map((way) => (way === "an entry" ? way : `--${way}`)).join(" and ");
    throw new Misuse(`haft log does one thing at a time, not ${shown}.`);
  }
  for (const way of ways) refuseFilters(given, way);
  if (given.export !== undefined && given.json === true) {
    throw new Misuse("--export writes JSON lines in any case: --json goes without it.");
  }
  if (given.expect !== undefined && given.verify !== true) throw new Misuse("--expect goes with --verify.");
  if (given.from !== undefined && given.verify !== true) throw new Misuse("--from goes with --verify.");
  if (given["keyed-from"] !== undefined && given.verify !== true) {
    throw new Misuse("--keyed-from goes with --verify.");
  }
  if (given.rewrite === true && given.prune === undefined) throw new Misuse("--rewrite goes with --prune.");
  if (given.yes === true && given.prune === undefined) throw new Misuse("--yes goes with --prune.");
};

const look = async (
  ledger: DurableLedger,
  given: GivenLog,
  typed: string | undefined,
  terminal: Terminal,
): Promise<number> => {
  const isJson = given.json === true;
  if (typed !== undefined) {
    return (await showEntry(ledger, typed, terminal, isJson)) ? exitCodes.done : exitCodes.failed;
  }
  if (given.verify === true) {
    const expect = given.expect === undefined ? undefined : readHash("expect", given.expect);
    const from = given.from === undefined ? undefined : readHash("from", given.from);
    const keyedFrom = readCount("keyed-from", given["keyed-from"], 1);
    return verifyChain(ledger, { expect, from, keyedFrom }, terminal, isJson);
  }
  if (given.prune !== undefined) {
    const before = readMoment("prune", given.prune, terminal.now());
    const manner = { isSure: given.yes === true, isJson, rewrite: given.rewrite === true };
    return prune(ledger, before, terminal, manner);
  }
  if (given.export !== undefined) {
    const count = await exportRows(ledger, given.export, terminal);
    terminal.error(`${count} rows written${given.export === "-" ? "" : ` to ${given.export}`}\n`);
    return exitCodes.done;
  }
  const query = queryOf(given, terminal);
  if (given.runs === true) {
    const { agent, session, since, until, limit = 50 } = query;
    await listRuns(ledger, { agent, session, since, until, limit }, terminal, isJson);
    return exitCodes.done;
  }
  // A run may be typed as a table shows it; one that is a call of its own is in no list of runs.
  const runId = query.runId === undefined ? undefined : await findRunId(ledger, query.runId);
  const manner = { isJson, isFollowing: given.follow === true };
  await listEntries(ledger, runId === undefined ? query : { ...query, runId }, terminal, manner);
  return exitCodes.done;
};

interface ListOptions {
  readonly isJson: boolean;
  readonly isFollowing: boolean;
}

/** The newest calls, the newest of all last; then those that come, if somebody wants to see them. */
const listEntries = async (
  ledger: DurableLedger,
  query: LedgerQuery,
  terminal: Terminal,
  { isJson, isFollowing }: ListOptions,
): Promise<void> => {
  // Asked before anything is listed, or what ends in between is missed.
  const heads = isFollowing ? await ask(ledger.heads()) : [];
  const entries = await ask(ledger.entries(query));
  const { head, line } = sheet(entryLayouts(painter(terminal)), entries, terminal);
  const tell = (entry: LedgerEntry): void => terminal.out(isJson ? toJsonLine(entry) : line(entry));
  if (!isJson && (entries.length > 0 || isFollowing)) terminal.out(head);
  else if (!isJson) terminal.error("No calls.\n");
  for (const entry of entries) tell(entry);
  if (!isFollowing) return;
  await follow(ledger, { heads, shown: entries }, terminal, (entry) => {
    if (fits(entry, query)) tell(entry);
  });
};
