import { compareLock } from "../../mcp/lock/review/compare.ts";
import { renderReview, summaryOf } from "../../mcp/lock/review/render.ts";
import { readLockFile } from "../../mcp/lock/stored-lock.ts";
import { ToolError } from "../../words/errors.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonValue } from "../json-option.ts";
import { acceptAtTerminal, type ReviewedLock } from "../lock/accept-at-terminal.ts";
import { type GivenLock, type ListServers, startGate } from "../lock/list-servers.ts";
import { selected, selectionOf } from "../lock/selection.ts";
import { Misuse } from "../misuse.ts";
import { configOption, lockPlace } from "../read-configuration.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

/** Somebody reviews what servers say of their tools; from then on only that is offered. */
export const lock = (listServers: ListServers) =>
  command({
    operands: "[SERVER|SERVER/TOOL…]",
    options: {
      check: { type: "boolean", about: "write nothing; exit code 1 and the review when anything drifted" },
      diff: { type: "boolean", about: "write nothing; show the whole review" },
      yes: { type: "boolean", short: "y", about: "accept, and start what is new, without asking" },
      accept: {
        type: "string",
        multiple: true,
        value: "SERVER/TOOL",
        about: "its dangers were read and are accepted; may come more than once",
      },
      "accept-flags": { type: "boolean", about: "all dangers were read and are accepted" },
      rebuild: { type: "boolean", about: "as if there were no lock; for one that is corrupt" },
      file: {
        type: "string",
        value: "FILE",
        about: "the lock (haft.lock beside the configuration, or what that names)",
      },
      config: configOption,
      json: jsonValue("what was found"),
    },
    examples: [
      { line: "haft lock", about: "see what is new or changed, and accept it" },
      { line: "haft lock --check", about: "in CI: fail when a server says something else than was reviewed" },
      { line: "haft lock --diff files", about: "what changed at one server, like a code review" },
      { line: "haft lock files/read_file", about: "accept one tool and leave the rest held back" },
      { line: "haft lock --accept files/run --yes", about: "its dangers were read" },
      { line: "haft lock --rebuild", about: "the file is corrupt: review everything again" },
    ],
    run: async ({ options, operands, terminal }) => {
      refuseTogether(options);
      const file = options.file ?? (await lockPlace(options.config));
      if (file === false)
        throw new Misuse(
          "The configuration has `mcp.lock: false`, so no lock would be read. Take it out first.",
        );
      const before = options.rebuild === true ? undefined : await readLockFile(file);
      if (ToolError.is(before)) return tellCorrupt(file, before, options, terminal);
      if (options.check === true && before === undefined) return tellMissing(file, options, terminal);
      const listing = await listServers(options, terminal, startGate(before, options, terminal));
      const found: ReviewedLock = { file, lock: before, listing, review: compareLock(before, listing) };
      if (options.check === true || options.diff === true)
        return tellReview(found, operands, options, terminal);
      return acceptAtTerminal(found, operands, options, terminal);
    },
  });

/** Each does something else. */
const refuseTogether = (given: GivenLock): void => {
  if (given.check === true && given.diff === true)
    throw new Misuse("--check shows the review too when something drifted: give one of --check and --diff.");
  const looking = given.check === true ? "--check" : given.diff === true ? "--diff" : undefined;
  const writing = (["accept-flags", "accept", "rebuild"] as const).find((name) => given[name] !== undefined);
  if (looking !== undefined && writing !== undefined)
    throw new Misuse(`${looking} writes nothing: --${writing} goes without it.`);
  if (given.check === true && given.yes === true)
    throw new Misuse("--check asks nothing: --yes goes without it.");
};

const tellReview = (
  { file, review }: ReviewedLock,
  operands: readonly string[],
  given: GivenLock,
  terminal: Terminal,
): number => {
  const shown = selected(review, selectionOf(operands, review));
  const code = given.check === true && !shown.isClean ? exitCodes.failed : exitCodes.done;
  if (given.json === true) terminal.out(toJsonLine({ file, ...shown }));
  else if (!shown.isClean) terminal.out(renderReview(shown, { color: terminal.hasColor }));
  else terminal.out(`Nothing drifted from ${plain(file)}; ${summaryOf(shown)}.\n`);
  if (code === exitCodes.failed && given.json !== true)
    terminal.error(`${painter(terminal).red("Drifted.")} haft lock accepts it after a look.\n`);
  return code;
};

const tellCorrupt = (file: string, error: ToolError, given: GivenLock, terminal: Terminal): number => {
  if (given.json === true) terminal.out(toJsonLine({ file, isClean: false, corrupt: error.message }));
  terminal.error(`${painter(terminal).red("haft:")} ${plain(file)}: ${plain(error.message)}\n`);
  return exitCodes.failed;
};

const tellMissing = (file: string, given: GivenLock, terminal: Terminal): number => {
  const message = `There is no ${plain(file)}, so nothing was reviewed. haft lock writes one.`;
  if (given.json === true) terminal.out(toJsonLine({ file, isClean: false, missing: message }));
  terminal.error(`${painter(terminal).red("haft:")} ${message}\n`);
  return exitCodes.failed;
};
