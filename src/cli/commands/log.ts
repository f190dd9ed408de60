import { open, rename, rm } from "node:fs/promises";
import { chainOf } from "../../ledger/durable/chain/signed-row.ts";
import type { ChainHead, ChainRow, DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerEntry, LedgerQuery } from "../../types/ledger.ts";
import { describeApprovalState } from "../approvals/describe-answer.ts";
import { CommandUsageError, command, exitCodes, jsonLines, readCount, type Terminal } from "../command.ts";
import { fitTable } from "../fit-table.ts";
import { findRunId } from "../ledger/find-run.ts";
import { readMoment } from "../ledger/short-id.ts";
import {
  ledgerOptions,
  ledgerPollMs,
  queryLedger,
  waitForLedger,
  withLedger,
} from "../ledger/with-ledger.ts";
import {
  checkFilters,
  type EntryFilterFlags,
  filterOptions,
  type LogMode,
  matchesQuery,
  toLedgerQuery,
} from "../log/entry-filter.ts";
import { pruneLedger } from "../log/prune-ledger.ts";
import { entryLayouts, showEntry } from "../log/show-entry.ts";
import { readHash, verifyChain } from "../log/verify-chain.ts";
import { painter, toJsonLine } from "../screen.ts";

const rowPageSize = 1_000;
const maxRememberedEntries = 10_000;
const endRowKinds: ReadonlySet<string> = new Set(["closed", "lost"]);

const followEntries = async (
  ledger: DurableLedger,
  { heads, shown }: { readonly heads: readonly ChainHead[]; readonly shown: readonly LedgerEntry[] },
  terminal: Terminal,
  print: (entry: LedgerEntry) => void,
): Promise<void> => {
  const printed = new Map(shown.map(({ entryId, ending }) => [entryId, ending]));
  const last = new Map(heads.map(({ seq }) => [chainOf(seq), seq]));
  while (!terminal.signal.aborted) {
    const rows = await queryLedger(ledger.rows({ behind: [...last.values()], limit: rowPageSize }));
    const ended = new Set(
      rows.flatMap(({ kind, entryId }) => (endRowKinds.has(kind) && entryId ? [entryId] : [])),
    );
    for (const entryId of ended) {
      const [entry] = await queryLedger(ledger.entries({ entryId }));
      if (entry === undefined || printed.get(entryId) === entry.ending) continue;
      printed.set(entryId, entry.ending);
      print(entry);
    }
    for (const entryId of printed.keys()) if (printed.size > maxRememberedEntries) printed.delete(entryId);
    for (const { chain, seq } of rows) last.set(chain, seq);
    if (rows.length < rowPageSize) await terminal.wait(ledgerPollMs);
  }
};

interface LogFlags extends EntryFilterFlags {
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

export const log = command({
  operands: "[ENTRY|CALL]",
  options: {
    ...filterOptions,
    follow: { type: "boolean", short: "f", about: "print new entries until Ctrl-C" },
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
      about: "with --verify: a head or an anchor stored before must still exist",
    },
    from: {
      type: "string",
      value: "HASH",
      about: "with --verify: only rows after this anchor, or in SQLite after this head",
    },
    "keyed-from": {
      type: "string",
      value: "ROW",
      about: "with --verify: every row from this one on must have a MAC",
    },
    prune: {
      type: "string",
      value: "AGE",
      about: "delete entries that ended longer ago than this, such as 30d",
    },
    yes: { type: "boolean", short: "y", about: "with --prune: do not ask" },
    rewrite: {
      type: "boolean",
      about: "with --prune: rewrite a SQLite file of 0.1.0 once, so that it becomes shorter",
    },
    ...ledgerOptions,
  },
  examples: [
    { line: "haft log", about: "the newest fifty calls" },
    { line: "haft log 4f3a9c-3", about: "one call, with its pipeline stages" },
    { line: "haft log --tool send_mail --ending failed --since 2d", about: "recent failures" },
    {
      line: "haft log --session chat-7",
      about: "all calls of one conversation",
    },
    { line: "haft log -f --json", about: "every call as it ends, for another program" },
    { line: "haft log --verify --json | tee head.json", about: "verify the ledger, and store the head" },
    {
      line: `haft log --verify --expect "$(jq -r .head.hash head.json)"`,
      about: "verify that no row was removed since the head was stored",
    },
    {
      line: `haft log --verify --from "$(jq -r .anchor.hash anchor.json)"`,
      about: "on PostgreSQL: only rows after a verified anchor",
    },
    { line: "haft log --export ledger.jsonl", about: "all rows with their hashes" },
  ],
  replaced: { runs: "haft runs lists runs." },
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [typed, ...more] = operands;
    if (more.length > 0) throw new CommandUsageError("haft log accepts at most one entry or call.");
    checkExclusiveFlags(options, typed);
    if (options.follow === true && !(await waitForLedger(options, terminal))) return exitCodes.done;
    return withLedger(options, terminal, options.prune === undefined ? "read" : "write", (ledger) =>
      runLogCommand(ledger, options, typed, terminal),
    );
  },
});

const checkExclusiveFlags = (flags: LogFlags, typed: string | undefined): void => {
  const ways: readonly LogMode[] = [
    ...(typed === undefined ? [] : (["an entry"] as const)),
    ...(["follow", "export", "verify", "prune"] as const).filter((name) => flags[name] !== undefined),
  ];
  if (ways.length > 1) {
    const shown = ways.map((way) => (way === "an entry" ? way : `--${way}`)).join(" and ");
    throw new CommandUsageError(`haft log accepts only one of these options: ${shown}.`);
  }
  for (const way of ways) checkFilters(flags, way);
  if (flags.export !== undefined && flags.json === true) {
    throw new CommandUsageError("--export always writes JSON lines. Remove --json.");
  }
  if (flags.expect !== undefined && flags.verify !== true)
    throw new CommandUsageError("--expect requires --verify.");
  if (flags.from !== undefined && flags.verify !== true)
    throw new CommandUsageError("--from requires --verify.");
  if (flags["keyed-from"] !== undefined && flags.verify !== true) {
    throw new CommandUsageError("--keyed-from requires --verify.");
  }
  if (flags.rewrite === true && flags.prune === undefined)
    throw new CommandUsageError("--rewrite requires --prune.");
  if (flags.yes === true && flags.prune === undefined) throw new CommandUsageError("--yes requires --prune.");
};

const runLogCommand = async (
  ledger: DurableLedger,
  flags: LogFlags,
  typed: string | undefined,
  terminal: Terminal,
): Promise<number> => {
  const isJson = flags.json === true;
  if (typed !== undefined) {
    return (await showEntry(ledger, typed, flags, terminal)) ? exitCodes.done : exitCodes.failed;
  }
  if (flags.verify === true) {
    const expect = flags.expect === undefined ? undefined : readHash("expect", flags.expect);
    const from = flags.from === undefined ? undefined : readHash("from", flags.from);
    const keyedFrom = readCount("keyed-from", flags["keyed-from"], 1);
    return verifyChain(ledger, { expect, from, keyedFrom }, terminal, isJson);
  }
  if (flags.prune !== undefined) {
    const before = readMoment("prune", flags.prune, terminal.now());
    const manner = { isSure: flags.yes === true, isJson, rewrite: flags.rewrite === true };
    return pruneLedger(ledger, before, terminal, manner);
  }
  if (flags.export !== undefined) {
    const count = await exportRows(ledger, flags.export, terminal);
    terminal.error(`${count} rows written${flags.export === "-" ? "" : ` to ${flags.export}`}\n`);
    return exitCodes.done;
  }
  const query = toLedgerQuery(flags, terminal);
  const runId = query.runId === undefined ? undefined : await findRunId(ledger, query.runId);
  const manner = { isJson, isFollowing: flags.follow === true };
  await listEntries(ledger, runId === undefined ? query : { ...query, runId }, terminal, manner);
  return exitCodes.done;
};

const exportPageSize = 1_000;

/** The file appears only when it is complete. */
const exportRows = async (ledger: DurableLedger, file: string, terminal: Terminal): Promise<number> => {
  if (file === "-") return forEachPage(ledger, terminal, async (text) => terminal.out(text));
  const draft = `${file}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    const count = await forEachPage(ledger, terminal, (text) => handle.appendFile(text));
    await rename(draft, file);
    return count;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
};

const forEachPage = async (
  ledger: DurableLedger,
  { signal }: Terminal,
  write: (text: string) => Promise<void>,
): Promise<number> => {
  let [after, count] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    const rows: readonly ChainRow[] = await queryLedger(ledger.rows({ after, limit: exportPageSize }));
    if (rows.length === 0) return count;
    await write(rows.map((row) => toJsonLine(row)).join(""));
    count += rows.length;
    after = rows.at(-1)!.seq;
  }
};

interface ListEntriesOptions {
  readonly isJson: boolean;
  readonly isFollowing: boolean;
}

const listEntries = async (
  ledger: DurableLedger,
  query: LedgerQuery,
  terminal: Terminal,
  { isJson, isFollowing }: ListEntriesOptions,
): Promise<void> => {
  // Read before the entries, so that no entry that ends in between is missed.
  const heads = isFollowing ? await queryLedger(ledger.heads()) : [];
  const entries = await queryLedger(ledger.entries(query));
  const shown = isJson ? entries : await Promise.all(entries.map((entry) => withAnswer(ledger, entry)));
  const { head, line } = fitTable(entryLayouts(painter(terminal)), shown, terminal);
  const print = (entry: LedgerEntry): void => terminal.out(isJson ? toJsonLine(entry) : line(entry));
  if (!isJson && (entries.length > 0 || isFollowing)) terminal.out(head);
  else if (!isJson) terminal.error("No calls.\n");
  for (const entry of shown) print(entry);
  if (!isFollowing) return;
  await followEntries(ledger, { heads, shown: entries }, terminal, (entry) => {
    if (matchesQuery(entry, query)) print(entry);
  });
};

const withAnswer = async (ledger: DurableLedger, entry: LedgerEntry): Promise<LedgerEntry> => {
  if (entry.ending !== "pending") return entry;
  const asked = await queryLedger(ledger.approvals.list({ runId: entry.runId }));
  const record = asked.findLast(({ entryId }) => entryId === entry.entryId);
  return record?.decision === undefined
    ? entry
    : { ...entry, decision: `${describeApprovalState(record)}; not run yet` };
};
