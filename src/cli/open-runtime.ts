import { join } from "node:path";
import { fileMcpTokens } from "../mcp/client/auth/token-store.ts";
import { Haft } from "../runtime/haft.ts";
import type { ApprovalHandler, HaftOptions } from "../runtime/haft-options.ts";
import type { McpOptions } from "../runtime/mcp-options.ts";
import type { ServeOptions } from "../server/gateway/serve-options.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import { isSameCaller, type Principal } from "../types/principal.ts";
import type { AnyTool } from "../types/tool.ts";
import type { Option, Terminal } from "./command.ts";
import { chooseLedger, endUnusedLedger } from "./ledger/choose-ledger.ts";
import { requireKnownLedger } from "./ledger/known-ledgers.ts";
import {
  createLedgerFolder,
  ledgerKeyNote,
  ledgerOption,
  needsLedgerKey,
  requireLedgerFile,
} from "./ledger/ledger-place.ts";
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
import { createTrust, type Trust, trustOption } from "./trust/trust.ts";

/** What every command that opens a runtime understands. */
export const runtimeOptions = {
  tools: {
    type: "string",
    short: "t",
    multiple: true,
    value: "FILE",
    about: "a module that exports tools; may be given more than once",
  },
  config: configOption,
  trust: trustOption,
  allow: {
    type: "string",
    multiple: true,
    value: "PATTERN",
    about: 'tools that may be used, such as "get_*"; all of those named unless given',
  },
  as: { type: "string", value: "AGENT", about: "who is calling, for policy and the ledger" },
  session: {
    type: "string",
    value: "NAME",
    about: "of which session the caller is; approvals may hold for it",
  },
  repair: {
    type: "string",
    value: "MODE",
    choices: ["off", "deterministic", "model"],
    about: "repair arguments that cannot be used as they came",
  },
} as const satisfies Readonly<Record<string, Option>>;

/** What commands understand whose calls are written down. */
export const recordedRuntimeOptions = { ...runtimeOptions, ledger: ledgerOption } as const;

/** Most runtimes have their tools from a configuration; only files of tools need what reads them. */
const loadToolFiles = async (files: readonly string[]): Promise<readonly AnyTool[]> =>
  (await import("./load-tools.ts")).loadTools(files);

export interface RuntimeFlags {
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

/** How a running command reads its configuration again. */
export interface ConfigurationReload {
  readonly trust: Trust;
  /** Called with launches that were not accepted, and are not started. */
  readonly report: (launches: readonly Launch[]) => void;
  /** Whether code is imported again, or code that this process has not imported before is refused. */
  readonly imports: ImportOptions;
}

export interface RuntimeRequest {
  /** Stands in where nobody says who is calling. */
  readonly agent?: string;
  /** The caller of a run that is gone on with. Who it is stays; its rights are looked up again. */
  readonly caller?: Principal | undefined;
  /**
   * `default` writes where every command looks, `configured` only where the configuration says so, and `memory` is
   * for what makes no calls that anybody would look for.
   */
  readonly ledger: "default" | "configured" | "memory";
  /** Set where a running command reads its configuration again: nothing is asked, and what was not accepted is reported. */
  readonly reload?: ConfigurationReload;
  /** For commands that start no server: launches that were not accepted are no reason to stop. */
  readonly startsNothing?: true;
  /** Decides what may run. Unless set: one for this command. */
  readonly trust?: Trust;
  /** Throws where the configuration gives tools other access than this process may have. */
  readonly checkAccess?: (access: MachineAccess) => void;
  /** Whether a person at this terminal is asked for approval; yes unless it has another use. */
  readonly asks?: boolean;
}

/** A runtime, and with it whatever the configuration opened for it. */
export interface OpenedRuntime extends AsyncDisposable {
  readonly haft: Haft;
  /** Where calls are written down, as it was chosen. */
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
      // A store that the configuration made is nobody else's to end, and would keep the process alive.
      if (typeof ledger === "object") await ledger.end?.();
    },
  };
};

const ignoreUnaccepted: LaunchGateMode = { report: () => {} };

/** What the command line and the user's configuration want of a runtime. Approvals are asked at the terminal. */
export const resolveRuntimeOptions = async (
  flags: RuntimeFlags,
  terminal: Terminal,
  request: RuntimeRequest,
): Promise<HaftOptions> => {
  const { reload } = request;
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
  // A file does not say who is calling; its name stands in only where nobody else does.
  agent,
  ...caller,
  ...(caller === undefined ? configured : withoutIdentity(configured)),
  ...definedIdentity({ agent: flags.as, session: flags.session, user: flags.user, tenant: flags.tenant }),
  ...(flags.role === undefined ? {} : { roles: flags.role }),
  allow: flags.allow ?? configured?.allow ?? caller?.allow ?? ["*"],
});

/** Whose rights a caller has by now: its own where the configuration names it, or serves it by a token. */
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

/** Who goes on with a call is its caller to the letter: one that has no session is not of the configuration's. */
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

/** What must be the same for a run to be gone on with, as far as it is known. */
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
  await requireKnownLedger({ place: chosen, given: flags, access: "make", trust, terminal });
  if (needsLedgerKey(chosen) && !terminal.env.HAFT_LEDGER_KEY) {
    terminal.error(`${painter(terminal).dim(`${ledgerKeyNote} A run that waits cannot be gone on with.`)}\n`);
  }
  return chosen;
};

/**
 * Nobody at the terminal means nobody to ask: what needs a person waits where the ledger keeps the question, and is
 * refused where it does not.
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
    // Who leaves with Ctrl-D has said neither yes nor no.
    if (canWait && (answer === undefined || /^l(ater)?$/i.test(word))) return undefined;
    return /^y(es)?$/i.test(word) ? { kind: "allow" } : { kind: "deny", reason: "refused at the terminal" };
  };
};

/** Tokens stay in a folder that only the user can read; a person at this terminal is shown where to sign in. */
const withMcpSignIn = (options: McpOptions, terminal: Terminal): McpOptions => {
  const home = terminal.env.HOME ?? terminal.env.USERPROFILE;
  const { yellow } = painter(terminal);
  return {
    ...(home === undefined ? {} : { tokens: fileMcpTokens(join(home, ".haft", "mcp-tokens")) }),
    ...(terminal.isInteractive
      ? {
          onSignIn: async ({ id }, url) => {
            terminal.error(
              `${yellow("?")} Sign in for the server ${plainText(id)}: ${plainText(url.href)}\n`,
            );
            const { openInBrowser } = await import("../mcp/client/auth/sign-in/open-in-browser.ts");
            // Who has no browser here opens it elsewhere.
            await openInBrowser(url).catch(() => {});
          },
        }
      : {}),
    ...options,
  };
};
