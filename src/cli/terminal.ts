import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import type { Terminal } from "./command.ts";
import { forTerminal } from "./screen.ts";

/** The terminal of this process. The first Ctrl-C asks whatever runs to end; the second ends the process. */
export const processTerminal = (): Terminal & { readonly close: () => void } => {
  const { stdin, stdout, stderr, env } = process;
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  return {
    out: (text) => void stdout.write(forTerminal(text)),
    error: (text) => void stderr.write(forTerminal(text)),
    env,
    isInteractive,
    hasColor: wantsColor(env, stdout.isTTY === true),
    // A pipe has no edge: whoever reads it wants all of a line.
    width: stdout.columns ?? Number.POSITIVE_INFINITY,
    signal: stop.signal,
    input: async () => {
      if (stdin.isTTY === true) return "";
      let text = "";
      for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
      return text;
    },
    ask: async (question) => {
      if (!isInteractive) return undefined;
      const asking = createInterface({ input: stdin, output: stdout });
      // While it asks, the interface takes Ctrl-C for itself.
      asking.on("SIGINT", interrupt);
      try {
        return await asking.question(forTerminal(question), { signal: stop.signal });
      } catch {
        return undefined;
      } finally {
        asking.close();
      }
    },
    now: () => Date.now(),
    wait: (milliseconds) =>
      setTimeout(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined),
    close: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
};

/** NO_COLOR wins over everything, as it asks; FORCE_COLOR wins over a pipe. */
const wantsColor = (env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean => {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0") return true;
  return isTerminal && env.TERM !== "dumb";
};
