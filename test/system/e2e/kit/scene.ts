import { randomBytes } from "node:crypto";
import { fleet } from "../../../../src/fleet/fleet.ts";
import { openQueue } from "../../../../src/fleet/open-queue.ts";
import { openWorker } from "../../../../src/fleet/open-worker.ts";
import { readFleetOverview } from "../../../../src/fleet/read-fleet-overview.ts";
import { Haft } from "../../../../src/runtime/haft.ts";
import type { HaftOptions } from "../../../../src/runtime/haft-options.ts";
import { openHttpHost } from "../../../../src/server/http/http-host.ts";
import { mountStudio } from "../../../../src/server/http/mount-studio.ts";
import { createSignInSessions } from "../../../../src/server/studio-api/sign-in/sign-in-sessions.ts";
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
  /** For the lock, the tools of the MCP server and results of experiments. */
  readonly folder: string;
  /** Where `buildPage` put the page. */
  readonly assets: string;
  /** Unless set: any free one. */
  readonly port?: number;
  /** Unless set: those that only `gates.open` opens. */
  readonly gates?: Gates;
  /** A worker over the same database, and runs given to it. Unless set: none. */
  readonly hasFleet?: boolean;
  /** What whoever comes may do without a link, such as `studio:read`. Unless set: nothing. */
  readonly roles?: readonly string[];
}

/** The runtime's own caller, one of another tenant, and one who may do little. */
export const clerk: Principal = { agent: "clerk", user: "ada", session: "s-1", allow: ["*", "**"] };
export const night: Principal = { agent: "night", tenant: "north", session: "s-2", allow: ["*", "**"] };
export const guest: Principal = { agent: "guest", allow: ["find_*", "pay_*", "shop/*"] };

/** A shop's runtime with the Studio over it on loopback, as `haft studio` opens it. Nothing has happened in it yet. */
export const openScene = async (options: SceneOptions) => {
  const { ledger, folder, assets, gates = newGates(), hasFleet = false, roles } = options;
  // With a key PostgreSQL keeps what was said; a ledger in a file has a key of its own.
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
    // Whoever has signed in by a link has a cookie.
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
    /** What the page was not told. */
    errors,
    changeServer: server.change,
    /** The address that signs somebody in, once. */
    link: (name: string): string => `${origin}${page.link(name)}`,
    /** Nobody answers any more. */
    stop: () => close(),
    /** The same server again, on the same port. */
    start,
    /** Another process on the same port: nobody is signed in there. */
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
