import { setTimeout as sleep } from "node:timers/promises";
import type { FrontOptions } from "../../gateway/gateway-state.ts";
import { liveServed } from "../../gateway/live-served.ts";
import type { ServeOptions } from "../../gateway/serve-options.ts";
import type { Served } from "../../gateway/served.ts";
import { servedBy } from "../../gateway/served-by.ts";
import { readConfig } from "../../runtime/config.ts";
import { readConfigFile } from "../../runtime/configuration.ts";
import type { Haft } from "../../runtime/haft.ts";
import { revealer } from "../../runtime/revealer.ts";
import { sharedBy } from "../../runtime/shared.ts";
import type { HostHealth } from "../../server/host-options.ts";
import { runtimeHealth } from "../../server/runtime-health.ts";
import type { MaybeSecret, McpServerState } from "../../words/mcp.ts";
import type { Principal } from "../../words/principal.ts";
import type { Terminal } from "../command.ts";
import { type GivenRuntime, type OpenedRuntime, openWith, runtimeOptionsOf } from "../open-runtime.ts";
import { readConfiguration } from "../read-configuration.ts";
import { painter, plain } from "../screen.ts";
import { packageVersion } from "../version.ts";
import { type KnownClients, knownClients } from "./known-clients.ts";
import type { ServedSummary } from "./tell-served.ts";
import { watchConfiguration } from "./watch-configuration.ts";

/** What is served, whichever runtime is behind it at the moment. */
export interface Serving extends AsyncDisposable {
  readonly served: Served;
  readonly options: ServeOptions;
  readonly front: FrontOptions;
  /** As whom clients call that need not say who they are. */
  readonly principal: Principal;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  /**
   * Asked before another configuration takes over, and at once if one already did. It answers with what takes a new
   * start, in sentences; what it throws keeps the configuration before.
   */
  readonly beforeSwap: (ask: AskBeforeSwap) => Promise<void>;
  readonly states: () => readonly McpServerState[];
  /** The runtime that serves at the moment. */
  readonly haft: () => Haft;
  /** All servers have been tried, or have had the time that the configuration gives them for it. */
  readonly ready: () => Promise<void>;
  readonly summary: () => ServedSummary;
  readonly health: () => Promise<HostHealth>;
}

/** What of a configuration concerns who may call. */
export type NextServing = Pick<Serving, "options" | "principal" | "reveal">;

type AskBeforeSwap = (next: NextServing) => Promise<readonly string[]>;

export interface GivenServing extends GivenRuntime {
  readonly approvals?: string;
  readonly search?: boolean;
  readonly "no-reload"?: boolean;
  readonly http?: boolean;
}

interface ServedRuntime {
  readonly ready: Promise<void>;
  readonly runtime: OpenedRuntime;
  readonly served: Served;
  readonly options: ServeOptions;
}

/**
 * Opens what the configuration wants. When the file changes, another runtime is opened beside the first and takes its
 * place once it is ready; one that does not open changes nothing.
 */
export const openServing = async (given: GivenServing, terminal: Terminal): Promise<Serving> => {
  const { red, dim, yellow } = painter(terminal);
  // What clients have heard, and what they were told waits, is not forgotten when another runtime takes over.
  const clients = knownClients(given.http === true);
  const stop = new AbortController();
  let current = await open(given, terminal, clients, undefined, stop.signal);
  const { peers, warning } = await clients.found();
  if (warning !== undefined) terminal.error(`${yellow("!")} ${plain(warning)}\n`);
  const principal = current.runtime.haft.principal as Principal;
  const live = liveServed(current.served, principal);
  const leaving = new Set<Promise<void>>();
  const first = current.options;
  let asking: AskBeforeSwap | undefined;
  let latest: NextServing | undefined;
  /** In what the process differs from the file. */
  let differences: readonly string[] = [];
  const differ = (sentences: readonly string[]): void => {
    differences = sentences;
    for (const sentence of sentences) terminal.error(`${yellow("!")} ${sentence}\n`);
  };
  const replace = async (version: string): Promise<void> => {
    try {
      const next = await open(given, terminal, clients, version, stop.signal);
      await next.ready;
      if (stop.signal.aborted) return await next.runtime[Symbol.asyncDispose]();
      latest = { options: next.options, principal, reveal: revealOf(next) };
      const later = await asking?.(latest).catch(async (error) => {
        await next.runtime[Symbol.asyncDispose]();
        throw error;
      });
      const before = current;
      current = next;
      live.swap(next.served, next.runtime.haft.principal as Principal);
      terminal.error(`${dim("The configuration was read again.")}\n`);
      differ([...fixedAtStart(first, next.options, given), ...(later ?? [])]);
      const left = Promise.resolve(before.runtime[Symbol.asyncDispose]()).finally(() => {
        live.leave(before.served);
        leaving.delete(left);
      });
      leaving.add(left);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const sentence = plain(why).replace(/[.\s]*$/, ".");
      terminal.error(`${red("haft:")} ${sentence} What was served before is served on.\n`);
      differences = [notInUse];
    }
  };
  const unwatch = given["no-reload"] === true ? async () => {} : watchConfiguration(given.config, replace);

  const states = () => current.runtime.haft.mcp.list();
  return {
    served: live.served,
    options: current.options,
    front: {
      ...(current.options.tasks === undefined ? {} : { tasks: current.options.tasks }),
      peers,
      approvals: (given.approvals as FrontOptions["approvals"]) ?? current.options.approvals ?? "client",
    },
    principal,
    reveal: revealOf(current),
    beforeSwap: async (ask) => {
      asking = ask;
      if (latest !== undefined) differ([...differences, ...(await ask(latest))]);
    },
    states,
    haft: () => current.runtime.haft,
    ready: () => current.ready,
    summary: () => ({
      tools: live.served.tools(principal).length,
      ...listedTo(live.served, principal),
      servers: states().map(({ id, status, reason }) => ({
        id,
        status,
        ...(reason === undefined ? {} : { reason }),
      })),
      held: states().reduce((sum, { quarantined }) => sum + quarantined.length, 0),
    }),
    health: withDifferences(
      runtimeHealth(() => current.runtime.haft),
      () => differences,
    ),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await unwatch();
      await Promise.all([current.runtime[Symbol.asyncDispose](), ...leaving]);
      await peers?.close();
    },
  };
};

/** The cause may hold a secret of the file, so it is on standard error and not told to whoever asks. */
const notInUse =
  "The configuration has changed and cannot be used, so what was served before is served on. Standard error of haft serve says why; put it right, or start again.";

/** What of the configuration clients were told when they came. */
const fixedAtStart = (
  first: ServeOptions,
  next: ServeOptions,
  { approvals }: GivenServing,
): readonly string[] =>
  (["approvals", "tasks"] as const)
    .filter((name) => first[name] !== next[name] && (name !== "approvals" || approvals === undefined))
    .map((name) => `"serve.${name}" has changed, which takes a new start. Until then it is as before.`);

const withDifferences =
  (health: () => Promise<HostHealth>, differences: () => readonly string[]) =>
  async (): Promise<HostHealth> => {
    const found = await health();
    const own = differences().map((message) => ({ part: "configuration", message }));
    if (own.length === 0) return found;
    const status = found.status === "ok" ? "degraded" : found.status;
    return { ...found, status, problems: [...own, ...(found.problems ?? [])] };
  };

const listedTo = ({ search }: Served, principal: Principal): Pick<ServedSummary, "listed"> =>
  search === undefined ? {} : { listed: search.shown(principal, { loaded: undefined }).length };

const revealOf = ({ runtime }: ServedRuntime): Serving["reveal"] =>
  revealer(sharedBy.get(runtime.haft)!.credentials);

/** Until each server has answered, or has had its time; or nobody waits any more. */
const allTried = async ({ mcp }: Haft, waitMs: number, signal: AbortSignal): Promise<void> => {
  const until = Date.now() + waitMs;
  const isWaiting = (): boolean =>
    !signal.aborted && Date.now() < until && mcp.list().some(({ status }) => status === "connecting");
  while (isWaiting()) await sleep(25, undefined, { signal }).catch(() => {});
};

const open = async (
  given: GivenServing,
  terminal: Terminal,
  clients: KnownClients,
  version: string | undefined,
  signal: AbortSignal,
): Promise<ServedRuntime> => {
  const { serve = {} } = await readConfiguration(given.config, version);
  const options = await runtimeOptionsOf(given, terminal, {
    agent: "mcp",
    ledger: "default",
    asks: false,
    version,
  });
  // The terminal is the protocol's, or an operator's who did not ask: whoever is to answer is asked elsewhere.
  const runtime = await openWith({
    ...options,
    approver: options.approver ?? (() => undefined),
    // Clients are answered at once; those that ask what there is wait for it.
    mcp: { ...options.mcp, waitMs: 0 },
  });
  const info = {
    name: serve.name ?? "haft",
    version: packageVersion(),
    ...(serve.title === undefined ? {} : { title: serve.title }),
  };
  const { instructions, taint } = serve;
  // The configuration says how it is searched, the command line only that it is.
  const search = given.search === true ? serve.search || true : serve.search;
  const served = await orClosed(runtime, async () =>
    servedBy(runtime.haft, {
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
  const ready = allTried(runtime.haft, options.mcp?.waitMs ?? mcp.connectionTimeoutMs, signal).then(() => {
    isReady = true;
  });
  const waited: Served = { ...served, ready: () => (isReady ? undefined : ready) };
  return { runtime, served: waited, options: serve, ready };
};

/** A runtime that cannot be served is not left open. */
const orClosed = async <A>(runtime: OpenedRuntime, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    await runtime[Symbol.asyncDispose]();
    throw error;
  }
};
