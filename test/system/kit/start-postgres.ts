import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../kit/wait-for.ts";
import { chooseClusterFolder, chownToServer, clusterPassword, copyCluster } from "./postgres-cluster.ts";
import { type PostgresVersion, programsOf, serverUser } from "./postgres-programs.ts";
import { type PostgresTestServer, testServerAt } from "./postgres-test-server.ts";

export interface PostgresServer extends PostgresTestServer, AsyncDisposable {
  /** Restarts the server on the same port; clients are disconnected and open transactions are lost. */
  readonly restart: () => Promise<void>;
  /** Kills the server with SIGKILL. `restart` recovers it from its log. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * Outlives its parent: when its input closes it stops the server and removes the folder, so that a crashed
 * test run leaves nothing.
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

const spawnGuard = (folder: string): (() => Promise<void>) => {
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

const waitForExit = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", () => resolve()));

/** Starts PostgreSQL on a free loopback port in a temporary folder. Takes seconds: one per test file. */
export const startPostgres = async (
  settings: readonly string[] = [],
  version: PostgresVersion = 18,
): Promise<PostgresServer> => {
  // Measurements with fsync need a disk.
  const home = settings.includes("fsync=on") ? tmpdir() : await chooseClusterFolder();
  const folder = await mkdtemp(join(home, "haft-postgres-"));
  await chmod(folder, 0o755);
  await chownToServer(folder);
  const release = spawnGuard(folder);
  try {
    return await startServer(folder, version, settings, release);
  } catch (error) {
    await release();
    throw error;
  }
};

const startServer = async (
  folder: string,
  version: PostgresVersion,
  settings: readonly string[],
  release: () => Promise<void>,
): Promise<PostgresServer> => {
  const data = join(folder, "data");
  const programs = await programsOf(version);
  await copyCluster(programs, data);
  const port = await freePort();
  // Tests kill servers but do not cut power, so fsync is off; `fsync=on` in the settings measures it.
  const given = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=32MB",
    "fsync=off",
  ];
  const set = [...given, ...settings];
  const flags = ["-D", data, "-p", String(port), ...set.flatMap((setting) => ["-c", setting])];

  let child: ChildProcess;
  const launch = (): Promise<void> =>
    waitFor(async () => {
      const server = spawn(programs.postgres, flags, {
        ...serverUser,
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
      });
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
      // Directly after a kill, old backends may still hold the shared memory.
      if (!started) throw new Error(`PostgreSQL does not start:\n${log}`);
    });
  await launch();

  const kill = async (): Promise<void> => {
    const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await waitForExit(child);
  };
  const stop = async (): Promise<void> => {
    await release();
    await waitForExit(child);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    ...testServerAt(`postgres://postgres:${clusterPassword}@127.0.0.1:${port}/postgres`, version),
    restart: async () => {
      child.kill("SIGINT");
      await waitForExit(child);
      await launch();
    },
    kill,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};
