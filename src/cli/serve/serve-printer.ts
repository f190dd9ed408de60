import type { AccessLogEntry } from "../../server/http/host-options.ts";
import type { Terminal } from "../command.ts";
import { countText, painter, plainText, toJsonLine } from "../screen.ts";

export interface ServeSummary {
  readonly tools: number;
  readonly listed?: number;
  readonly servers: readonly { readonly id: string; readonly status: string; readonly reason?: string }[];
  readonly held: number;
}

export interface ServePrinter {
  readonly serving: (what: ServeSummary & { readonly transport: string; readonly url?: string }) => void;
  readonly listening: (url: string, starting: readonly string[]) => void;
  readonly access: (line: AccessLogEntry) => void;
  readonly warning: (text: string) => void;
  readonly note: (text: string) => void;
}

/** Over stdio, standard output carries only the protocol. */
export const servePrinter = (terminal: Terminal, asJson: boolean, stdoutIsFree: boolean): ServePrinter => {
  const { dim, yellow, bold } = painter(terminal);
  const print = (event: string, fields: object, words: string | undefined): void => {
    if (asJson) (stdoutIsFree ? terminal.out : terminal.error)(toJsonLine({ event, ...fields }));
    else if (words !== undefined) terminal.error(`${words}\n`);
  };
  return {
    serving: ({ tools, listed, servers, held, transport, url }) => {
      const where = url ?? "standard input and output";
      const of = servers.length === 0 ? "" : ` of ${countText(servers.length, "server")}`;
      print(
        "serving",
        { transport, url, tools, listed, servers, held },
        `${bold("haft")} serves ${countText(tools, "tool")}${of} at ${where}${searchNote(tools, listed)}`,
      );
      if (asJson) return;
      if (servers.length === 0 && tools <= 1) terminal.error(dim(`${gettingStartedHint}\n`));
      for (const { id, status, reason } of servers) {
        if (status !== "connected")
          terminal.error(
            `${yellow("!")} ${id} is ${status}${reason === undefined ? "" : `: ${plainText(reason)}`}\n`,
          );
      }
      if (held > 0)
        terminal.error(`${yellow("!")} ${countText(held, "tool")} quarantined; haft lock --diff shows why\n`);
    },
    listening: (url, starting) =>
      print(
        "listening",
        { url, starting },
        dim(`Listening at ${url}; connecting to ${starting.join(", ")}.`),
      ),
    access: (line) =>
      print(
        "access",
        line,
        asJson
          ? undefined
          : dim(`${line.method} ${line.path} ${line.status} ${line.ms.toFixed(0)} ms ${line.agent ?? "-"}`),
      ),
    warning: (text) => print("warning", { text }, `${yellow("!")} ${text}`),
    note: (text) => print("note", { text }, dim(text)),
  };
};

const searchNote = (tools: number, listed: number | undefined): string =>
  listed === undefined || listed >= tools ? "" : `; clients are listed ${listed} and search the others`;

const gettingStartedHint =
  "No tools are configured. Add a server with haft mcp add, tools with --tools FILE, or both in haft.config.ts.";
