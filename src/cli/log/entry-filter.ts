import { spellingsOf } from "../../tools/tool-name.ts";
import type { LedgerEntry, LedgerQuery } from "../../types/ledger.ts";
import { CommandUsageError, type Option, readCount, type Terminal } from "../command.ts";
import { readMoment } from "../ledger/short-id.ts";

export const endingFilters = ["executed", "failed", "pending", "hydrated", "unknown", "open"] as const;

export const filterOptions = {
  run: { type: "string", value: "RUN", about: "only calls of this run" },
  tool: {
    type: "string",
    value: "NAME",
    about: "only calls of this tool, by its full name or its name for models",
  },
  agent: { type: "string", value: "NAME", about: "only calls of this agent" },
  session: { type: "string", value: "ID", about: "only calls of this session of a caller" },
  ending: { type: "string", value: "HOW", choices: endingFilters, about: "only calls with this outcome" },
  since: {
    type: "string",
    value: "TIME",
    about: "only calls after this time: 2h, 3d, or 2026-11-16T09:00:00Z",
  },
  until: { type: "string", value: "TIME", about: "only calls before this time" },
  limit: { type: "string", short: "n", value: "N", about: "maximum number, newest first; default 50" },
} as const satisfies Readonly<Record<string, Option>>;

const filtersByMode = {
  follow: Object.keys(filterOptions),
  "an entry": [],
  export: [],
  verify: [],
  prune: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type LogMode = keyof typeof filtersByMode;

export const checkFilters = (flags: EntryFilterFlags, way: LogMode): void => {
  const known: readonly string[] = filtersByMode[way];
  const idle = Object.keys(filterOptions).find((name) => name in flags && !known.includes(name));
  if (idle === undefined) return;
  const shown = way === "an entry" ? way : `--${way}`;
  const others = known.length === 0 ? "" : `; ${known.map((name) => `--${name}`).join(", ")} do`;
  throw new CommandUsageError(`--${idle} has no effect on ${shown}${others}.`);
};

export interface EntryFilterFlags {
  readonly run?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly ending?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
}

export const toLedgerQuery = (flags: EntryFilterFlags, { now }: Pick<Terminal, "now">): LedgerQuery => {
  const { run, tool, agent, session, ending, since, until } = flags;
  return {
    ...(run === undefined ? {} : { runId: run }),
    ...(tool === undefined ? {} : { tool }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(ending === undefined ? {} : { ending: ending as LedgerEntry["ending"] }),
    ...(since === undefined ? {} : { since: readMoment("since", since, now()) }),
    ...(until === undefined ? {} : { until: readMoment("until", until, now()) }),
    limit: readCount("limit", flags.limit, 1) ?? 50,
  };
};

export const matchesQuery = (entry: LedgerEntry, query: LedgerQuery): boolean =>
  (query.runId === undefined || entry.runId === query.runId) &&
  (query.tool === undefined || spellingsOf(query.tool).includes(entry.tool)) &&
  (query.agent === undefined || entry.agent === query.agent) &&
  (query.session === undefined || entry.session === query.session) &&
  (query.ending === undefined || entry.ending === query.ending) &&
  (query.since === undefined || entry.at >= query.since) &&
  (query.until === undefined || entry.at <= query.until);
