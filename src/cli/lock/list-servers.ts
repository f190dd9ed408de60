import { launchText } from "../../mcp/lock/launch.ts";
import type { Lock } from "../../mcp/lock/locked.ts";
import { mayStart } from "../../mcp/lock/may-start.ts";
import type { Listing } from "../../mcp/lock/review/review.ts";
import type { NamedServer } from "../../words/mcp.ts";
import type { Terminal } from "../command.ts";
import { serverLines, shownServer } from "../mcp/describe-server.ts";
import { painter, plain } from "../screen.ts";

export interface GivenLock {
  readonly config?: string;
  readonly file?: string;
  readonly yes?: boolean;
  readonly check?: boolean;
  readonly diff?: boolean;
  readonly rebuild?: boolean;
  readonly json?: boolean;
  readonly "accept-flags"?: boolean;
  readonly accept?: readonly string[];
}

/** Asked before a server is started or reached: undefined for yes, else why not. */
export type StartGate = (server: NamedServer) => Promise<string | undefined>;

/**
 * Asks every configured server what tools it has now. It asks the gate before it starts one, and gives a server that
 * cannot be asked, or must not be, with its trouble and no tools.
 */
export type ListServers = (
  given: GivenLock,
  terminal: Terminal,
  gate: StartGate,
) => Promise<readonly Listing[]>;

/**
 * What was reviewed starts as it was. Anything else is shown exactly, and starts only when a person at the terminal, or
 * --yes, says so; a check never starts it.
 */
export const startGate = (lock: Lock | undefined, given: GivenLock, terminal: Terminal): StartGate => {
  const { yellow, bold } = painter(terminal);
  // One question at a time, however many servers are connected at once.
  let last: Promise<unknown> = Promise.resolve();
  return (server) => {
    const right = mayStart(lock ?? { lockVersion: 2, servers: {} }, server);
    if (right.ok) return Promise.resolve(undefined);
    if (given.check === true) return Promise.resolve(right.reason);
    if (given.yes === true) return Promise.resolve(undefined);
    if (!terminal.isInteractive)
      return Promise.resolve(`${right.reason} Nobody can be asked here: --yes starts it.`);
    const asked = last.then(async () => {
      const was = right.was === undefined ? "" : `\n  was: ${plain(launchText(right.was))}`;
      // From the configuration: a launch has masks where it must not be published.
      const [, ...others] = serverLines(server);
      const now = [bold(plain(shownServer(server))), ...others.map(plain)].join("\n");
      const answer = await terminal.ask(
        `${yellow("?")} ${plain(server.id)} was not reviewed like this.${was}\n  now: ${now}\nStart it to see its tools? [y/N] `,
      );
      return /^y(es)?$/i.test(answer?.trim() ?? "") ? undefined : "it was not to be started.";
    });
    last = asked.catch(() => {});
    return asked;
  };
};
