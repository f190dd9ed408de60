import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { Offers, Policy, Registry, runtimeLayer } from "../../dist/effect.js";
import { Haft, type Principal } from "../../dist/index.js";
import { manyTools } from "./tools.ts";

/** One operation of the built package with a target. Opening it is not measured. */
export interface TargetCase {
  readonly name: string;
  readonly targetMs: number;
  /** Repetitions in one process for the warm figures. */
  readonly repeats: number;
  readonly open: () => Promise<OpenCase>;
}

export interface OpenCase {
  readonly run: () => unknown;
  readonly close?: () => Promise<unknown>;
}

const principal: Principal = { agent: "bench", allow: ["*"] };
const formats = ["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"] as const;
const serverFile = fileURLToPath(new URL("./server.ts", import.meta.url));
const folder = fileURLToPath(new URL("..", import.meta.url));

const openServices = async () => {
  const policyOptions = { rules: [{ effect: "allow" as const, tools: ["tool_*"] }] };
  const runtime = ManagedRuntime.make(runtimeLayer({ tools: manyTools(), principal, policy: policyOptions }));
  const services = Effect.all({ registry: Registry, policy: Policy, offers: Offers });
  const { registry, policy, offers } = await runtime.runPromise(services);
  const registration = registry.get("tool_0")!;
  const showTools = () => runtime.runPromise(offers.offer({ principal }));
  return { registry, policy, registration, showTools, close: () => runtime.dispose() };
};

const openHaft = (options: object) => Haft.open({ principal, ...options });

const serverOptions = { id: "echo", command: process.execPath, args: [serverFile] };

const expectResult = (isRight: boolean, what: string): void => {
  if (!isRight) throw new Error(`${what} returned a wrong result, so the measurement is invalid`);
};

export const cases: readonly TargetCase[] = [
  {
    name: "look-up of a name",
    targetMs: 1,
    repeats: 2_000,
    open: async () => {
      const { registry, close } = await openServices();
      return { run: () => expectResult(registry.resolve("tool_777").ok, "the look-up"), close };
    },
  },
  {
    name: "look-up of an unknown name, with suggestions",
    targetMs: 1,
    repeats: 500,
    open: async () => {
      const { registry, policy, showTools, close } = await openServices();
      // A model was shown the tools before it can get a name wrong.
      await showTools();
      const run = () => {
        expectResult(!registry.resolve("tol_777").ok, "the look-up");
        const near = registry.near("tol_777", (one) => policy.visible(principal, one).effect !== "deny");
        expectResult(near[0] === "tool_777", "the suggestion");
      };
      return { run, close };
    },
  },
  {
    name: "validation",
    targetMs: 2,
    repeats: 2_000,
    open: async () => {
      const { registration, close } = await openServices();
      return { run: () => registration.tool.input({ key: "a", limit: 3 }), close };
    },
  },
  {
    name: "authorization",
    targetMs: 5,
    repeats: 2_000,
    open: async () => {
      const { registration, policy, close } = await openServices();
      const request = { principal, registration, input: { key: "a" }, validated: true };
      const run = () => {
        const decided = policy.decide(request);
        expectResult("effect" in decided && decided.effect === "allow", "the decision");
      };
      return { run, close };
    },
  },
  {
    name: "built-in execution (file-read)",
    targetMs: 100,
    repeats: 100,
    open: async () => {
      const haft = await openHaft({
        skills: ["file-read"],
        config: { skills: { files: { read: [folder] } } },
      });
      return { run: () => haft.call("file-read", { path: "package.json" }), close: () => haft.close() };
    },
  },
  {
    name: "MCP connection",
    targetMs: 10_000,
    repeats: 0,
    open: async () => {
      const haft = await openHaft({});
      const run = async () =>
        expectResult((await haft.mcp.connect(serverOptions)).status === "connected", "the connection");
      return { run, close: () => haft.close() };
    },
  },
  {
    name: "MCP call",
    targetMs: 5_000,
    repeats: 100,
    open: async () => {
      const haft = await openHaft({});
      await haft.mcp.connect(serverOptions);
      return { run: () => haft.call("echo/echo", { text: "hello" }), close: () => haft.close() };
    },
  },
  ...formats.map(
    (format): TargetCase => ({
      name: `export of 990 tools: ${format}`,
      targetMs: 5,
      repeats: 500,
      open: async () => {
        const haft = await openHaft({ tools: manyTools() });
        const run = () => expectResult(haft.offer({ format }).tools.length > 0, "the export");
        return { run, close: () => haft.close() };
      },
    }),
  ),
];
