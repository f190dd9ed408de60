import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import { afterEach } from "vitest";
import { Haft } from "../../src/runtime/haft.ts";
import type { HaftOptions } from "../../src/runtime/haft-options.ts";
import { codeMode } from "../../src/sandbox/code-mode.ts";
import { openSandboxes } from "../../src/sandbox/open-sandboxes.ts";
import { Sandboxes } from "../../src/sandbox/sandboxes.ts";
import { tool } from "../../src/tools/tool.ts";
import type { AnyTool } from "../../src/types/tool.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

/** Engines shared by all runtimes of a test file: starting one takes longer than most tests. */
const sharedSandboxes = Layer.succeed(
  Sandboxes,
  Effect.runSync(Scope.provide(openSandboxes, Effect.runSync(Scope.make()))),
);

/** A new ledger file, removed after the test. */
export const newLedgerFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "haft-code-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, "ledger.db")}`;
};

const number = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
} as const;

/**
 * A runtime with a tool without restrictions, one that requires approval, one with untrusted content, and
 * programs.
 */
export const codeScene = async (options: Partial<HaftOptions> = {}, more: readonly AnyTool[] = []) => {
  const ran: string[] = [];
  const make = (name: string, extra: object) =>
    tool({
      name,
      description: `${name} of a number`,
      input: number,
      ...extra,
      run: ({ n }: { readonly n: number }) => {
        ran.push(`${name} ${n}`);
        return name === "double" ? 2 * n : { [name]: n };
      },
    });
  const haft = await Haft.open({
    tools: [
      make("double", { annotations: { readOnly: true } }),
      make("pay", { requiresApproval: true }),
      make("read-web", { annotations: { readOnly: true }, tags: ["untrusted"] }),
      ...more,
      codeMode(),
    ],
    services: sharedSandboxes,
    principal: { agent: "tester", allow: ["*"] },
    ...options,
  } as never);
  cleanups.push(() => haft.close());
  return { haft, ran };
};

/** The result of a program, or its pending requests. */
export const runProgram = async (haft: Haft, source: string, id = "c") => {
  const [reply] = await haft.turn([{ id, tool: "run-code", input: { source } }]);
  return reply!;
};
