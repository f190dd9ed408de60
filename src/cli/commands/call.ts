import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonValue } from "../json-option.ts";
import { Misuse } from "../misuse.ts";

import { keepingOptions, openRuntime } from "../open-runtime.ts";
import { painter, plainLines, toJsonLine } from "../screen.ts";
import { tellWaitingCall } from "../tell-waiting-call.ts";

/** One call by hand, down the whole corridor. */
export const call = command({
  operands: "TOOL [ARGUMENTS]",
  options: {
    ...keepingOptions,
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
      throw new Misuse("haft call takes a tool and, if it has any, its arguments as one JSON text.");
    }
    await using opened = await openRuntime(options, terminal, { ledger: "default" });
    const { haft } = opened;
    const input = text ?? (await terminal.input()).trim();
    const [reply] = await haft.turn([{ id: "call-1", tool: name, input }], { signal: terminal.signal });
    if (options.json === true) terminal.out(toJsonLine(reply));
    else if (reply?.pending !== undefined) tellWaitingCall(reply.pending, options, terminal);
    else print(terminal, reply?.ok === true, reply?.text ?? "");
    if (reply?.pending !== undefined) return exitCodes.pending;
    if (terminal.signal.aborted) return exitCodes.cancelled;
    return reply?.ok === true ? exitCodes.done : exitCodes.failed;
  },
});

const print = (terminal: Terminal, ok: boolean, text: string): void => {
  if (ok) terminal.out(`${text}\n`);
  else terminal.error(`${painter(terminal).red("haft:")} ${plainLines(text.replace(/^Error: /, ""))}\n`);
};
