import { command, exitCodes } from "../command.ts";
import { jsonValue } from "../json-option.ts";
import { chooseLedger, letGo } from "../ledger/choose.ts";
import { bookOptions, configuredLedger } from "../ledger/open.ts";
import { makeRoom, refuseFolder } from "../ledger/place.ts";
import { Misuse } from "../misuse.ts";
import { painter, toJsonLine } from "../screen.ts";

/** Makes the tables of a ledger apart from the processes that use it, so that only this command needs the right to. */
export const ledgerMigrate = command({
  operands: "",
  options: { json: jsonValue("what was done"), ...bookOptions },
  examples: [
    {
      line: "haft ledger migrate --ledger postgres://haft_owner@db.example/app",
      about: "as the role that owns the tables; all others need no right to create any",
    },
    { line: "haft ledger migrate", about: "the ledger of the configuration, after an update of Haft" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new Misuse("haft ledger migrate takes no operands: --ledger names a ledger.");
    const configured = await configuredLedger(options, terminal);
    const chosen = chooseLedger(options.ledger, configured, terminal);
    await letGo(configured, chosen);
    if (typeof chosen !== "string") {
      throw new Misuse(
        "The configuration makes a ledger of its own, which no command migrates: --ledger names one.",
      );
    }
    if (chosen === "memory")
      throw new Misuse("A ledger in memory has no tables: --ledger names one that lasts.");
    refuseFolder(chosen);
    await makeRoom(chosen);
    const { migrateLedger } = await import("../../ledger/migrate-ledger.ts");
    const { place, from, to } = await migrateLedger(chosen);
    const isChanged = from !== to;
    if (options.json === true) terminal.out(toJsonLine({ place, from, to, isChanged }));
    else terminal.out(`${place} ${painter(terminal).dim(saidOf(from, to))}\n`);
    return exitCodes.done;
  },
});

const saidOf = (from: number, to: number): string => {
  if (from === to) return `is up to date: its tables are of version ${to}`;
  return from === 0
    ? `has its tables now, of version ${to}`
    : `is up to date now: its tables were of version ${from} and are of ${to}`;
};
