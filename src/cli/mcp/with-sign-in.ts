import { join } from "node:path";
import { openInBrowser } from "../../mcp/client/auth/sign-in/open-in-browser.ts";
import { fileMcpTokens } from "../../mcp/client/auth/token-store.ts";
import type { McpOptions } from "../../runtime/mcp-options.ts";
import type { Terminal } from "../command.ts";
import { painter, plain } from "../screen.ts";

/** Tokens stay in a folder that only the user can read; a person at this terminal is shown where to sign in. */
export const withSignIn = (options: McpOptions, terminal: Terminal): McpOptions => {
  const home = terminal.env.HOME ?? terminal.env.USERPROFILE;
  const { yellow } = painter(terminal);
  return {
    ...(home === undefined ? {} : { tokens: fileMcpTokens(join(home, ".haft", "mcp-tokens")) }),
    ...(terminal.isInteractive
      ? {
          onSignIn: async ({ id }, url) => {
            terminal.error(`${yellow("?")} Sign in for the server ${plain(id)}: ${plain(url.href)}\n`);
            // Who has no browser here opens it elsewhere.
            await openInBrowser(url).catch(() => {});
          },
        }
      : {}),
    ...options,
  };
};
