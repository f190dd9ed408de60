import type { DurableLedger, LedgerAnchor } from "../../types/durable-ledger.ts";
import { CommandUsageError, command, exitCodes, jsonLines, jsonValue, readCount } from "../command.ts";
import {
  chooseLedger,
  createLedgerFolder,
  endUnusedLedger,
  requireLedgerFile,
  requireTrustedLedger,
} from "../ledger/known-ledgers.ts";
import { configuredLedger, ledgerOptions, queryLedger, withLedger } from "../ledger/with-ledger.ts";
import { painter, toJsonLine } from "../screen.ts";
import { createTrust } from "../trust/trust.ts";

/** A separate command, so that other processes need no right to create tables. */
export const ledgerMigrate = command({
  operands: "",
  options: { json: jsonValue("what was done"), ...ledgerOptions },
  examples: [
    {
      line: "haft ledger migrate --ledger postgres://haft_owner@db.example/app",
      about: "as the role that owns the tables; other roles need no right to create tables",
    },
    { line: "haft ledger migrate", about: "the ledger of the configuration, after an update of Haft" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft ledger migrate accepts no operands. Choose a ledger with --ledger.");
    const configured = await configuredLedger(options, terminal);
    const chosen = chooseLedger(options.ledger, configured, terminal);
    await endUnusedLedger(configured, chosen);
    if (typeof chosen !== "string") {
      throw new CommandUsageError(
        "The configuration creates its own ledger, which a command cannot migrate. Choose a ledger with --ledger.",
      );
    }
    if (chosen === "memory")
      throw new CommandUsageError("A ledger in memory has no tables. Choose a durable ledger with --ledger.");
    requireLedgerFile(chosen);
    const trust = createTrust(options, terminal);
    await createLedgerFolder(chosen);
    await requireTrustedLedger({ place: chosen, given: options, access: "make", trust, terminal });
    const { migrateLedger } = await import("../../ledger/migrate-ledger.ts");
    const { place, from, to } = await migrateLedger(chosen);
    const isChanged = from !== to;
    if (options.json === true) terminal.out(toJsonLine({ place, from, to, isChanged }));
    else terminal.out(`${place} ${painter(terminal).dim(migrationText(from, to))}\n`);
    return exitCodes.done;
  },
});

const migrationText = (from: number, to: number): string => {
  if (from === to) return `is up to date: its tables have version ${to}`;
  return from === 0
    ? `now has tables of version ${to}`
    : `was migrated: its tables had version ${from} and now have version ${to}`;
};

const formatAnchor = ({ number, at, hash }: LedgerAnchor): string =>
  `${number}  ${new Date(at).toISOString()}  ${hash}\n`;

/** With the hash noted elsewhere, truncation of earlier rows is detectable. */
export const ledgerAnchor = command({
  operands: "",
  options: { json: jsonValue("the anchor"), ...ledgerOptions },
  examples: [
    { line: "haft ledger anchor --json >> anchors.jsonl", about: "after a batch, append to a file" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft ledger anchor accepts no operands. Choose a ledger with --ledger.");
    return withLedger(options, terminal, "write", async (ledger) => {
      requireAnchors(ledger);
      const written = await queryLedger(ledger.anchor());
      const anchor = written ?? (await lastAnchor(ledger));
      if (anchor === undefined)
        throw new CommandUsageError("The ledger is empty, so there is nothing to anchor.");
      terminal.out(options.json === true ? toJsonLine(anchor) : formatAnchor(anchor));
      return exitCodes.done;
    });
  },
});

const anchorPageSize = 1_000;

const lastAnchor = async (ledger: DurableLedger): Promise<LedgerAnchor | undefined> => {
  for (let last: LedgerAnchor | undefined; ; ) {
    const anchors = await queryLedger(ledger.anchors(last?.number ?? 0, anchorPageSize));
    last = anchors.at(-1) ?? last;
    if (anchors.length < anchorPageSize) return last;
  }
};

export const ledgerAnchors = command({
  operands: "",
  options: {
    after: { type: "string", value: "NUMBER", about: "only anchors after this one" },
    json: jsonLines("each anchor"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft ledger anchors", about: "all anchors, oldest first" },
    {
      line: "haft ledger anchors --after 907 --json >> anchors.jsonl",
      about: "new rows since the last anchor; store the hash elsewhere",
    },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft ledger anchors accepts no operands. Choose a ledger with --ledger.");
    let after = readCount("after", options.after, 0) ?? 0;
    return withLedger(options, terminal, "read", async (ledger) => {
      requireAnchors(ledger);
      for (;;) {
        const anchors = await queryLedger(ledger.anchors(after, anchorPageSize));
        for (const anchor of anchors)
          terminal.out(options.json === true ? toJsonLine(anchor) : formatAnchor(anchor));
        if (anchors.length < anchorPageSize) return exitCodes.done;
        after = anchors.at(-1)!.number;
      }
    });
  },
});

const requireAnchors = ({ place }: DurableLedger): void => {
  if (place.startsWith("postgres")) return;
  throw new CommandUsageError(
    `${place} has one chain, and its head is its anchor. haft log --verify prints it.`,
  );
};
