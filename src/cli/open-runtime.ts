import { join } from "node:path";
import type { ServeOptions } from "../gateway/serve-options.ts";
import { fileMcpTokens } from "../mcp/client/auth/token-store.ts";
import { Haft } from "../runtime/haft.ts";
import type { McpOptions } from "../runtime/mcp-options.ts";
import type { AskPerson, HaftOptions } from "../runtime/options.ts";
import type { ApprovalDecision, ApprovalRequest } from "../words/approval.ts";
import { isSameParty, type Principal } from "../words/principal.ts";
import type { AnyTool } from "../words/tool.ts";
import { builtInTools } from "./built-in-tools.ts";
import type { Option, Terminal } from "./command.ts";
import { chooseLedger, letGo } from "./ledger/choose.ts";
import { keyNote, ledgerOption, makeRoom, needsKey, refuseFolder } from "./ledger/place.ts";
import { withDocuments } from "./openapi/with-documents.ts";
import { configOption, readConfiguration, withServersFile } from "./read-configuration.ts";
import { painter, plain } from "./screen.ts";
import { settingsOf } from "./settings-of.ts";

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
export const keepingOptions = { ...runtimeOptions, ledger: ledgerOption } as const;

/** Most runtimes have their tools from a configuration; only files of tools need what reads them. */
const toolsOf = async (files: readonly string[]): Promise<readonly AnyTool[]> =>
  (await import("./load-tools.ts")).loadTools(files);

export interface GivenRuntime {
  readonly tools?: readonly string[];
  readonly config?: string;
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
  /** Another version of a configuration that was read before. */
  readonly version?: string | undefined;
  /** Whether it has the built-in tools; yes unless it calls none. */
  readonly builtIns?: boolean;
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
  given: GivenRuntime,
  terminal: Terminal,
  circumstances: RuntimeRequest,
): Promise<OpenedRuntime> => openWith(await runtimeOptionsOf(given, terminal, circumstances));

export const openWith = async (options: HaftOptions): Promise<OpenedRuntime> => {
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

/** What the command line and the user's configuration want of a runtime. Approvals are asked at the terminal. */
export const runtimeOptionsOf = async (
  given: GivenRuntime,
  terminal: Terminal,
  circumstances: RuntimeRequest,
): Promise<HaftOptions> => {
  const { serve, openapi, ...configured } = await readConfiguration(given.config, circumstances.version);
  const known = await withServersFile(configured, given.config);
  const options = await withDocuments(
    known,
    { ...configured, ...(openapi === undefined ? {} : { openapi }) },
    given.config,
  );
  const added = given.tools === undefined ? [] : await toolsOf(given.tools);
  const tools = [...(options.tools ?? []), ...added];
  const ledger = await ledgerFor(given, options, terminal, circumstances.ledger);
  const config = await settingsOf(options.config, given, terminal);
  const canWait = ledger !== undefined && ledger !== "memory";
  const approver = options.approver ?? (circumstances.asks === false ? undefined : askAt(terminal, canWait));
  return {
    ...options,
    ...(options.mcp === undefined ? {} : { mcp: withSignIn(options.mcp, terminal) }),
    ...(config === undefined ? {} : { config }),
    ...(given.model === undefined ? {} : { model: given.model }),
    ...(ledger === undefined ? {} : { ledger }),
    ...(approver === undefined ? {} : { approver }),
    tools,
    ...(circumstances.builtIns === false
      ? {}
      : { skills: builtInTools({ ...options, tools, ...(config === undefined ? {} : { config }) }) }),
    principal: principalOf(
      given,
      configuredFor(circumstances.caller, options.principal, serve),
      circumstances,
    ),
  };
};

const principalOf = (
  given: GivenRuntime,
  configured: Principal | undefined,
  { agent = "cli", caller }: RuntimeRequest,
): Principal => ({
  // A file does not say who is calling; its name stands in only where nobody else does.
  agent,
  ...caller,
  ...(caller === undefined ? configured : withoutIdentity(configured)),
  ...identityOf({ agent: given.as, session: given.session, user: given.user, tenant: given.tenant }),
  ...(given.role === undefined ? {} : { roles: given.role }),
  allow: given.allow ?? configured?.allow ?? caller?.allow ?? ["*"],
});

/** Whose rights a caller has by now: its own where the configuration names it, or serves it by a token. */
const configuredFor = (
  caller: Principal | undefined,
  own: Principal | undefined,
  serve: ServeOptions | undefined,
): Principal | undefined => {
  if (caller === undefined || isSameParty(caller, own)) return own;
  const { auth } = serve ?? {};
  const clients = auth !== undefined && "tokens" in auth ? auth.tokens : [];
  return clients.find(({ principal }) => isSameParty(caller, principal))?.principal ?? own;
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
const identityOf = ({
  agent,
  session,
  user,
  tenant,
}: Partial<Record<keyof Principal, unknown>>): Partial<Principal> =>
  Object.fromEntries(
    Object.entries({ agent, session, user, tenant }).filter(([, value]) => value !== undefined),
  );

const ledgerFor = async (
  given: GivenRuntime,
  { ledger: configured }: HaftOptions,
  terminal: Terminal,
  which: RuntimeRequest["ledger"],
): Promise<HaftOptions["ledger"] | undefined> => {
  if (which === "configured") return configured;
  const chosen = which === "memory" ? which : chooseLedger(given.ledger, configured, terminal);
  await letGo(configured, chosen);
  if (typeof chosen !== "string") return chosen;
  refuseFolder(chosen);
  await makeRoom(chosen);
  if (needsKey(chosen) && !terminal.env.HAFT_LEDGER_KEY) {
    terminal.error(`${painter(terminal).dim(`${keyNote} A run that waits cannot be gone on with.`)}\n`);
  }
  return chosen;
};

/**
 * Nobody at the terminal means nobody to ask: what needs a person waits where the ledger keeps the question, and is
 * refused where it does not.
 */
const askAt = (terminal: Terminal, canWait: boolean): AskPerson | undefined => {
  if (!terminal.isInteractive) return undefined;
  const { yellow } = painter(terminal);
  return async ({ tool, input, reason }: ApprovalRequest): Promise<ApprovalDecision | undefined> => {
    const shown = plain(JSON.stringify(input));
    const choices = canWait ? "[y/N] or l for later: " : "[y/N] ";
    const answer = await terminal.ask(
      `\n${yellow("?")} ${plain(tool)} ${shown}\n  ${plain(reason)}. Allow it? ${choices}`,
    );
    const word = answer?.trim() ?? "";
    // Who leaves with Ctrl-D has said neither yes nor no.
    if (canWait && (answer === undefined || /^l(ater)?$/i.test(word))) return undefined;
    return /^y(es)?$/i.test(word) ? { kind: "allow" } : { kind: "deny", reason: "refused at the terminal" };
  };
};

/** Tokens stay in a folder that only the user can read; a person at this terminal is shown where to sign in. */
const withSignIn = (options: McpOptions, terminal: Terminal): McpOptions => {
  const home = terminal.env.HOME ?? terminal.env.USERPROFILE;
  const { yellow } = painter(terminal);
  return {
    ...(home === undefined ? {} : { tokens: fileMcpTokens(join(home, ".haft", "mcp-tokens")) }),
    ...(terminal.isInteractive
      ? {
          onSignIn: async ({ id }, url) => {
            terminal.error(`${yellow("?")} Sign in for the server ${plain(id)}: ${plain(url.href)}\n`);
            const { openInBrowser } = await import("../mcp/client/auth/sign-in/open-in-browser.ts");
            // Who has no browser here opens it elsewhere.
            await openInBrowser(url).catch(() => {});
          },
        }
      : {}),
    ...options,
  };
};
