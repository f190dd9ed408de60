import { failures } from "../words/failures.ts";
import type { LedgerEntry } from "../words/ledger.ts";
import type { Terminal } from "./command.ts";
import { painter, plain, table } from "./screen.ts";

/** Each call's way through the corridor, as the ledger has it: as far as it came, and what was decided there. */
export const showWay = (entries: readonly LedgerEntry[], terminal: Terminal): void => {
  const { bold, dim, green, red } = painter(terminal);
  for (const entry of entries) {
    const mark = entry.ending === "executed" ? green("●") : red("●");
    const name = bold(plain(entry.tool));
    if (isModelCall(entry)) {
      terminal.error(`\n${mark} ${name} ${dim(`${(entry.durationMs ?? 0).toFixed(1)} ms`)}\n`);
      continue;
    }
    terminal.error(`\n${mark} ${name} ${dim(entry.callId)}\n${table(stepsOf(entry), terminal.width)}\n`);
  }
};

/** A question to a model has a way too, but nobody wants to see it for each. */
const isModelCall = ({ tool, code }: LedgerEntry): boolean => tool.startsWith("model:") && code === undefined;

const stages = ["hydrate", "bind", "authorize", "layers", "run", "check", "record", "reply"] as const;

const stepsOf = (entry: LedgerEntry): readonly (readonly string[])[] => {
  const failedAt = entry.code === undefined ? undefined : failures[entry.code].stage;
  const last = failedAt === undefined ? stages.length - 1 : Math.max(0, stages.indexOf(failedAt as never));
  return stages.slice(0, last + 1).map((stage, index) => {
    const what = stage === failedAt ? `${entry.code}: ${entry.message ?? ""}` : said(stage, entry);
    return [`  ${index + 1} ${stage}`, plain(what)];
  });
};

const said = (stage: (typeof stages)[number], entry: LedgerEntry): string => {
  const { provenance, decision, durationMs = 0, result, notes = [], flow } = entry;
  switch (stage) {
    case "hydrate": {
      const how = provenance?.repaired === true ? ", repaired" : "";
      return `${entry.input}${provenance?.validated === true ? `  valid by ${provenance.validator?.name}` : ""}${how}`;
    }
    case "authorize":
      return decision ?? "";
    case "layers":
      return notes.join("; ");
    case "run":
      return `${durationMs.toFixed(1)} ms`;
    case "check":
      return result ?? "";
    case "record":
      return entry.entryId;
    case "reply":
      return flow ?? "";
    default:
      return "";
  }
};
