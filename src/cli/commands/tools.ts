import { type Format, formats } from "../../dialects/formats.ts";
import { command, exitCodes } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { painter, plain, table, toJsonLine } from "../screen.ts";

/** What a model would be shown right now. */
export const tools = command({
  operands: "",
  options: {
    ...runtimeOptions,
    json: jsonLines("the whole specs"),
    format: {
      type: "string",
      value: "VENDOR",
      choices: Object.keys(formats),
      about: "print them as a vendor's request takes them, and on standard error what is lost",
    },
  },
  examples: [
    { line: "haft tools --tools weather.ts", about: "a table" },
    { line: "haft tools -t weather.ts --format anthropic", about: "as a request to Anthropic takes them" },
  ],
  onlyTells: true,
  run: async ({ options, terminal }) => {
    await using opened = await openRuntime(options, terminal, { ledger: "memory" });
    const { haft } = opened;
    if (options.format !== undefined) {
      const { tools: spelled, report } = haft.offer({ format: options.format as Format });
      if (options.json === true) for (const each of [spelled].flat()) terminal.out(toJsonLine(each));
      else terminal.out(`${JSON.stringify(spelled, null, 2)}\n`);
      for (const { tool, pointer, note } of report) terminal.error(`${tool}${pointer}: ${note}\n`);
      return exitCodes.done;
    }
    const { specs } = haft.offer().offer;
    if (options.json === true) for (const spec of specs) terminal.out(toJsonLine(spec));
    else if (specs.length === 0) terminal.out("No tools. Name a module that exports some: --tools FILE\n");
    else {
      const { bold } = painter(terminal);
      const rows = specs.map(({ name, risk, annotations, description }) => [
        name,
        risk,
        annotations.readOnly === true ? "reads" : "writes",
        plain(description),
      ]);
      const [head, ...lines] = table([["NAME", "RISK", "", "DESCRIPTION"], ...rows], terminal.width).split(
        "\n",
      );
      terminal.out(`${bold(head ?? "")}\n${lines.join("\n")}\n`);
    }
    return exitCodes.done;
  },
});
