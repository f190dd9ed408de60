import * as Context from "effect/Context";
import { Policy } from "../../policy/engine.ts";
import { suggestNames } from "../../registry/suggest-names.ts";
import { Registry, type ToolRegistry } from "../../registry/tool-registry.ts";
import { explainCall } from "../../runtime/explain-call.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { resolveRuntimeOptions, runtimeOptions } from "../open-runtime.ts";
import { openServices } from "../open-services.ts";
import { readJsonOption } from "../read-json-option.ts";
import { alignColumns, painter, plainText, toJsonLine } from "../screen.ts";

const callerOptions = {
  user: { type: "string", value: "USER", about: "on behalf of this user" },
  tenant: { type: "string", value: "TENANT", about: "for this tenant" },
  role: { type: "string", multiple: true, value: "ROLE", about: "a role of the caller; repeatable" },
  input: {
    type: "string",
    value: "JSON",
    about: "with these arguments; without them, the most permissive decision for any arguments",
  },
  tainted: { type: "boolean", about: "as if the conversation contained untrusted content" },
} as const;

export const explain = command({
  operands: "NAME",
  options: {
    ...runtimeOptions,
    ...callerOptions,
    json: jsonValue("the explanation"),
  },
  examples: [
    { line: "haft explain get_weather --tools weather.ts", about: "the tool's full name, source and schema" },
    {
      line: "haft explain refund -t shop.ts --as support --role clerk",
      about: "whether the caller may call it, and which rule decides",
    },
    { line: `haft explain refund --as support --input '{"amount":900}'`, about: "with these arguments" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [name, ...more] = operands;
    if (name === undefined || more.length > 0) throw new CommandUsageError("haft explain requires one name.");
    const { input: text, tainted } = options;
    const input = text === undefined ? undefined : { value: readJsonOption("input", text) };
    const isAboutCaller = ["as", "allow", "session", ...Object.keys(callerOptions)].some(
      (each) => each in options,
    );
    await using opened = await openServices(
      await resolveRuntimeOptions(options, terminal, { ledger: "memory" }),
    );
    const registry = Context.get(opened.services, Registry);
    const registration = registry.get(name);
    const policy =
      isAboutCaller && registration !== undefined
        ? await explainCall(
            { engine: Context.get(opened.services, Policy), principal: opened.principal, registration },
            { input, isTainted: tainted === true },
          )
        : undefined;
    const explanation = registry.explain(name);
    if (registration === undefined)
      terminal.error(`${painter(terminal).red("haft:")} ${unknownToolMessage(name, registry)}\n`);
    const spec = registration?.tool.spec;
    if (options.json === true) terminal.out(toJsonLine({ ...explanation, spec, policy }));
    else if (registration !== undefined) {
      const rows = Object.entries(explanation).map(([field, value]) => [
        field,
        typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
      ]);
      terminal.out(`${alignColumns(rows, terminal.width)}\n`);
      if (policy !== undefined) printPolicy(policy, terminal);
      else if (spec !== undefined) terminal.out(`\n${JSON.stringify(spec.input, null, 2)}\n`);
    }
    return spec === undefined ? exitCodes.failed : exitCodes.done;
  },
});

const unknownToolMessage = (name: string, registry: ToolRegistry): string => {
  const { candidates } = registry.explain(name);
  if (candidates.length > 0) {
    return `The name "${plainText(name)}" matches several tools: ${candidates.join(", ")}. Use a full name.`;
  }
  const near = suggestNames(name, registry.ordered(), () => true);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return `There is no tool named "${plainText(name)}".${hint} haft tools lists them.`;
};

const printPolicy = ({ text }: { readonly text: string }, terminal: Terminal): void =>
  terminal.out(`\n${text.split("\n").map(plainText).join("\n")}\n`);
