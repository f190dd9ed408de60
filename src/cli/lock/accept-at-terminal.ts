import { replaceFile } from "../../base/platform/replace-file.ts";
import { isSameLaunch } from "../../mcp/lock/launch.ts";
import type { Lock } from "../../mcp/lock/lock.ts";
import { readLock } from "../../mcp/lock/read-lock.ts";
import { acceptReview } from "../../mcp/lock/review/accept-review.ts";
import { renderReview, summaryOf } from "../../mcp/lock/review/render-review.ts";
import { findOpenDangers, type LockComparison, type ServerListing } from "../../mcp/lock/review/review.ts";

import { writeLock } from "../../mcp/lock/write-lock.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { type LockSelection, readLockSelection, selectFromReview } from "./lock-selection.ts";
import type { LockFlags } from "./start-gate.ts";

export interface ReviewedLock {
  readonly file: string;
  readonly lock: Lock | undefined;
  readonly listing: readonly ServerListing[];
  readonly review: LockComparison;
}

const unacceptedDangers = (review: LockComparison, given: LockFlags): readonly string[] => {
  if (given["accept-flags"] === true) return [];
  const named = given.accept ?? [];
  return review.servers.flatMap(({ id, tools }) =>
    tools
      .filter((tool) => findOpenDangers(tool).length > 0 && tool.change !== "refused")
      .map(({ name }) => `${id}/${name}`)
      .filter((full) => !named.includes(full)),
  );
};

/** Every hash depends on the launch, so a server with a changed launch is accepted as a whole. */
const requireWholeServer = (review: LockComparison, selection: LockSelection): void => {
  const half = review.servers.find(
    ({ id, was, now }) =>
      !selection.server(id) && was !== undefined && now !== undefined && !isSameLaunch(was, now),
  );
  if (half !== undefined)
    throw new CommandUsageError(
      `${plainText(half.id)} has a new launch command, which affects all of its tools. Accept the whole server: haft lock ${plainText(half.id)}`,
    );
};

export const acceptAtTerminal = async (
  { file, lock, listing, review }: ReviewedLock,
  operands: readonly string[],
  given: LockFlags,
  terminal: Terminal,
): Promise<number> => {
  const selection = readLockSelection(operands, review);
  const shown = selectFromReview(review, selection);
  requireWholeServer(shown, selection);
  const isJson = given.json === true;
  const tell = (outcome: "written" | "unchanged" | "refused", more: object = {}): void => {
    if (isJson) terminal.out(toJsonLine({ file, outcome, ...more, review: shown }));
  };
  const unlistedServers = shown.servers.filter(({ change }) => change === "unseen");
  const isIdle = shown.servers.every(({ change }) => change === "same" || change === "unseen");
  const hasUnlistedServers = unlistedServers.length > 0;
  if (isIdle && lock !== undefined) {
    tell("unchanged");
    if (!isJson)
      terminal.out(
        hasUnlistedServers
          ? renderReview(shown, { color: terminal.hasColor })
          : `${file} is up to date; ${summaryOf(shown)}.\n`,
      );
    return hasUnlistedServers ? exitCodes.failed : exitCodes.done;
  }
  if (!isJson) terminal.out(renderReview(shown, { color: terminal.hasColor, isBrief: true }));
  const open = unacceptedDangers(shown, given);
  if (open.length > 0) {
    tell("refused", { dangers: open });
    const names = open.slice(0, 5).map((full) => `--accept ${plainText(full)}`);
    terminal.error(
      `${painter(terminal).red("Nothing was written:")} ${open.length} of these have findings. Review the findings, then accept them with ${names.join(" ")}, or all with --accept-flags.\n`,
    );
    return exitCodes.failed;
  }
  if (!(await confirmWrite(file, given, terminal))) {
    tell("refused");
    terminal.error("Nothing was written.\n");
    return exitCodes.failed;
  }
  const next = acceptReview(lock, listing, review, selection);
  const text = writeLock(next);
  // A lock that cannot be read would block every server.
  readLock(text);
  await replaceFile(file, text);
  tell("written");
  const refused = shown.servers.flatMap(({ tools }) => tools).some(({ change }) => change === "refused");
  if (!isJson) terminal.out(`${file} was written.\n`);
  if (refused && !isJson) terminal.error("Tools that cannot be locked stay quarantined.\n");
  return hasUnlistedServers ? exitCodes.failed : exitCodes.done;
};

const confirmWrite = async (file: string, flags: LockFlags, terminal: Terminal): Promise<boolean> => {
  if (flags.yes === true) return true;
  if (!terminal.isInteractive)
    throw new CommandUsageError(
      `Confirmation requires a terminal. Use --yes to accept this and write ${file}.`,
    );
  const answer = await terminal.ask(`Accept this and write ${file}? [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
};
