import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { readFlags } from "./flags.ts";

/**
 * `npm run sleeps`: no test depends on speed. Sleeps, private polling and time measurements are refused in tests and in the
 * code that only tests use. Use `waitFor` or `finishes` of `test/kit`, an injected clock, or an event.
 * Where the delay itself is part of the scenario, say so on the line before: `// allow-sleep: <reason>`.
 */
export const refusedCalls: Readonly<Record<string, string>> = {
  setTimeout: "a sleep",
  setInterval: "private polling",
  "Effect.sleep": "a sleep",
  "Atomics.wait": "a sleep",
  "vi.waitFor": "private polling",
  "vi.waitUntil": "private polling",
  "expect.poll": "private polling",
  "performance.now": "a time measurement",
  "process.hrtime": "a time measurement",
  "process.hrtime.bigint": "a time measurement",
  "process.cpuUsage": "a time measurement",
  "process.threadCpuUsage": "a time measurement",
};
const timers = "node:timers/promises";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  return node.type === "MemberExpression" ? `${nameOf(node.object)}.${nameOf(node.property)}` : "";
};

export interface Refusal {
  readonly line: number;
  readonly call: string;
}

/** Calls in a source that are refused and not allowed by a comment on the line before. */
export const findSleeps = (source: string): readonly Refusal[] => {
  const lines = source.split("\n");
  const found: Refusal[] = [];
  // An Effect sleeps in virtual time there.
  const isVirtual = source.includes("TestClock");
  const report = (start: number, call: string): void => {
    const line = source.slice(0, start).split("\n").length;
    const allowed = [line - 2, line - 1].some((index) => /\/\/ allow-sleep: \S/.test(lines[index] ?? ""));
    if (!allowed) found.push({ line, call });
  };
  const visit = (node: Node): void => {
    if (node.type === "CallExpression") {
      const name = nameOf(node.callee);
      if (Object.hasOwn(refusedCalls, name) && !(name === "Effect.sleep" && isVirtual)) report(node.start, name);
    }
    if (node.type === "ImportDeclaration" && (node.source as { value?: unknown }).value === timers) {
      const names = (node.specifiers as readonly { imported?: { name?: string } }[]).map(
        (each) => each.imported?.name,
      );
      if (names.some((name) => name !== "setImmediate")) report(node.start, timers);
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  return found;
};

if (import.meta.main) {
  readFlags({});
  const root = fileURLToPath(new URL("..", import.meta.url));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src", "studio", "test"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = listed
    .split("\n")
    .filter((file) => /\.test\.tsx?$/.test(file) || (file.startsWith("test/") && /\.tsx?$/.test(file)));
  let refusals = 0;
  for (const file of files) {
    for (const { line, call } of findSleeps(readFileSync(join(root, file), "utf8"))) {
      refusals += 1;
      console.error(`${file}:${line}: ${call} is ${refusedCalls[call] ?? "a sleep"}`);
    }
  }
  if (refusals > 0) {
    console.error(
      `\n${refusals} calls that make a test depend on speed. Use waitFor or finishes of test/kit, an injected clock, or an event.`,
    );
    process.exit(1);
  }
}
