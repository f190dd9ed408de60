import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const budgetFile = join(root, "test/pins/type-cost.json");
const many = 500;

/** Programs that define `count` tools and call each one, per entry point. */
const programs: Readonly<Record<string, (count: number) => string>> = {
  haft: (count) => `import { Haft, tool } from "haft";
${tools(count)}
const haft = await Haft.open({ tools: [${names(count)}] });
${each(count, (index) => `export const result${index}: number = await haft.call("tool_${index}", { a: ${index} });`)}
`,
  "haft/effect": (count) => `import { tool } from "haft";
import { call, runtimeLayer } from "haft/effect";
${tools(count)}
export const layer = runtimeLayer({ tools: [${names(count)}] });
${each(count, (index) => `export const result${index} = call(tool${index}, { a: ${index} });`)}
`,
};

const each = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const names = (count: number): string =>
  Array.from({ length: count }, (_, index) => `tool${index}`).join(", ");

/** Each has its own schema, so that inference is not shared. */
const tools = (count: number): string =>
  each(
    count,
    (index) => `const tool${index} = tool({
  name: "tool_${index}",
  description: "Adds ${index}",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b${index}: { type: "string" } },
    required: ["a"],
  } as const,
  run: ({ a }) => a + ${index},
});`,
  );

/** Number of type instantiations of the compiler: deterministic on every machine. */
const instantiationsOf = (text: string): number => {
  const folder = mkdtempSync(join(tmpdir(), "haft-type-cost-"));
  try {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    const paths = Object.fromEntries(
      Object.entries(compilerOptions.paths as Record<string, readonly string[]>).map(([name, [path]]) => [
        name,
        [join(root, path!)],
      ]),
    );
    const settings = { ...compilerOptions, paths, typeRoots: [join(root, "node_modules/@types")] };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: settings, files: ["main.ts"] }),
    );
    writeFileSync(join(folder, "main.ts"), text);
    // Several checkers would divide the work differently each time.
    const words = ["-p", folder, "--extendedDiagnostics", "--singleThreaded"];
    const said = execFileSync(join(root, "node_modules/.bin/tsc"), words, { encoding: "utf8" });
    const found = /^Instantiations:\s+(\d+)$/m.exec(said);
    if (found === null) throw new Error(`tsc --extendedDiagnostics names no instantiations:\n${said}`);
    return Number(found[1]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const flags = readFlags({ "--write": "write what was measured, with a tenth more, as the budget" });
const budget: Readonly<Record<string, number>> = flags.has("--write")
  ? {}
  : JSON.parse(readFileSync(budgetFile, "utf8"));
const measured = Object.entries(programs).map(
  ([entry, program]) => [entry, instantiationsOf(program(many)) - instantiationsOf(program(1))] as const,
);
for (const [entry, count] of measured) {
  const most = budget[entry];
  const isOver = most !== undefined && count > most;
  const against = most === undefined ? "" : `, of at most ${most}`;
  console.log(`${entry}: ${count} instantiations for ${many} tools${against}${isOver ? ": too many" : ""}`);
  if (isOver || (most === undefined && !flags.has("--write"))) process.exitCode = 1;
}
if (flags.has("--write")) {
  const most = Object.fromEntries(measured.map(([entry, count]) => [entry, Math.ceil(count * 1.1)]));
  writeFileSync(budgetFile, `${JSON.stringify(most, null, 2)}\n`);
}
