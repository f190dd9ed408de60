import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import pg from "pg";
import { Agent, fetch as undiciFetch } from "undici";
import { start } from "../cli/start.ts";
import { type PostgresTestServer, sharedTestServer } from "../kit/postgres-test-server.ts";
import { type TcpBalancer, tcpBalancer } from "../kit/tcp-balancer.ts";

/** Counts the effects of calls, and holds some of them. */
export interface Witness {
  readonly url: string;
  readonly effects: readonly string[];
  /** The process in which a held call runs, once it has started. */
  readonly begun: (id: string) => Promise<number>;
  readonly release: (id: string) => void;
}

export interface GatewayProcess {
  readonly pid: number;
  readonly port: number;
  readonly kill: () => void;
  readonly errors: () => string;
}

export interface GatewaysScene extends AsyncDisposable {
  readonly gateways: readonly GatewayProcess[];
  /** Kills a gateway with SIGKILL; `comeBack` starts another one in its place. */
  readonly kill: (pid: number) => { readonly comeBack: () => Promise<void> };
  /** Number of responses whose headers arrived at clients. */
  readonly answers: () => number;
  readonly balancer: TcpBalancer;
  readonly witness: Witness;
  readonly postgres: PostgresTestServer;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a statement with the database but without the key. */
  readonly sql: (statement: string) => Promise<void>;
  /** The next connections start with this gateway and go round-robin. */
  readonly connect: (client: Client, first?: number) => Promise<Client>;
}

const startWitness = async () => {
  const effects: string[] = [];
  const held = new Map<string, ServerResponse>();
  const begun = new Map<string, PromiseWithResolvers<number>>();
  const beginning = (id: string): PromiseWithResolvers<number> => {
    const one = begun.get(id) ?? Promise.withResolvers<number>();
    begun.set(id, one);
    return one;
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const id = pathname.slice(1);
    effects.push(id);
    if (!id.startsWith("held-")) return void response.end(`done ${id}`);
    held.set(id, response);
    beginning(id).resolve(Number(searchParams.get("by")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const witness: Witness = {
    url: `http://127.0.0.1:${port}`,
    effects,
    begun: (id) => beginning(`held-${id}`).promise,
    release: (id) => void held.get(`held-${id}`)?.end(`done ${id}`),
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
  words: readonly string[],
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
      ...words,
    ],
    { env, cwd: folder },
  );
  let [out, error] = ["", ""];
  child.stderr.on("data", (chunk) => {
    error += chunk;
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const line = out.split("\n").find((each) => each.includes('"event":"serving"'));
      if (line !== undefined && out.includes("\n")) resolve(Number(new URL(JSON.parse(line).url).port));
    });
    void ended.then((how) => reject(new Error(`haft serve ended: ${how.error}`)));
  });
  return { pid: child.pid!, port, kill: () => void child.kill("SIGKILL"), errors: () => error };
};

/** Three gateways over one PostgreSQL ledger behind one address. */
export const openGateways = async (words: readonly string[] = []): Promise<GatewaysScene> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-gateways-"));
  const postgres = await sharedTestServer();
  const { witness, stop } = await startWitness();
  const database = `${postgres.prefix}_gateways`;
  const url = await postgres.createDatabase(database);
  writeFileSync(
    join(folder, "haft.json"),
    JSON.stringify({ ledger: url, principal: { agent: "desk", allow: ["*"] } }),
  );
  const env = {
    HAFT_LEDGER_KEY: randomBytes(32).toString("base64"),
    WITNESS: witness.url,
    HOME: folder,
  };
  const balancer = await tcpBalancer();
  const named = ["--allow-host", `127.0.0.1:${balancer.port}`, ...words];
  const gateways = await Promise.all([0, 1, 2].map(() => startGateway(folder, env, named)));
  const spread = (): void => balancer.spread(gateways.map(({ port }) => port));
  spread();
  let answers = 0;
  const fetchOnce = async (at: string, init: object) => {
    const response = await undiciFetch(at, { ...init, dispatcher });
    answers += 1;
    return response;
  };
  // Each request is a connection of its own, so that requests go to different gateways.
  const dispatcher = new Agent({ pipelining: 0 });
  return {
    gateways,
    kill: (pid) => {
      const at = gateways.findIndex((gateway) => gateway.pid === pid);
      gateways[at]!.kill();
      const comeBack = async (): Promise<void> => {
        gateways[at] = await startGateway(folder, env, named);
        spread();
      };
      return { comeBack };
    },
    answers: () => answers,
    balancer,
    witness,
    postgres,
    url,
    sql: async (statement) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(statement).finally(() => client.end());
    },
    env: { ...env, CONFIG: join(folder, "haft.json") },
    connect: async (client, first = 0) => {
      balancer.turnTo(gateways[first]!.port);
      const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${balancer.port}/mcp`), {
        fetch: fetchOnce as never,
      });
      await client.connect(transport);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { kill } of gateways) kill();
      await balancer[Symbol.asyncDispose]();
      await dispatcher.destroy();
      await stop();
      await postgres.query(`DROP DATABASE ${database} WITH (FORCE)`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
