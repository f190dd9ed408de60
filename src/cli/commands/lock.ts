import { replaceFile } from "../../base/platform/replace-file.ts";
import { isSameLaunch } from "../../mcp/lock/launch.ts";
import type { Lock } from "../../mcp/lock/lock.ts";
import { readLock } from "../../mcp/lock/read-lock.ts";
import { acceptReview } from "../../mcp/lock/review/accept-review.ts";
import { compareLock } from "../../mcp/lock/review/compare-lock.ts";
import { renderReview, summaryOf } from "../../mcp/lock/review/render-review.ts";
import { findOpenDangers, type LockComparison, type ServerListing } from "../../mcp/lock/review/review.ts";
import { readLockFile } from "../../mcp/lock/stored-lock.ts";
import { writeLock } from "../../mcp/lock/write-lock.ts";
import { ToolError } from "../../types/errors.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { type ListServerTools, type LockFlags, startGate } from "../lock/start-gate.ts";
import { configOption, projectLockPath, requireTrustedProject } from "../read-configuration.ts";
import { painter, plainText, shortenToColumns, toJsonLine } from "../screen.ts";
import { operatorOptions, requireOperator } from "../trust/require-operator.ts";
import { createTrust, trustOption } from "../trust/trust.ts";

export const lock = (listServers: ListServerTools) =>
  command({
    operands: "[SERVER|SERVER/TOOL…]",
    options: {
      check: { type: "boolean", about: "write nothing; if a tool changed, print the review and exit with 1" },
      diff: { type: "boolean", about: "write nothing; show the whole review" },
      yes: { type: "boolean", short: "y", about: "accept without asking" },
      accept: {
        type: "string",
        multiple: true,
        value: "SERVER/TOOL",
        about: "accept the findings of this tool; repeatable",
      },
      "accept-flags": { type: "boolean", about: "accept all findings" },
      rebuild: { type: "boolean", about: "ignore the current lock, for example because it is corrupt" },
      file: {
        type: "string",
        value: "FILE",
        about: "the lock file (default: `mcp.lock` of the configuration, or haft.lock next to it)",
      },
      config: configOption,
      trust: trustOption,
      ...operatorOptions,
      json: jsonValue("the result"),
    },
    examples: [
      { line: "haft lock", about: "review new and changed tools, and accept them" },
      { line: "haft lock --check", about: "in CI: fail if a server's tools differ from the review" },
      { line: "haft lock --diff files", about: "changes of one server, like a code review" },
      { line: "haft lock files/read_file", about: "accept one tool and leave the others quarantined" },
      { line: "haft lock --accept files/run --yes", about: "after reading its findings" },
      { line: "haft lock --rebuild", about: "the file is corrupt: review everything again" },
    ],
    run: async ({ options, operands, terminal }) => {
      checkExclusiveFlags(options);
      if (options.check !== true && options.diff !== true)
        await requireOperator(terminal, "haft lock", options);
      const trust = createTrust(options, terminal);
      await requireTrustedProject(options.config, trust);
      const file = options.file ?? (await projectLockPath(options.config, trust));
      if (file === false)
        throw new CommandUsageError(
          "The configuration has `mcp.lock: false`, so a lock would not be read. Remove that setting first.",
        );
      const before = options.rebuild === true ? undefined : await readLockFile(file);
      if (ToolError.is(before)) return printCorruptLock(file, before, options, terminal);
      if (options.check === true && before === undefined) return printMissingLock(file, options, terminal);
      const listing = await listServers(options, terminal, {
        trust,
        gate: startGate(before, options, trust),
      });
      const found: ReviewedLock = { file, lock: before, listing, review: compareLock(before, listing) };
      if (options.check === true || options.diff === true)
        return printReview(found, operands, options, terminal);
      return acceptAtTerminal(found, operands, options, terminal);
    },
  });

interface ReviewedLock {
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

interface LockSelection {
  readonly server: (id: string) => boolean;
  readonly tool: (id: string, name: string) => boolean;
}

const selectAll: LockSelection = { server: () => true, tool: () => true };

/** Server ids may contain a slash, so the longest match wins. */
const matchOperand = (
  word: string,
  review: LockComparison,
): { readonly id: string; readonly tool?: string } | undefined => {
  const ids = review.servers.map(({ id }) => id).toSorted((one, other) => other.length - one.length);
  if (ids.includes(word)) return { id: word };
  const id = ids.find((each) => word.startsWith(`${each}/`));
  return id === undefined ? undefined : { id, tool: word.slice(id.length + 1) };
};

const readLockSelection = (words: readonly string[], review: LockComparison): LockSelection => {
  if (words.length === 0) return selectAll;
  const chosen = words.map((word) => {
    const found = matchOperand(word, review);
    const server = review.servers.find(({ id }) => id === found?.id);
    if (found === undefined || server === undefined) {
      const ids = review.servers.map(({ id }) => id).join(", ");
      throw new CommandUsageError(
        `No server matches "${shortenToColumns(word, 80)}". The servers are: ${shortenToColumns(ids, 300)}.`,
      );
    }
    const isListed = server.tools.some(({ name, from }) => name === found.tool || from === found.tool);
    if (found.tool !== undefined && !isListed)
      throw new CommandUsageError(
        `${found.id} has no change to accept for "${shortenToColumns(found.tool, 80)}".`,
      );
    return found;
  });
  return {
    server: (id) => chosen.some((each) => each.id === id && each.tool === undefined),
    tool: (id, name) => chosen.some((each) => each.id === id && each.tool === name),
  };
};

const selectFromReview = (review: LockComparison, selection: LockSelection): LockComparison => {
  const servers = review.servers.flatMap((server) => {
    if (selection.server(server.id)) return [server];
    const tools = server.tools.filter(
      ({ name, from }) =>
        selection.tool(server.id, name) || (from !== undefined && selection.tool(server.id, from)),
    );
    return tools.length === 0 ? [] : [{ ...server, tools }];
  });
  return { isClean: servers.every(({ change }) => change === "same"), servers };
};

const acceptAtTerminal = async (
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

const checkExclusiveFlags = (given: LockFlags): void => {
  if (given.check === true && given.diff === true)
    throw new CommandUsageError(
      "--check also shows the review if a tool changed: use either --check or --diff.",
    );
  const looking = given.check === true ? "--check" : given.diff === true ? "--diff" : undefined;
  const writing = (["accept-flags", "accept", "rebuild"] as const).find((name) => given[name] !== undefined);
  if (looking !== undefined && writing !== undefined)
    throw new CommandUsageError(`${looking} writes nothing and cannot be combined with --${writing}.`);
  if (given.check === true && given.yes === true)
    throw new CommandUsageError("--check asks no questions and cannot be combined with --yes.");
};

const printReview = (
  { file, review }: ReviewedLock,
  operands: readonly string[],
  flags: LockFlags,
  terminal: Terminal,
): number => {
  const selectedReview = selectFromReview(review, readLockSelection(operands, review));
  const code = flags.check === true && !selectedReview.isClean ? exitCodes.failed : exitCodes.done;
  if (flags.json === true) terminal.out(toJsonLine({ file, ...selectedReview }));
  else if (!selectedReview.isClean) terminal.out(renderReview(selectedReview, { color: terminal.hasColor }));
  else terminal.out(`No tool differs from ${plainText(file)}; ${summaryOf(selectedReview)}.\n`);
  if (code === exitCodes.failed && flags.json !== true)
    terminal.error(`${painter(terminal).red("Changed.")} Review and accept the changes with haft lock.\n`);
  return code;
};

const printCorruptLock = (file: string, error: ToolError, flags: LockFlags, terminal: Terminal): number => {
  if (flags.json === true) terminal.out(toJsonLine({ file, isClean: false, corrupt: error.message }));
  terminal.error(`${painter(terminal).red("haft:")} ${plainText(file)}: ${plainText(error.message)}\n`);
  return exitCodes.failed;
};

const printMissingLock = (file: string, flags: LockFlags, terminal: Terminal): number => {
  const message = `${plainText(file)} does not exist, so no tool is reviewed. haft lock writes it.`;
  if (flags.json === true) terminal.out(toJsonLine({ file, isClean: false, missing: message }));
  terminal.error(`${painter(terminal).red("haft:")} ${message}\n`);
  return exitCodes.failed;
};
