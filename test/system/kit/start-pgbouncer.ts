import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../kit/wait-for.ts";

const programPaths = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"];

/** The program if it is installed: no npm package contains it. */
export const pgbouncerProgram: string | undefined = programPaths.find((place) => existsSync(place));

const isRoot = process.getuid?.() === 0;
const nobodyUid = 65_534;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.end());
  });

export interface PgBouncer extends AsyncDisposable {
  /** The URL of the same database through the pool. */
  readonly through: (url: string) => string;
}

/** Starts PgBouncer in transaction mode in front of a server. */
export const startPgBouncer = async (serverUrl: string): Promise<PgBouncer> => {
  if (pgbouncerProgram === undefined) throw new Error("pgbouncer is not installed");
  const folder = await mkdtemp(join(tmpdir(), "haft-pgbouncer-"));
  const port = await freePort();
  const { port: serverPort, username, password } = new URL(serverUrl);
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_idle_timeout = 1
max_client_conn = 500
`,
  );
  await chmod(folder, 0o755);
  if (isRoot) await chown(folder, nobodyUid, nobodyUid);
  const child = spawn(pgbouncerProgram, ["-q", ...(isRoot ? ["-u", "nobody"] : []), file], {
    stdio: "ignore",
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await waitFor(async () => {
    if (!(await isListening(port))) throw new Error("pgbouncer does not listen");
  });
  return {
    through: (url) => {
      const pooled = new URL(url);
      pooled.port = String(port);
      return pooled.href;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
