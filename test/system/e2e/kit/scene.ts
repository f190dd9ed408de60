import { randomBytes } from "node:crypto";
import { fleet } from "../../../../src/fleet/fleet.ts";
import { openQueue } from "../../../../src/fleet/open-queue.ts";
import { openWorker } from "../../../../src/fleet/open-worker.ts";
import { readFleetOverview } from "../../../../src/fleet/read-fleet-overview.ts";
import { Haft } from "../../../../src/runtime/haft.ts";
import type { HaftOptions } from "../../../../src/runtime/haft-options.ts";
import { openHttpHost } from "../../../../src/server/http/http-host.ts";
import { mountStudio } from "../../../../src/server/http/mount-studio.ts";
import { createSignInSessions } from "../../../../src/server/studio-api/sign-in-sessions.ts";
import { type Studio, studioWithSessions } from "../../../../src/server/studio-api/studio.ts";
import type { StudioOptions } from "../../../../src/server/studio-api/studio-options.ts";
import type { Principal } from "../../../../src/types/principal.ts";
import { experimentFolder } from "./experiment.ts";
import { type Gates, gates as newGates } from "./gates.ts";
import { shopAgents } from "./shop-agents.ts";
import { type Shop, shopPolicy, shopTools, shopWorkspace } from "./shop-tools.ts";
import { weather } from "./weather.ts";

export interface SceneOptions {
  /** `sqlite:…` or `postgres://…`. */
  readonly ledger: string;
  /** For the lock, the tools of the MCP server and experiment results. */
  readonly folder: string;
  /** Output folder of `buildPage`. */
  readonly assets: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Default: gates that only `gates.open` opens. */
  readonly gates?: Gates;
  /** Whether a worker over the same database takes submitted runs. Default: none. */
  readonly hasFleet?: boolean;
  /** Scopes of every visitor without a link, such as `studio:read`. Default: none. */
  readonly roles?: readonly string[];
}

/** The default caller, one of another tenant, and one with few permissions. */
export const clerk: Principal = { agent: "clerk", user: "ada", session: "s-1", allow: ["*", "**"] };
export const night: Principal = { agent: "night", tenant: "north", session: "s-2", allow: ["*", "**"] };
export const guest: Principal = { agent: "guest", allow: ["find_*", "pay_*", "shop/*"] };

/** Runtime of an empty shop with the Studio on loopback, as `haft studio` opens it. */
export const openScene = async (options: SceneOptions) => {
  const { ledger, folder, assets, gates = newGates(), hasFleet = false, roles } = options;
  // With a key PostgreSQL keeps conversations; a SQLite ledger has its own key.
  if (ledger.startsWith("postgres")) process.env.HAFT_LEDGER_KEY ??= randomBytes(32).toString("base64");
  const shop: Shop = { refunds: [], mails: [], price: 12 };
  const { desk, agents } = shopAgents(gates);
  const server = weather(folder);
  const haft = (await Haft.open({
    tools: shopTools(shop, gates),
    project: shopWorkspace(),
    policy: shopPolicy,
    principal: clerk,
    ledger,
    mcp: server.mcp,
    approver: () => undefined,
    config: { hydration: { repair: "deterministic" }, ledger: { keepPayloads: true } },
    ...(hasFleet ? { fleet: fleet() } : {}),
  } as HaftOptions)) as unknown as Haft;
  const worker = hasFleet ? await openWorker(haft, { agents: [desk], sweepMs: 200 }) : undefined;
  const queue = hasFleet ? await openQueue({ url: ledger }) : undefined;
  const shown: StudioOptions = {
    agents,
    principals: [night, guest],
    experiments: [experimentFolder(folder)],
    assets,
    // Visitors who signed in by a link have a cookie.
    ...(roles === undefined
      ? {}
      : { principal: ({ headers }: Request) => (headers.has("cookie") ? undefined : { ...clerk, roles }) }),
    ...(queue === undefined ? {} : { fleet: () => readFleetOverview(queue) }),
  };
  const errors: unknown[] = [];
  let known = createSignInSessions(Date.now);
  let page: Studio;
  let close: () => Promise<void>;
  let port = options.port ?? 0;
  const start = async (): Promise<void> => {
    page = studioWithSessions(haft, { ...shown, onError: (error) => errors.push(error) }, known);
    const host = await openHttpHost({
      mcp: nothingServed,
      port,
      auth: { kind: "none", principal: clerk },
      drainMs: 50,
      ...mountStudio(page, "", "none"),
    });
    port = host.port;
    close = async () => {
      await page.close();
      await host.close();
    };
  };
  await start();
  const origin = `http://127.0.0.1:${port}`;
  return {
    haft,
    desk,
    shop,
    gates,
    origin,
    ledger,
    /** Errors that were not sent to the page. */
    errors,
    changeServer: server.change,
    /** One-time sign-in URL. */
    link: (name: string): string => `${origin}${page.link(name)}`,
    /** Stops the server. */
    stop: () => close(),
    /** Starts the same server again on the same port. */
    start,
    /** Starts a new server on the same port, without sessions. */
    startAnew: async (): Promise<void> => {
      known = createSignInSessions(Date.now);
      await start();
    },
    close: async (): Promise<void> => {
      await close();
      await worker?.[Symbol.asyncDispose]();
      await queue?.close();
      await haft.close();
    },
  };
};

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Tools are served by `haft serve`, not here. */
const nothingServed = {
  fetch: async () => new Response("The Studio serves no tools.\n", { status: 404 }),
  close: async () => {},
};
