import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { PostgresVersion } from "./postgres-programs.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

/**
 * A server that has just started is not trusted about missing owners (`src/ledger/postgres/owner-locks.ts`).
 */
const waitUntilTrustedSql =
  "SELECT pg_sleep(greatest(0, 2.1 - extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())))";

const startSharedServer = async (version: PostgresVersion): Promise<PostgresServer> => {
  const server = await startPostgres(["max_connections=400"], version);
  await server.query(waitUntilTrustedSql);
  return server;
};

/** One PostgreSQL per version for all files of a run, started at its first use. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const started = new Map<PostgresVersion, Promise<PostgresServer>>();
  const ask = (version: PostgresVersion): Promise<PostgresServer> => {
    const server = started.get(version) ?? startSharedServer(version);
    started.set(version, server);
    return server;
  };
  const lookupServer = createServer((request, response) => {
    ask(request.url === "/14" ? 14 : 18).then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => lookupServer.listen(0, "127.0.0.1", resolve));
  project.provide("sharedPostgres", `http://127.0.0.1:${(lookupServer.address() as AddressInfo).port}`);
  return async () => {
    lookupServer.close();
    await Promise.allSettled([...started.values()].map(async (server) => (await server).stop()));
  };
};
