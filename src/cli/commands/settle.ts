import { settleAny } from "../../runtime/run-in-runtime.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { notSettledError } from "../../types/not-settled-error.ts";
import { userName } from "../approvals/record-answers.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { throwAmbiguousId } from "../ledger/short-id.ts";
import { queryLedger, withLedger, withRuntimeLedger } from "../ledger/with-ledger.ts";
import { findEntries } from "../log/find-entries.ts";
import { openRuntimeWith, recordedRuntimeOptions, resolveRuntimeOptions } from "../open-runtime.ts";
import { readJsonOption } from "../read-json-option.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { operatorOptions, requireOperator } from "../trust/require-operator.ts";

export const settle = command({
  operands: "CALL",
  options: {
    "took-effect": { type: "boolean", about: "the call took effect: later calls with its key do not run" },
    "did-not": { type: "boolean", about: "the call did not take effect: its key can be used again" },
    reconcile: { type: "boolean", about: "run the tool's reconcile; the default without another option" },
    result: {
      type: "string",
      value: "JSON",
      about: "the result of the call: later calls with its key get it",
    },
    reason: { type: "string", value: "TEXT", about: "how you know, for the record" },
    by: {
      type: "string",
      value: "NAME",
      about: "name of the operator who settles it, for the record; default: the user of this machine",
    },
    json: jsonValue("the recorded call"),
    ...operatorOptions,
    ...recordedRuntimeOptions,
  },
  examples: [
    { line: "haft log --ending unknown", about: "calls with an unknown outcome" },
    {
      line: `haft settle 4f3a9c-7 --took-effect --result '{"receipt":"r-7"}' --reason "in the bank's list"`,
      about: "the payment took effect: the next call with its key gets the receipt",
    },
    {
      line: "haft settle 4f3a9c-7 --did-not",
      about: "the payment did not take effect: the tool can be called again",
    },
    { line: "haft settle 4f3a9c-7 --tools shop.ts", about: "let the tool's reconcile decide" },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new CommandUsageError(
        "haft settle requires one call. haft log --ending unknown lists the calls to settle.",
      );
    }
    const { "took-effect": isDone, "did-not": isNot, reconcile, result, reason } = options;
    if ([isDone, isNot, reconcile].filter((each) => each === true).length > 1) {
      throw new CommandUsageError("Use only one of --took-effect, --did-not and --reconcile.");
    }
    if (result !== undefined && isDone !== true)
      throw new CommandUsageError("--result requires --took-effect.");
    await requireOperator(terminal, "haft settle", options);
    const by = options.by ?? userName(terminal);
    if (isDone !== true && isNot !== true) {
      const entryId = await withRuntimeLedger(options, terminal, (ledger) => findEntryId(ledger, typed));
      const opening = await resolveRuntimeOptions(options, terminal, { ledger: "default" });
      await using opened = await openRuntimeWith(opening);
      return printSettlement(await settleAny(opened.haft, entryId), options.json === true, terminal);
    }
    const text = result === undefined ? undefined : JSON.stringify(readJsonOption("result", result));
    return withLedger(options, terminal, "write", async (ledger) => {
      const entryId = await findEntryId(ledger, typed);
      const settled = await queryLedger(
        ledger.settle({ entryId, tookEffect: isDone === true, by, reason, result: text }),
      );
      if (settled.kind !== "done") throw notSettledError({ entryId }, settled.kind);
      return printSettlement(settled.entry, options.json === true, terminal);
    });
  },
});

const findEntryId = async (ledger: DurableLedger, typed: string): Promise<string> => {
  const [entry, ...others] = await findEntries(ledger, typed);
  if (entry === undefined) throw notSettledError({ entryId: plainText(typed) }, "missing");
  if (others.length === 0) return entry.entryId;
  return throwAmbiguousId(
    typed,
    "calls",
    [entry, ...others].map(({ entryId }) => entryId),
  );
};

const printSettlement = (entry: LedgerEntry, isJson: boolean, terminal: Terminal): number => {
  if (isJson) terminal.out(toJsonLine(entry));
  else {
    const { green, yellow } = painter(terminal);
    const { tookEffect = false, by = "" } = entry.settlement ?? {};
    const what = tookEffect ? green("took effect") : yellow("did not take effect");
    terminal.out(`${entry.entryId} ${plainText(entry.tool)} ${what}, settled by ${plainText(by)}\n`);
  }
  return exitCodes.done;
};
