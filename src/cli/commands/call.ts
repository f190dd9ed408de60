import { CommandUsageError, command, exitCodes, jsonValue } from "../command.ts";

import { openRuntime, recordedRuntimeOptions } from "../open-runtime.ts";
import { printPendingCall, printReply } from "../print-reply.ts";
import { toJsonLine } from "../screen.ts";

/** Calls one tool through the whole call pipeline. */
export const call = command({
  operands: "TOOL [ARGUMENTS]",
  options: {
    ...recordedRuntimeOptions,
    json: jsonValue("the whole reply, failures included,"),
  },
  examples: [
    { line: `haft call get_weather '{"city":"Oslo"}' --tools weather.ts`, about: "arguments as JSON" },
    {
      line: 'echo \'{"city":"Oslo"}\' | haft call get_weather -t weather.ts --json',
      about: "arguments from a pipe",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [name, text, ...more] = operands;
    if (name === undefined || more.length > 0) {
      throw new CommandUsageError("haft call requires a tool and accepts its arguments as one JSON text.");
    }
    await using opened = await openRuntime(options, terminal, { ledger: "default" });
    const { haft } = opened;
    const input = text ?? (await terminal.input()).trim();
    const [reply] = await haft.turn([{ id: "call-1", tool: name, input }], { signal: terminal.signal });
    if (options.json === true) terminal.out(toJsonLine(reply));
    else if (reply?.pending !== undefined) printPendingCall(reply.pending, options, terminal);
    else if (reply !== undefined) printReply(reply, terminal);
    if (reply?.pending !== undefined) return exitCodes.pending;
    if (terminal.signal.aborted) return exitCodes.cancelled;
    return reply?.ok === true ? exitCodes.done : exitCodes.failed;
  },
});
