import * as Context from "effect/Context";
import { readServer } from "../../mcp/client/read-server.ts";
import { createSessionPins } from "../../mcp/client/servers/tools/check-tool-list.ts";
import { createServerTools } from "../../mcp/client/servers/tools/server-tools.ts";
import { launchHashOf, launchOf } from "../../mcp/lock/launch.ts";
import { type Lock, ownValue } from "../../mcp/lock/lock.ts";
import { readLockFile } from "../../mcp/lock/stored-lock.ts";
import { type CheckedPrincipal, checkPolicy } from "../../policy/check-policy.ts";
import { Policy } from "../../policy/engine.ts";
import { Registry, type ToolRegistry } from "../../registry/tool-registry.ts";
import { Configuration } from "../../runtime/configuration.ts";
import { explainCall } from "../../runtime/explain-call.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import { pendingServersOf, policyOptionsOf } from "../../runtime/policy-watcher.ts";
import { ToolError } from "../../types/errors.ts";
import type { UnmatchedToolPattern } from "../../types/mcp.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { Principal } from "../../types/principal.ts";
import { CommandUsageError, command, exitCodes, jsonLines, jsonValue, type Terminal } from "../command.ts";
import { resolveRuntimeOptions, runtimeOptions } from "../open-runtime.ts";
import { type OpenServicesResult, openServices } from "../open-services.ts";
import { type PolicyCase, readPolicyCases } from "../policy/read-cases.ts";
import { readConfiguration } from "../read-configuration.ts";
import { countText, painter, plainText, toJsonLine } from "../screen.ts";
import { createTrust } from "../trust/trust.ts";

const { tools, config, trust } = runtimeOptions;

interface LockedServers {
  /** Servers whose tools are not known without starting them. */
  readonly unknown: readonly string[];
  readonly unmatched: readonly (UnmatchedToolPattern & { readonly server: string })[];
}

/** Registers the reviewed tools of the lock, so that a policy is compared with tools of servers that are not started. */
const registerLockedTools = async (
  registry: ToolRegistry,
  mcp: HaftOptions["mcp"],
): Promise<LockedServers> => {
  const lock = await readLockOf(mcp);
  const unknown: string[] = [];
  const unmatched: LockedServers["unmatched"][number][] = [];
  for (const [id, config] of Object.entries(mcp?.servers ?? {})) {
    const server = readServer(id, config);
    const locked = lock === undefined ? undefined : ownValue(lock.servers, id);
    if (locked === undefined || locked.launchHash !== launchHashOf(launchOf(server))) {
      unknown.push(id);
      continue;
    }
    const tools = createServerTools(server, {
      registry,
      judge: (_, listed) => listed.map((tool) => ({ tool, verdict: "ok" })),
      link: { request: () => Promise.reject(notStartedError), isUp: () => true, callTimeoutMs: 30_000 },
      refusal: () => undefined,
      pins: createSessionPins(),
    });
    tools.apply({ tools: Object.entries(locked.tools).map(([name, tool]) => ({ ...tool, name })) }, {});
    // Excluded tools are not in the lock.
    const missing = tools.unmatched().filter(({ setting }) => setting !== "exclude");
    unmatched.push(...missing.map((each) => ({ ...each, server: id })));
  }
  return { unknown, unmatched };
};

const notStartedError = new Error("The server is not started.");

const readLockOf = async (mcp: HaftOptions["mcp"]): Promise<Lock | undefined> => {
  if (typeof mcp?.lock !== "string") return undefined;
  const lock = await readLockFile(mcp.lock);
  if (ToolError.is(lock)) throw lock;
  return lock;
};

export const policyCheck = command({
  operands: "",
  options: {
    tools,
    config,
    trust,
    strict: { type: "boolean", about: "fail on warnings too, as `policy.strict` does" },
    json: jsonValue("the problems and the servers that were not checked"),
  },
  examples: [
    { line: "haft policy check", about: "the policy of haft.config.ts against its tools" },
    { line: "haft policy check --strict --json", about: "in CI: exit code 1 for any problem" },
  ],
  onlyTells: true,
  run: async ({ options: given, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft policy check accepts no operands. Name a file with --config.");
    const options = await resolveRuntimeOptions(given, terminal, {
      ledger: "memory",
      asks: false,
      startsNothing: true,
    });
    const { principal, serve } = await readConfiguration(given.config, createTrust(given, terminal));
    // The checked policy may be invalid, and the registry does not depend on it.
    await using opened = await openServices(withoutServers({ ...options, policy: {} }));
    const registry = Context.get(opened.services, Registry);
    const { unknown, unmatched } = await registerLockedTools(registry, options.mcp);
    const registrations = registry.list();
    const { security } = Context.get(opened.services, Configuration);
    const policy = policyOptionsOf(options.policy, security);
    const pendingServers = pendingServersOf([], options.mcp?.servers).filter(({ id }) =>
      unknown.includes(id),
    );
    const tokens = serve?.auth !== undefined && "tokens" in serve.auth ? serve.auth.tokens : [];
    const principals: readonly CheckedPrincipal[] = [
      ...(principal === undefined ? [] : [{ principal, path: ["principal"] }]),
      ...tokens.map((token, index) => ({
        principal: token.principal,
        path: ["serve", "auth", "tokens", index, "principal"],
      })),
    ];
    const problems = checkPolicy({
      policy: given.strict === true ? { ...policy, strict: true } : policy,
      registrations,
      pendingServers,
      unmatched,
      principals,
    });
    const rules = policy.rules?.length ?? 0;
    const summary = { rules, tools: registrations.length, problems, notChecked: { servers: unknown } };
    if (given.json === true) terminal.out(toJsonLine(summary));
    else printPolicyProblems(summary, terminal);
    return problems.some(({ severity }) => severity === "error") ? exitCodes.failed : exitCodes.done;
  },
});

interface PolicyCheckSummary {
  readonly rules: number;
  readonly tools: number;
  readonly problems: readonly PolicyProblem[];
  readonly notChecked: { readonly servers: readonly string[] };
}

const printPolicyProblems = (
  { rules, tools: count, problems, notChecked }: PolicyCheckSummary,
  terminal: Terminal,
): void => {
  const { red, yellow, green, dim } = painter(terminal);
  for (const { severity, message, suggestion, place } of problems) {
    const mark = severity === "error" ? red("error  ") : yellow("warning");
    terminal.out(`${mark}  ${plainText(message)}\n`);
    if (suggestion !== undefined) terminal.out(`         ${plainText(suggestion)}\n`);
    terminal.out(`         ${dim(plainText(place))}\n`);
  }
  if (notChecked.servers.length > 0) {
    terminal.out(
      `${dim(`Not checked: tools of ${notChecked.servers.map(plainText).join(", ")}. No server is started, and haft.lock has no reviewed tools of them.`)}\n`,
    );
  }
  const checked = `${countText(rules, "rule")} against ${countText(count, "tool")}`;
  terminal.out(
    problems.length === 0
      ? `${green("ok")}  ${checked}\n`
      : `${countText(problems.length, "problem")} in ${checked}\n`,
  );
};

export const policyTest = command({
  operands: "FILE",
  options: { tools, config, json: jsonLines("each case with its decision") },
  examples: [
    { line: "haft policy test policy.cases.json", about: "exit code 1 if a decision differs" },
    {
      line: "haft policy test policy.cases.json --json",
      about:
        'a case: { "caller": { "agent": "desk", "roles": ["clerk"] }, "tool": "refund", "arguments": { "euros": 900 }, "expect": "approve" }',
    },
  ],
  onlyTells: true,
  run: async ({ options: given, operands, terminal }) => {
    const [file, ...more] = operands;
    if (file === undefined || more.length > 0)
      throw new CommandUsageError(
        "haft policy test requires one file of cases: haft policy test policy.cases.json. Its format: haft policy test --help.",
      );
    const cases = await readPolicyCases(file);
    const options = await resolveRuntimeOptions(given, terminal, {
      ledger: "memory",
      asks: false,
      startsNothing: true,
    });
    await using opened = await openServices(withoutServers(options));
    const { unknown } = await registerLockedTools(Context.get(opened.services, Registry), options.mcp);
    const results = await Promise.all(cases.map((each) => runPolicyCase(each, opened, unknown)));
    for (const result of results) {
      if (given.json === true) terminal.out(toJsonLine(result));
      else if (!result.ok) printDifference(result, terminal);
    }
    const failed = results.filter(({ ok }) => !ok).length;
    if (given.json !== true) {
      const { green } = painter(terminal);
      const passed = `${results.length - failed} of ${countText(results.length, "case")} passed`;
      terminal.out(failed === 0 ? `${green("ok")}  ${passed}\n` : `${passed}\n`);
    }
    return failed > 0 ? exitCodes.failed : exitCodes.done;
  },
});

interface PolicyCaseResult {
  readonly name: string;
  readonly tool: string;
  readonly expected: PolicyCase["expect"];
  readonly decision?: string;
  readonly ruleIds: readonly string[];
  readonly reason: string;
  readonly ok: boolean;
}

const runPolicyCase = async (
  given: PolicyCase,
  { services, principal: own }: OpenServicesResult,
  servers: readonly string[],
): Promise<PolicyCaseResult> => {
  const { name, tool, expect: expected, rules } = given;
  const base = { name, tool, expected, ruleIds: [], ok: false };
  const registration = Context.get(services, Registry).get(tool);
  if (registration === undefined) {
    const hint =
      servers.length === 0 ? "" : `; tools of ${servers.join(", ")} are not known: haft lock records them`;
    return { ...base, reason: `there is no tool "${tool}"${hint}` };
  }
  const principal: Principal = { agent: "case", ...own, ...given.caller };
  const input = "arguments" in given ? { value: given.arguments } : undefined;
  const valid = input === undefined ? undefined : registration.tool.input(structuredClone(input.value));
  if (valid?.ok === false) {
    const why = valid.issues.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join("; ");
    return { ...base, reason: `the arguments do not fit the tool's schema: ${why}` };
  }
  const engine = Context.get(services, Policy);
  const {
    effect,
    reason = "",
    ruleIds = [],
  } = await explainCall({ engine, principal, registration }, { input, isTainted: given.tainted });
  const missing = rules?.filter((id) => !ruleIds.includes(id)) ?? [];
  return {
    ...base,
    ...(effect === undefined ? {} : { decision: effect }),
    ruleIds,
    reason: missing.length === 0 ? reason : `${reason}; not decided by ${missing.join(", ")}`,
    ok: effect === expected && missing.length === 0,
  };
};

const printDifference = (
  { name, expected, decision, reason }: PolicyCaseResult,
  terminal: Terminal,
): void => {
  const { red } = painter(terminal);
  terminal.out(
    `${red("differs")}  ${plainText(name)}: expected ${expected}, got ${decision ?? "no decision"}\n         ${plainText(reason)}\n`,
  );
};

const withoutServers = ({ mcp: _, ...options }: HaftOptions): HaftOptions => options;
