import { join } from "node:path";
import { fileTokenStore } from "../base/credentials/oauth/file-token-store.ts";
import { Haft } from "../runtime/haft.ts";
import type { ApprovalHandler, HaftOptions } from "../runtime/haft-options.ts";
import type { McpOptions } from "../runtime/mcp-options.ts";
import type { ServeOptions } from "../server/gateway/serve-options.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import { isSameCaller, type Principal } from "../types/principal.ts";
import type { AnyTool } from "../types/tool.ts";
import type { Option, Terminal } from "./command.ts";
import {
  chooseLedger,
  createLedgerFolder,
  endUnusedLedger,
  ledgerKeyNote,
  ledgerOption,
  needsLedgerKey,
  requireLedgerFile,
  requireTrustedLedger,
} from "./ledger/known-ledgers.ts";
import type { ImportOptions } from "./load-module.ts";
import { readDocuments, withDocuments } from "./openapi/with-documents.ts";
import {
  configOption,
  readConfiguration,
  requireTrustedProject,
  withServersFile,
} from "./read-configuration.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { painter, plainText } from "./screen.ts";
import { type MachineAccess, readMachineAccess } from "./serve/machine-access.ts";
import { gateOptions, type LaunchGateMode } from "./trust/gate-options.ts";
import type { Launch } from "./trust/launch.ts";
import { type OperatorFlags, protectOperatorSecret } from "./trust/require-operator.ts";
import { createTrust, type Trust, trustOption } from "./trust/trust.ts";

export const runtimeOptions = {
  tools: {
    type: "string",
    short: "t",
    multiple: true,
    value: "FILE",
    about: "a module that exports tools; repeatable",
  },
  config: configOption,
  trust: trustOption,
  allow: {
    type: "string",
    multiple: true,
    value: "PATTERN",
    about: 'tools that the caller may use, such as "get_*"; default: all tools of --tools',
  },
  as: { type: "string", value: "AGENT", about: "agent name of the caller, for policy and the ledger" },
  session: {
    type: "string",
    value: "NAME",
    about: "session of the caller, for session grants",
  },
  repair: {
    type: "string",
    value: "MODE",
    choices: ["off", "deterministic", "model"],
    about: "repair invalid arguments",
  },
} as const satisfies Readonly<Record<string, Option>>;

export const recordedRuntimeOptions = { ...runtimeOptions, ledger: ledgerOption } as const;

const loadToolFiles = async (files: readonly string[]): Promise<readonly AnyTool[]> =>
  (await import("./load-tools.ts")).loadTools(files);

export interface RuntimeFlags extends OperatorFlags {
  readonly tools?: readonly string[];
  readonly config?: string;
  readonly trust?: boolean;
  readonly allow?: readonly string[];
  readonly as?: string;
  readonly session?: string;
  readonly repair?: string;
  readonly model?: string;
  readonly ledger?: string;
  readonly record?: boolean;
  readonly user?: string;
  readonly tenant?: string;
  readonly role?: readonly string[];
}

export interface ConfigurationReload {
  readonly trust: Trust;
  readonly report: (launches: readonly Launch[]) => void;
  readonly imports: ImportOptions;
}

export interface RuntimeRequest {
  readonly agent?: string;
  /** The caller of a resumed run. Its rights are read from the configuration again. */
  readonly caller?: Principal | undefined;
  readonly ledger: "default" | "configured" | "memory";
  readonly reload?: ConfigurationReload;
  readonly startsNothing?: true;
  readonly trust?: Trust;
  /** Throws where the configuration gives tools other access than this process may have. */
  readonly checkAccess?: (access: MachineAccess) => void;
  readonly asks?: boolean;
}

export interface OpenedRuntime extends AsyncDisposable {
  readonly haft: Haft;
  readonly ledger: HaftOptions["ledger"];
}

export const openRuntime = async (
  flags: RuntimeFlags,
  terminal: Terminal,
  request: RuntimeRequest,
): Promise<OpenedRuntime> => openRuntimeWith(await resolveRuntimeOptions(flags, terminal, request));

export const openRuntimeWith = async (options: HaftOptions): Promise<OpenedRuntime> => {
  const haft = await Haft.open(options as never);
  const { ledger } = options;
  return {
    haft,
    ledger,
    [Symbol.asyncDispose]: async () => {
      await haft.close();
      // A store that the configuration opened would keep the process alive.
      if (typeof ledger === "object") await ledger.end?.();
    },
  };
};

const ignoreUnaccepted: LaunchGateMode = { report: () => {} };

export const resolveRuntimeOptions = async (
  flags: RuntimeFlags,
  terminal: Terminal,
  request: RuntimeRequest,
): Promise<HaftOptions> => {
  const { reload } = request;
  protectOperatorSecret(flags);
  const trust = reload?.trust ?? request.trust ?? createTrust(flags, terminal);
  await requireTrustedProject(flags.config, trust);
  const configuration = await readConfiguration(flags.config, trust, reload?.imports);
  const { serve, openapi: _, ...configured } = configuration;
  const documents = await readDocuments(configuration, flags.config);
  request.checkAccess?.(readMachineAccess(configuration, documents));
  const known = await withServersFile(configured, flags.config);
  const documented = await withDocuments(known, documents, configured.credentials);
  const options = await gateOptions(
    documented,
    trust,
    reload ?? (request.startsNothing ? ignoreUnaccepted : "require"),
  );
  const added = flags.tools === undefined ? [] : await loadToolFiles(flags.tools);
  const tools = [...(options.tools ?? []), ...added];
  const ledger = await resolveLedger(flags, options, trust, terminal, request.ledger);
  const config = await resolveSettings(options.config, flags, terminal);
  const canWait = ledger !== undefined && ledger !== "memory";
  const approver =
    options.approver ?? (request.asks === false ? undefined : terminalApprover(terminal, canWait));
  return {
    ...options,
    ...(options.mcp === undefined ? {} : { mcp: withMcpSignIn(options.mcp, terminal) }),
    ...(config === undefined ? {} : { config }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(ledger === undefined ? {} : { ledger }),
    ...(approver === undefined ? {} : { approver }),
    tools,
    principal: resolvePrincipal(
      flags,
      configuredPrincipalFor(request.caller, options.principal, serve),
      request,
    ),
  };
};

const resolvePrincipal = (
  flags: RuntimeFlags,
  configured: Principal | undefined,
  { agent = "cli", caller }: RuntimeRequest,
): Principal => ({
  agent,
  ...caller,
  ...(caller === undefined ? configured : withoutIdentity(configured)),
  ...definedIdentity({ agent: flags.as, session: flags.session, user: flags.user, tenant: flags.tenant }),
  ...(flags.role === undefined ? {} : { roles: flags.role }),
  allow: flags.allow ?? configured?.allow ?? caller?.allow ?? ["*"],
});

const configuredPrincipalFor = (
  caller: Principal | undefined,
  own: Principal | undefined,
  serve: ServeOptions | undefined,
): Principal | undefined => {
  if (caller === undefined || isSameCaller(caller, own)) return own;
  const { auth } = serve ?? {};
  const clients = auth !== undefined && "tokens" in auth ? auth.tokens : [];
  return clients.find(({ principal }) => isSameCaller(caller, principal))?.principal ?? own;
};

/** A resumed call keeps its caller's exact identity: without a session it does not get the configured one. */
const withoutIdentity = (configured: Principal | undefined): Partial<Principal> => {
  const {
    agent: _,
    session: _session,
    user: _user,
    tenant: _tenant,
    ...rights
  } = configured ?? { agent: "" };
  return rights;
};

const definedIdentity = ({
  agent,
  session,
  user,
  tenant,
}: Partial<Record<keyof Principal, unknown>>): Partial<Principal> =>
  Object.fromEntries(
    Object.entries({ agent, session, user, tenant }).filter(([, value]) => value !== undefined),
  );

const resolveLedger = async (
  flags: RuntimeFlags,
  { ledger: configured }: HaftOptions,
  trust: Trust,
  terminal: Terminal,
  which: RuntimeRequest["ledger"],
): Promise<HaftOptions["ledger"] | undefined> => {
  if (which === "configured") return configured;
  const chosen = which === "memory" ? which : chooseLedger(flags.ledger, configured, terminal);
  await endUnusedLedger(configured, chosen);
  if (typeof chosen !== "string") return chosen;
  requireLedgerFile(chosen);
  await createLedgerFolder(chosen);
  await requireTrustedLedger({ place: chosen, given: flags, access: "make", trust, terminal });
  if (needsLedgerKey(chosen) && !terminal.env.HAFT_LEDGER_KEY) {
    terminal.error(`${painter(terminal).dim(`${ledgerKeyNote} Pending runs cannot be resumed.`)}\n`);
  }
  return chosen;
};

/**
 * Without an interactive terminal, a call that needs approval becomes pending, or is denied if the ledger
 * cannot store that.
 */
const terminalApprover = (terminal: Terminal, canWait: boolean): ApprovalHandler | undefined => {
  if (!terminal.isInteractive) return undefined;
  const { yellow } = painter(terminal);
  return async ({ tool, input, reason }: ApprovalRequest): Promise<ApprovalDecision | undefined> => {
    const shown = plainText(JSON.stringify(input));
    const choices = canWait ? "[y/N] or l for later: " : "[y/N] ";
    const answer = await terminal.ask(
      `\n${yellow("?")} ${plainText(tool)} ${shown}\n  ${plainText(reason)}. Allow it? ${choices}`,
    );
    const word = answer?.trim() ?? "";
    // Ctrl-D neither approves nor denies.
    if (canWait && (answer === undefined || /^l(ater)?$/i.test(word))) return undefined;
    return /^y(es)?$/i.test(word) ? { kind: "allow" } : { kind: "deny", reason: "denied at the terminal" };
  };
};

const withMcpSignIn = (options: McpOptions, terminal: Terminal): McpOptions => {
  const home = terminal.env.HOME ?? terminal.env.USERPROFILE;
  const { yellow } = painter(terminal);
  return {
    ...(home === undefined ? {} : { tokens: fileTokenStore(join(home, ".haft", "mcp-tokens")) }),
    ...(terminal.isInteractive
      ? {
          onSignIn: async ({ id }, url) => {
            terminal.error(
              `${yellow("?")} Sign in for the server ${plainText(id)}: ${plainText(url.href)}\n`,
            );
            const { openInBrowser } = await import("../base/credentials/oauth/open-in-browser.ts");
            await openInBrowser(url).catch(() => {});
          },
        }
      : {}),
    ...options,
  };
};
