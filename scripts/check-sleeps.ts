import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { readFlags } from "./flags.ts";

/**
 * `npm run sleeps`: no test depends on speed. Rejects sleeps, polling and time measurements in tests and
 * their kits. Use `waitFor` or `finishes` of `test/kit`, an injected clock, or an event. If the delay is part
 * of the scenario, put `// allow-sleep: <reason>` on the line before. Programs started by tests and campaigns
 * that measure use `// allow-sleep in this file: <reason>` once.
 */
export const forbiddenCalls: Readonly<Record<string, string>> = {
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
const forbiddenReasons: Readonly<Record<string, string>> = {
  ...forbiddenCalls,
  timeout: "a private time limit",
};

/** The limit of `vitest.config.ts`. Campaigns may have a longer one. */
const testTimeoutMs = 180_000;
const testFunctions = new Set(["it", "test", "describe", "beforeAll", "beforeEach", "afterAll", "afterEach"]);

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

/** `it` of `it.each(cases)`. */
const rootOf = (node: unknown): string => {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  return rootOf(node.type === "MemberExpression" ? node.object : node.callee);
};

const isShort = (node: unknown): boolean =>
  isNode(node) && typeof node.value === "number" && node.value <= testTimeoutMs;

/** A timeout of a test or hook that is shorter than the default. */
const shorterTimeout = ({ callee, arguments: given }: Node): Node | undefined => {
  if (!testFunctions.has(rootOf(callee))) return undefined;
  return (given as readonly Node[]).slice(1).find((each) => {
    if (each.type !== "ObjectExpression") return isShort(each);
    const properties = each.properties as readonly Node[];
    return properties.some(({ key, value }) => nameOf(key) === "timeout" && isShort(value));
  });
};

export interface ForbiddenCall {
  readonly line: number;
  readonly call: string;
}

/** Forbidden calls in a source that no comment on the line before allows. */
export const findSleeps = (source: string): readonly ForbiddenCall[] => {
  if (/^\/\/ allow-sleep in this file: \S/m.test(source)) return [];
  const lines = source.split("\n");
  const found: ForbiddenCall[] = [];
  // Effect sleeps in virtual time there.
  const isVirtual = source.includes("TestClock");
  const report = (start: number, call: string): void => {
    const line = source.slice(0, start).split("\n").length;
    const allowed = [line - 2, line - 1].some((index) => /\/\/ allow-sleep: \S/.test(lines[index] ?? ""));
    if (!allowed) found.push({ line, call });
  };
  const visit = (node: Node): void => {
    if (node.type === "CallExpression") {
      const limit = shorterTimeout(node);
      if (limit !== undefined) report(limit.start, "timeout");
      const name = nameOf(node.callee);
      if (Object.hasOwn(forbiddenCalls, name) && !(name === "Effect.sleep" && isVirtual))
        report(node.start, name);
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
      console.error(`${file}:${line}: ${call} is ${forbiddenReasons[call] ?? "a sleep"}`);
    }
  }
  if (refusals > 0) {
    console.error(
      `\n${refusals} calls that make a test depend on speed. Use waitFor or finishes of test/kit, an injected clock, or an event.`,
    );
    process.exit(1);
  }
}
