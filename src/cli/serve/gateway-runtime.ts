import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { hashText } from "../../base/json/canonical-json.ts";
import { refusePolicyErrors } from "../../policy/check/find-policy-errors.ts";
import { readConfig } from "../../runtime/config.ts";
import { readConfigFile } from "../../runtime/configuration.ts";
import type { Haft } from "../../runtime/haft.ts";
import { secretRevealer } from "../../runtime/secret-revealer.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { type GatewayBackend, swappableBackend } from "../../server/gateway/gateway-backend.ts";
import type { GatewayOptions } from "../../server/gateway/gateway-state.ts";
import { openRuntimeBackend } from "../../server/gateway/runtime-backend.ts";
import type { ServeOptions } from "../../server/gateway/serve-options.ts";
import { createHealthCheck } from "../../server/http/health.ts";
import type { HostHealth } from "../../server/http/host-options.ts";
import type { MaybeSecret, McpServerState } from "../../types/mcp.ts";
import type { Principal } from "../../types/principal.ts";
import type { Terminal } from "../command.ts";
import {
  type OpenedRuntime,
  openRuntimeWith,
  type RuntimeFlags,
  type RuntimeRequest,
  resolveRuntimeOptions,
} from "../open-runtime.ts";
import { printPendingCall } from "../print-reply.ts";
import { configurationFile, readConfiguration } from "../read-configuration.ts";
import { painter, plainText } from "../screen.ts";
import type { Launch } from "../trust/launch.ts";
import { createTrust, type Trust } from "../trust/trust.ts";
import { packageVersion } from "../version.ts";
import { type ClientState, createClientState } from "./client-state.ts";
import { changedAccess, type MachineAccess } from "./machine-access.ts";
import type { ServeSummary } from "./serve-printer.ts";
import { watchConfiguration } from "./watch-configuration.ts";

export interface GatewayRuntime extends AsyncDisposable {
  readonly served: GatewayBackend;
  readonly options: ServeOptions;
  readonly front: GatewayOptions;
  readonly principal: Principal;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  /**
   * Called before a reload takes effect, and at once if one has happened. Returns notes about changes that
   * need a restart. If it throws, the old configuration stays.
   */
  readonly beforeSwap: (ask: BeforeSwapListener) => Promise<void>;
  readonly states: () => readonly McpServerState[];
  readonly haft: () => Haft;
  readonly ready: () => Promise<void>;
  readonly summary: () => ServeSummary;
  readonly health: () => Promise<HostHealth>;
}

export type NextGatewayRuntime = Pick<GatewayRuntime, "options" | "principal" | "reveal">;

type BeforeSwapListener = (next: NextGatewayRuntime) => Promise<readonly string[]>;

export interface ServeFlags extends RuntimeFlags {
  readonly approvals?: string;
  readonly search?: boolean;
  readonly "no-reload"?: boolean;
  readonly "reload-code"?: boolean;
  readonly http?: boolean;
}

interface OpenGatewayBackend {
  readonly ready: Promise<void>;
  readonly runtime: OpenedRuntime;
  readonly served: GatewayBackend;
  readonly options: ServeOptions;
}

/**
 * When the file changes, opens another runtime and swaps it in once it is ready; if that fails, the first one
 * stays.
 */
export const openGatewayRuntime = async (flags: ServeFlags, terminal: Terminal): Promise<GatewayRuntime> => {
  const { red, dim, yellow } = painter(terminal);
  const clients = createClientState(flags.http === true);
  const stop = new AbortController();
  const trust = createTrust(flags, terminal);
  const module = moduleDigest(flags.config);
  const mayImport = flags["reload-code"] === true;
  let access: MachineAccess | undefined;
  const checkAccess = (next: MachineAccess): void => {
    const changed = access === undefined || mayImport ? [] : changedAccess(access, next);
    if (changed.length > 0) throw new Error(accessChangedMessage(changed));
    access ??= next;
  };
  let current = await openGatewayBackend(flags, terminal, clients, { trust, checkAccess }, stop.signal);
  const { state, warning } = await clients.shared();
  if (warning !== undefined) terminal.error(`${yellow("!")} ${plainText(warning)}\n`);
  const principal = current.runtime.haft.principal as Principal;
  const live = swappableBackend(current.served, principal);
  const closingRuntimes = new Set<Promise<void>>();
  const first = current.options;
  let beforeSwapListener: BeforeSwapListener | undefined;
  let latest: NextGatewayRuntime | undefined;
  let differences: readonly string[] = [];
  const reportDifferences = (sentences: readonly string[]): void => {
    differences = sentences;
    for (const sentence of sentences) terminal.error(`${yellow("!")} ${sentence}\n`);
  };
  let refused: readonly Launch[] = [];
  const report = (launches: readonly Launch[]): void => {
    const known = new Set(refused.map(({ hash }) => hash));
    refused = launches;
    for (const launch of launches.filter(({ hash }) => !known.has(hash)))
      terminal.error(
        `${yellow("!")} Not started, because this user has not accepted its launch command: ${launch.what}: ${launch.summary}\n  ${trust.acceptCommand(launch)}\n`,
      );
  };
  const replace = async (version: string): Promise<void> => {
    try {
      // A client that can write the file must not be able to run code in this process.
      if (!mayImport && moduleDigest(flags.config) !== module)
        throw new Error(`${configurationFile(flags.config)} has changed. ${restartHint}`);
      if (!mayImport && module !== undefined && typeof current.runtime.ledger === "object")
        throw new Error(`${configurationFile(flags.config)} creates its own ledger. ${restartHint}`);
      const reload = { trust, report, imports: mayImport ? { version } : { onlyKnown: true } };
      const next = await openGatewayBackend(flags, terminal, clients, { reload, checkAccess }, stop.signal);
      await next.ready;
      await closeOnError(next.runtime, async () =>
        refusePolicyErrors(next.runtime.haft.checkPolicy().filter(({ severity }) => severity === "error")),
      );
      if (stop.signal.aborted) return await next.runtime[Symbol.asyncDispose]();
      latest = { options: next.options, principal, reveal: secretRevealerOf(next) };
      const later = await beforeSwapListener?.(latest).catch(async (error) => {
        await next.runtime[Symbol.asyncDispose]();
        throw error;
      });
      const before = current;
      current = next;
      live.swap(next.served, next.runtime.haft.principal as Principal);
      terminal.error(`${dim("The configuration was read again.")}\n`);
      reportDifferences([...changesNeedingRestart(first, next.options, flags), ...(later ?? [])]);
      const left = Promise.resolve(before.runtime[Symbol.asyncDispose]()).finally(() => {
        live.release(before.served);
        closingRuntimes.delete(left);
      });
      closingRuntimes.add(left);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const sentence = plainText(why).replace(/[.\s]*$/, ".");
      terminal.error(`${red("haft:")} ${sentence} The previous configuration stays active.\n`);
      differences = [configurationNotUsedNote];
    }
  };
  const unwatch =
    flags["no-reload"] === true
      ? async () => {}
      : watchConfiguration(flags.config, trust.store.file, replace);

  const states = () => current.runtime.haft.mcp.list();
  return {
    served: live.served,
    options: current.options,
    front: {
      ...(current.options.tasks === undefined ? {} : { tasks: current.options.tasks }),
      approvals: (flags.approvals as GatewayOptions["approvals"]) ?? current.options.approvals ?? "elsewhere",
    },
    principal,
    reveal: secretRevealerOf(current),
    beforeSwap: async (ask) => {
      beforeSwapListener = ask;
      if (latest !== undefined) reportDifferences([...differences, ...(await ask(latest))]);
    },
    states,
    haft: () => current.runtime.haft,
    ready: () => current.ready,
    summary: () => ({
      tools: live.served.tools(principal).length,
      ...listedToolCount(live.served, principal),
      servers: states().map(({ id, status, reason }) => ({
        id,
        status,
        ...(reason === undefined ? {} : { reason }),
      })),
      held: states().reduce((sum, { quarantined }) => sum + quarantined.length, 0),
    }),
    health: withDifferences(
      createHealthCheck(() => current.runtime.haft),
      () => differences,
    ),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await unwatch();
      await Promise.all([current.runtime[Symbol.asyncDispose](), ...closingRuntimes]);
      await state?.close();
    },
  };
};

const restartHint = "Code is imported when haft serve starts: restart it, or use --reload-code";

/** A client that can write the configuration must not grant itself files, addresses or secrets of this user. */
const accessChangedMessage = (names: readonly string[]): string =>
  `${names.map((name) => JSON.stringify(name)).join(" and ")} ${names.length === 1 ? "has" : "have"} changed. This setting is read when haft serve starts: restart it, or use --reload-code`;

const moduleDigest = (file: string | undefined): string | undefined => {
  const found = configurationFile(file);
  return found === undefined || found.endsWith(".json") ? undefined : hashText(readFileSync(found, "utf8"));
};

/** The cause may contain a secret of the file, so only standard error shows it. */
const configurationNotUsedNote =
  "The configuration has changed and is invalid, so the previous one stays active. See standard error of haft serve, and correct the configuration or restart.";

const changesNeedingRestart = (
  first: ServeOptions,
  next: ServeOptions,
  { approvals }: ServeFlags,
): readonly string[] =>
  (["approvals", "tasks"] as const)
    .filter((name) => first[name] !== next[name] && (name !== "approvals" || approvals === undefined))
    .map((name) => `"serve.${name}" has changed. Restart haft serve to apply it.`);

const withDifferences =
  (health: () => Promise<HostHealth>, differences: () => readonly string[]) =>
  async (): Promise<HostHealth> => {
    const found = await health();
    const own = differences().map((message) => ({ part: "configuration", message }));
    if (own.length === 0) return found;
    const status = found.status === "ok" ? "degraded" : found.status;
    return { ...found, status, problems: [...own, ...(found.problems ?? [])] };
  };

const listedToolCount = ({ search }: GatewayBackend, principal: Principal): Pick<ServeSummary, "listed"> =>
  search === undefined ? {} : { listed: search.shown(principal, { loaded: undefined }).length };

const secretRevealerOf = ({ runtime }: OpenGatewayBackend): GatewayRuntime["reveal"] =>
  secretRevealer(sharedRuntimes.get(runtime.haft)!.credentials);

const waitForServers = async ({ mcp }: Haft, waitMs: number, signal: AbortSignal): Promise<void> => {
  const until = Date.now() + waitMs;
  const isWaiting = (): boolean =>
    !signal.aborted && Date.now() < until && mcp.list().some(({ status }) => status === "connecting");
  while (isWaiting()) await sleep(25, undefined, { signal }).catch(() => {});
};

const openGatewayBackend = async (
  flags: ServeFlags,
  terminal: Terminal,
  clients: ClientState,
  how: Pick<RuntimeRequest, "trust" | "reload" | "checkAccess">,
  signal: AbortSignal,
): Promise<OpenGatewayBackend> => {
  const trust = (how.reload ?? how).trust as Trust;
  const { serve = {} } = await readConfiguration(flags.config, trust, how.reload?.imports);
  const options = await resolveRuntimeOptions(flags, terminal, {
    agent: "mcp",
    ledger: "default",
    asks: false,
    ...how,
  });
  // The terminal carries the protocol, or its user did not ask.
  const runtime = await openRuntimeWith({
    ...options,
    approver: options.approver ?? (() => undefined),
    mcp: { ...options.mcp, waitMs: 0 },
  });
  // The model of the client learns neither the id nor the command.
  runtime.haft.on("tools.pending", ({ approval }) => printPendingCall(approval, flags, terminal));
  const info = {
    name: serve.name ?? "haft",
    version: packageVersion(),
    ...(serve.title === undefined ? {} : { title: serve.title }),
  };
  const { instructions, taint } = serve;
  const search = flags.search === true ? serve.search || true : serve.search;
  const served = await closeOnError(runtime, async () =>
    openRuntimeBackend(runtime.haft, {
      info,
      ...(await clients.over(runtime.haft)),
      ...(instructions === undefined ? {} : { instructions }),
      ...(taint === undefined ? {} : { taint }),
      ...(search === undefined ? {} : { search }),
    }),
  );
  const { config } = options;
  const { mcp } = typeof config === "string" ? readConfigFile(config) : readConfig(config);
  let isReady = false;
  const ready = waitForServers(runtime.haft, options.mcp?.waitMs ?? mcp.connectionTimeoutMs, signal).then(
    () => {
      isReady = true;
    },
  );
  const waited: GatewayBackend = { ...served, ready: () => (isReady ? undefined : ready) };
  return { runtime, served: waited, options: serve, ready };
};

const closeOnError = async <A>(runtime: OpenedRuntime, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    await runtime[Symbol.asyncDispose]();
    throw error;
  }
};
