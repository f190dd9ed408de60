import { type Format, formats } from "../../models/dialects/formats.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { CommandUsageError, command, exitCodes, jsonLines, readCount, type Terminal } from "../command.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { alignColumns, painter, plainText, toJsonLine } from "../screen.ts";
import { serverProblem } from "../serve/server-problem.ts";

export const tools = command({
  operands: "",
  options: {
    ...runtimeOptions,
    search: {
      type: "string",
      value: "WORDS",
      about: "only tools that match this task, best first; exits with 1 if none matches",
    },
    explain: {
      type: "boolean",
      about: "with --search: show matched words, their weights, and excluded tools",
    },
    limit: { type: "string", value: "N", about: "with --search: maximum number of tools; default 5" },
    "min-score": {
      type: "string",
      value: "SCORE",
      about: "with --search: minimum score from 0 to 1; default 0.05",
    },
    roles: {
      type: "boolean",
      about: "sources, sinks and the role of each argument, for the guard against prompt injection",
    },
    json: jsonLines("the complete specs, the roles, or the search result,"),
    format: {
      type: "string",
      value: "VENDOR",
      choices: Object.keys(formats),
      about: "print them in a vendor's request format, and report what is lost on standard error",
    },
  },
  examples: [
    { line: "haft tools --tools weather.ts", about: "a table" },
    { line: 'haft tools --search "book a flight"', about: "the best matches" },
    {
      line: 'haft tools --search "book a flight" --explain --as clerk',
      about: "why they match, for another caller",
    },
    { line: "haft tools --roles", about: "what each argument decides" },
    { line: "haft tools -t weather.ts --format anthropic", about: "in the format of an Anthropic request" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [odd] = operands;
    if (odd !== undefined)
      throw new CommandUsageError(
        `haft tools does not accept "${odd}". Use --tools for a module of tools, and put the search text in quotes: --search "book a flight".`,
      );
    const asked = readSearchFlags(options);
    await using opened = await openRuntime(options, terminal, { ledger: "memory" });
    const { haft } = opened;
    printServerProblems(haft, terminal);
    if (asked !== undefined) return printSearch(haft, asked, options, terminal);
    if (options.roles === true) {
      const { printRoles } = await import("../tools/show-roles.ts");
      printRoles(haft.offer().offer.byWireName.values(), options.json === true, terminal);
      return exitCodes.done;
    }
    if (options.format !== undefined) {
      const { tools: spelled, report } = haft.offer({ format: options.format as Format });
      if (options.json === true) for (const each of [spelled].flat()) terminal.out(toJsonLine(each));
      else terminal.out(`${JSON.stringify(spelled, null, 2)}\n`);
      for (const { tool, pointer, note } of report) terminal.error(`${tool}${pointer}: ${note}\n`);
      return exitCodes.done;
    }
    const { specs } = haft.offer().offer;
    if (options.json === true) for (const spec of specs) terminal.out(toJsonLine(spec));
    else if (specs.length === 0) terminal.out("No tools. Pass a module that exports tools: --tools FILE\n");
    else {
      const { bold } = painter(terminal);
      const rows = specs.map(({ name, risk, annotations, description }) => [
        name,
        risk,
        annotations.readOnly === true ? "reads" : "writes",
        plainText(description),
      ]);
      const [head, ...lines] = alignColumns(
        [["NAME", "RISK", "", "DESCRIPTION"], ...rows],
        terminal.width,
      ).split("\n");
      terminal.out(`${bold(head ?? "")}\n${lines.join("\n")}\n`);
    }
    return exitCodes.done;
  },
});

/** A list without the tools of a server would look complete. */
const printServerProblems = (haft: Haft, terminal: Terminal): void => {
  for (const state of haft.mcp.list()) {
    const problem = serverProblem(state);
    if (problem !== undefined)
      terminal.error(`${painter(terminal).yellow("!")} ${plainText(state.id)}: ${problem}\n`);
  }
};

interface SearchFlags {
  readonly search?: string;
  readonly explain?: boolean;
  readonly limit?: string;
  readonly "min-score"?: string;
  readonly format?: string;
  readonly roles?: boolean;
  readonly json?: boolean;
}

interface SearchRequest {
  readonly query: string;
  readonly maxCandidates: number;
  readonly minScore: number;
}

const readSearchFlags = (flags: SearchFlags): SearchRequest | undefined => {
  const { search: query, limit, "min-score": score, format, roles } = flags;
  if (query === undefined) {
    for (const name of ["explain", "limit", "min-score"] as const)
      if (flags[name] !== undefined) throw new CommandUsageError(`--${name} requires --search.`);
    return undefined;
  }
  if (query.trim() === "")
    throw new CommandUsageError('--search requires words that describe a task, such as "book a flight".');
  if (format !== undefined) throw new CommandUsageError("--search and --format cannot be combined.");
  if (roles === true) throw new CommandUsageError("--search and --roles cannot be combined.");
  return { query, maxCandidates: readCount("limit", limit, 1) ?? 5, minScore: readScore(score) ?? 0.05 };
};

const readScore = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const score = Number(text);
  if (score >= 0 && score <= 1 && text.trim() !== "") return score;
  throw new CommandUsageError(`--min-score must be a number from 0 to 1, not "${text}".`);
};

const printSearch = async (
  haft: Haft,
  { query, ...limits }: SearchRequest,
  { explain = false, json }: SearchFlags,
  terminal: Terminal,
): Promise<number> => {
  const [{ explainToolSearch: explainSearch }, { searchJsonLines: searchLines, formatSearch: showSearch }] =
    await Promise.all([import("../tools/explain-search.ts"), import("../tools/format-search.ts")]);
  const found = explainSearch(sharedRuntimes.get(haft)!.registry, haft.offer().offer, query, limits);
  const isFound = found.search.tools.length > 0;
  if (!isFound)
    terminal.error(`${painter(terminal).red("haft:")} ${found.search.none ?? "No tool matches."}\n`);
  if (json === true) terminal.out(searchLines(found, explain));
  else if (isFound || (explain && found.passedOver.length > 0))
    terminal.out(showSearch(found, explain, terminal));
  return isFound ? exitCodes.done : exitCodes.failed;
};
