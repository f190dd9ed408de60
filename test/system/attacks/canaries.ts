import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "./attack.ts";

/**
 * Secrets to steal, paths to write to and servers to reach. Each run has its own mark, so that late harm can
 * be attributed.
 */
export interface Canaries {
  readonly secrets: readonly string[];
  /** Environment variables of a host. */
  readonly env: NodeJS.ProcessEnv;
  /** An empty working folder for a host. */
  readonly scratch: string;
  readonly target: (mark: string, hostPid: number, signalPid?: number) => Target;
  readonly wasHeard: (mark: string) => boolean;
  readonly wasWritten: (mark: string) => boolean;
  readonly areSecretsWhole: () => boolean;
  /** Harm without the mark of any run. */
  readonly strangers: () => readonly string[];
  readonly close: () => Promise<void>;
}

const variable = "HAFT_ATTACK_SECRET";
const markPattern = /m[0-9a-f]{16}/;

export const newMark = (): string => `m${randomBytes(8).toString("hex")}`;

export const openCanaries = async (): Promise<Canaries> => {
  const home = mkdtempSync(join(tmpdir(), "haft-attacks-"));
  const [written, scratch] = [join(home, "written"), join(home, "scratch")];
  mkdirSync(written);
  mkdirSync(scratch);
  const [fileSecret, envSecret, token] = ["file", "env", "token"].map(
    (kind) => `${kind}-${randomBytes(12).toString("hex")}`,
  ) as [string, string, string];
  const secretFile = join(home, "secret.json");
  const secretLines = join(home, "secret.env");
  const files = [
    [secretFile, JSON.stringify({ secret: fileSecret })],
    [secretLines, `HAFT_STOLEN=${fileSecret}\n`],
  ] as const;
  for (const [file, text] of files) writeFileSync(file, text);

  const received = new Set<string>();
  const strange: string[] = [];
  const record = (text: string): void => {
    const mark = markPattern.exec(text)?.[0];
    if (mark !== undefined) received.add(mark);
    else strange.push(`a connection that said ${JSON.stringify(text.slice(0, 80))}`);
  };
  const tcp = await listen(record);
  const udp = createSocket("udp4", (message) => record(message.toString("latin1")));
  await new Promise<void>((done) => udp.bind(0, "127.0.0.1", done));

  return {
    secrets: [fileSecret, envSecret, token],
    env: { PATH: "/usr/bin:/bin", HOME: scratch, [variable]: envSecret, HAFT_ATTACK_TOKEN: token },
    scratch,
    target: (mark, hostPid, signalPid) => ({
      mark,
      secretFile,
      secretLines,
      variable,
      writeFile: join(written, mark),
      http: `http://127.0.0.1:${tcp.port}/${mark}`,
      webSocket: `ws://127.0.0.1:${tcp.port}/${mark}`,
      tcpPort: tcp.port,
      udpPort: udp.address().port,
      signalPid,
      hostPid,
      list: [1, 2, 3],
    }),
    wasHeard: (mark) => received.has(mark),
    wasWritten: (mark) => readdirSync(written).some((name) => name.startsWith(mark)),
    areSecretsWhole: () => files.every(([file, text]) => readFileSync(file, "utf8") === text),
    strangers: () => strange,
    close: async () => {
      await tcp.close();
      await new Promise<void>((done) => udp.close(done));
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

/** One port for HTTP, WebSocket and plain TCP that records every connection and replies to it. */
const listen = async (record: (text: string) => void) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (markPattern.test(text)) record(text);
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      record(text);
    });
    socket.setTimeout(3_000, () => socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return {
    port,
    close: () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
};

/** A process that detects signals and its own end. */
export interface SignalCanary {
  readonly pid: number;
  readonly wasSignaled: () => boolean;
  readonly end: () => void;
}

const sleeper = `for (const name of ["SIGUSR2", "SIGTERM", "SIGHUP", "SIGINT"]) process.on(name, () => console.log(name));
process.stdin.resume().on("end", () => process.exit()); console.log("ready");`;

export const signalCanary = (): Promise<SignalCanary> =>
  new Promise((resolve) => {
    const child: ChildProcess = spawn(process.execPath, ["-e", sleeper], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    let isEnded = false;
    let signals = 0;
    child.once("exit", () => {
      signals += isEnded ? 0 : 1;
    });
    child.stdout!.on("data", (chunk: Buffer) => {
      if (!chunk.includes("ready")) signals += 1;
      else
        resolve({
          pid: child.pid!,
          wasSignaled: () => signals > 0,
          end: () => {
            isEnded = true;
            child.kill("SIGKILL");
          },
        });
    });
  });
