import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { start } from "../cli/start.ts";
import { sharedTestServer } from "../kit/postgres-test-server.ts";

/** Counts the effects of calls, and holds some of them. */
export interface Witness {
  readonly url: string;
  readonly effects: readonly string[];
  /** Resolves once a held call has started. */
  readonly begun: (id: string) => Promise<void>;
}

interface GatewayProcess {
  readonly port: number;
  /** Ends it with SIGKILL. */
  readonly kill: () => void;
}

const callerNames = ["desk", "legacy", "modern", "other-legacy", "other-modern"] as const;
export type CallerName = (typeof callerNames)[number];

const tokenOf = (caller: CallerName): string => `token-of-the-caller-${caller}`;

/** Where the balancer sends the requests of a client. */
export interface Route {
  readonly moveTo: (gateway: number) => void;
}

export interface GatewaysScene extends AsyncDisposable {
  readonly count: number;
  /** Kills a gateway, and returns a function that starts a replacement. */
  readonly kill: (gateway: number) => () => Promise<void>;
  readonly witness: Witness;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Sends every request of the client to this gateway, as a balancer with sticky sessions does. */
  readonly connect: (client: Client, gateway: number, caller?: CallerName) => Promise<Route>;
}

const startWitness = async () => {
  const effects: string[] = [];
  const begun = new Map<string, PromiseWithResolvers<void>>();
  const beginning = (id: string): PromiseWithResolvers<void> => {
    const one = begun.get(id) ?? Promise.withResolvers<void>();
    begun.set(id, one);
    return one;
  };
  const server = createServer((request, response) => {
    const id = (request.url ?? "").slice(1);
    effects.push(id);
    if (id.startsWith("held-")) beginning(id).resolve();
    else response.end(`done ${id}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const witness: Witness = {
    url: `http://127.0.0.1:${port}`,
    effects,
    begun: (id) => beginning(`held-${id}`).promise,
  };
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { witness, stop };
};

const startGateway = async (
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<GatewayProcess> => {
  const tools = fileURLToPath(new URL("./served-tools.ts", import.meta.url));
  const config = join(folder, "haft.json");
  const { child, ended } = start(
    [
      "serve",
      "--http",
      "--approvals",
      "client",
      "--port",
      "0",
      "--json",
      "--no-reload",
      "-c",
      config,
      "-t",
      tools,
    ],
    { env, cwd: folder },
  );
  let out = "";
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const line = out.split("\n").find((each) => each.includes('"event":"serving"'));
      if (line !== undefined && out.includes("\n")) resolve(Number(new URL(JSON.parse(line).url).port));
    });
    void ended.then((how) => reject(new Error(`haft serve ended: ${how.error}`)));
  });
  return { port, kill: () => void child.kill("SIGKILL") };
};

/** Three gateways over one PostgreSQL ledger. */
export const openGateways = async (): Promise<GatewaysScene> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-gateways-"));
  const postgres = await sharedTestServer();
  const { witness, stop } = await startWitness();
  const database = `${postgres.prefix}_gateways`;
  const url = await postgres.createDatabase(database);
  writeFileSync(
    join(folder, "haft.json"),
    JSON.stringify({
      ledger: url,
      serve: {
        auth: {
          tokens: callerNames.map((agent) => ({
            token: tokenOf(agent),
            principal: { agent, allow: ["*"] },
          })),
        },
      },
    }),
  );
  const env = {
    HAFT_LEDGER_KEY: randomBytes(32).toString("base64"),
    WITNESS: witness.url,
    HOME: folder,
  };
  const gateways = await Promise.all([0, 1, 2].map(() => startGateway(folder, env)));
  return {
    count: gateways.length,
    kill: (gateway) => {
      gateways[gateway]!.kill();
      return async () => {
        gateways[gateway] = await startGateway(folder, env);
      };
    },
    witness,
    url,
    env: { ...env, CONFIG: join(folder, "haft.json") },
    connect: async (client, gateway, caller = "desk") => {
      let port = gateways[gateway]!.port;
      const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
        requestInit: { headers: { authorization: `Bearer ${tokenOf(caller)}` } },
        fetch: (at, init) => {
          const target = new URL(at);
          target.port = String(port);
          return fetch(target, init);
        },
      });
      await client.connect(transport);
      return {
        moveTo: (other) => {
          port = gateways[other]!.port;
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const { kill } of gateways) kill();
      await stop();
      await postgres.query(`DROP DATABASE ${database} WITH (FORCE)`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
