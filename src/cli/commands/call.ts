import { command, exitCodes, type Terminal } from "../command.ts";
import { Misuse } from "../misuse.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { painter } from "../screen.ts";

/** One call by hand, down the whole corridor. */
export const call = command({
  name: "call",
  about: "Call one tool and print what it answers.",
  operands: "TOOL [ARGUMENTS]",
  options: {
    ...runtimeOptions,
    json: { type: "boolean", about: "print the whole reply as JSON, failures included" },
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
    await using haft = await openRuntime(options, terminal);
    const input = text ?? (await terminal.input()).trim();
    const [reply] = await haft.turn([{ id: "call-1", tool: name, input }], { signal: terminal.signal });
    if (options.json === true) terminal.out(`${JSON.stringify(reply)}\n`);
    else print(terminal, reply?.ok === true, reply?.text ?? "");
    if (reply?.pending !== undefined) return exitCodes.pending;
    if (terminal.signal.aborted) return exitCodes.cancelled;
    return reply?.ok === true ? exitCodes.done : exitCodes.failed;
  },
});

const print = (terminal: Terminal, ok: boolean, text: string): void => {
  if (ok) terminal.out(`${text}\n`);
  else terminal.error(`${painter(terminal).red("haft:")} ${text.replace(/^Error: /, "")}\n`);
};
