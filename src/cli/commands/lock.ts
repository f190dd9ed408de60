import { compareLock } from "../../mcp/lock/review/compare-lock.ts";
import { renderReview, summaryOf } from "../../mcp/lock/review/render-review.ts";
import { readLockFile } from "../../mcp/lock/stored-lock.ts";
import { ToolError } from "../../types/errors.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { jsonValue } from "../json-option.ts";
import { acceptAtTerminal, type ReviewedLock } from "../lock/accept-at-terminal.ts";
import { readLockSelection, selectFromReview } from "../lock/lock-selection.ts";
import { type ListServerTools, type LockFlags, startGate } from "../lock/start-gate.ts";
import { configOption, projectLockPath, requireTrustedProject } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
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
