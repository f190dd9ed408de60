import type { AccessLine } from "../../server/host-options.ts";
import type { Terminal } from "../command.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

/** What is served, in figures. */
export interface ServedSummary {
  readonly tools: number;
  /** How many of them are listed to whoever need not say who he is, where clients search the others. */
  readonly listed?: number;
  readonly servers: readonly { readonly id: string; readonly status: string; readonly reason?: string }[];
  readonly held: number;
}

export interface TellServed {
  readonly serving: (what: ServedSummary & { readonly transport: string; readonly url?: string }) => void;
  /** Callers are answered, and these servers are still being started. */
  readonly listening: (url: string, starting: readonly string[]) => void;
  readonly access: (line: AccessLine) => void;
  readonly warning: (text: string) => void;
  readonly note: (text: string) => void;
}

/** Over standard output goes the protocol alone, so words for persons go to standard error. */
export const tellServed = (terminal: Terminal, asJson: boolean, isFree: boolean): TellServed => {
  const { dim, yellow, bold } = painter(terminal);
  const say = (event: string, fields: object, words: string | undefined): void => {
    if (asJson) (isFree ? terminal.out : terminal.error)(toJsonLine({ event, ...fields }));
    else if (words !== undefined) terminal.error(`${words}\n`);
  };
  return {
    serving: ({ tools, listed, servers, held, transport, url }) => {
      const where = url ?? "standard input and output";
      const of = servers.length === 0 ? "" : ` of ${counted(servers.length, "server")}`;
      say(
        "serving",
        { transport, url, tools, listed, servers, held },
        `${bold("haft")} serves ${counted(tools, "tool")}${of} at ${where}${searched(tools, listed)}`,
      );
      if (asJson) return;
      if (servers.length === 0 && tools <= 1) terminal.error(dim(`${howToBegin}\n`));
      for (const { id, status, reason } of servers) {
        if (status !== "connected")
          terminal.error(
            `${yellow("!")} ${id} is ${status}${reason === undefined ? "" : `: ${plain(reason)}`}\n`,
          );
      }
      if (held > 0)
        terminal.error(`${yellow("!")} ${counted(held, "tool")} held back; haft lock --diff shows why\n`);
    },
    listening: (url, starting) =>
      say("listening", { url, starting }, dim(`Listens at ${url}, and waits for ${starting.join(", ")}.`)),
    access: (line) =>
      say(
        "access",
        line,
        asJson
          ? undefined
          : dim(`${line.method} ${line.path} ${line.status} ${line.ms.toFixed(0)} ms ${line.agent ?? "-"}`),
      ),
    warning: (text) => say("warning", { text }, `${yellow("!")} ${text}`),
    note: (text) => say("note", { text }, dim(text)),
  };
};

const searched = (tools: number, listed: number | undefined): string =>
  listed === undefined || listed >= tools ? "" : `; clients are listed ${listed} and search the others`;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const howToBegin =
  "There is nothing of yours yet: haft mcp add takes a server over, --tools FILE brings tools, haft.config.ts both.";
