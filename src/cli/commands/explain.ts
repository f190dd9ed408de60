import { command, exitCodes } from "../command.ts";
import { Misuse } from "../misuse.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { table } from "../screen.ts";

/** Which tool answers to a name, and why that one. */
export const explain = command({
  name: "explain",
  about: "Say which tool answers to a name, where it comes from, and what it shadows.",
  operands: "NAME",
  options: { ...runtimeOptions, json: { type: "boolean", about: "print it as JSON" } },
  examples: [
    { line: "haft explain get_weather --tools weather.ts", about: "its full name, source and schema" },
  ],
  run: async ({ options, operands, terminal }) => {
    const [name, ...more] = operands;
    if (name === undefined || more.length > 0) throw new Misuse("haft explain takes one name.");
    await using haft = await openRuntime(options, terminal);
    const explanation = haft.explain(name);
    const spec = haft.get(name);
    if (options.json === true) {
      terminal.out(
        `${JSON.stringify({ ...explanation, ...(spec === undefined ? {} : { spec }) }, null, 2)}\n`,
      );
    } else {
      const rows = Object.entries(explanation).map(([field, value]) => [
        field,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      terminal.out(`${table(rows, terminal.width)}\n`);
      if (spec !== undefined) terminal.out(`\n${JSON.stringify(spec.input, null, 2)}\n`);
    }
    return spec === undefined ? exitCodes.failed : exitCodes.done;
  },
});
