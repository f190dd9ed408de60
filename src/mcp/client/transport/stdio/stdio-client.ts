import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { trackProcessGroup } from "../../../../base/platform/exit-cleanup.ts";
import { programStart } from "../../../../base/platform/program-start.ts";
import { FilteredTransport, readMessage } from "../inbound-messages.ts";
import { sanitizeUntrustedText } from "../sanitize-foreign-text.ts";
import {
  defaultMaxMessageBytes,
  type ServerTransport,
  TransportError,
  type TransportFault,
} from "../server-transport.ts";
import { defaultEndGraces, type EndGraceTimes, endProcessGroup, StderrTail } from "./end-process-group.ts";
import { LineReader } from "./line-reader.ts";

/** Below this, batching is not worth its cost. */
const minBatchedRequests = 4;

export interface StdioClientOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly graces?: EndGraceTimes | undefined;
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** Servers may print a greeting to stdout. */
const maxNoiseLines = 64;
const messagesPerTurn = 128;
/** For the last output of an exited child. */
const drainAfterExitMs = 200;
/** Between the end of the pipes and the exit event. */
const exitGraceMs = 1_000;

const exitText = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null
    ? `ended with code ${code ?? "unknown"}. Run its command in a terminal to see why`
    : `was ended by ${signal}`;

const setProcessRef = (child: ChildProcessWithoutNullStreams, isHeld: boolean): void => {
  const pipes = [child.stdin, child.stdout, child.stderr] as unknown as readonly Socket[];
  for (const each of [child, ...pipes]) {
    if (isHeld) each.ref();
    else each.unref();
  }
};

/** The child leads its own process group, so that its children end with it. */
export class StdioChildTransport extends FilteredTransport implements ServerTransport {
  readonly kind = "stdio";

  readonly #options: StdioClientOptions;
  readonly #reader: LineReader;
  readonly #tail: StderrTail;
  #child: ChildProcessWithoutNullStreams | undefined;
  readonly #lastOutputAt: { output?: number; error?: number } = {};
  #invalidLines = 0;
  #isBatching = false;
  #noiseSinceMessage = 0;
  #ending: Promise<void> | undefined;
  /** Requests that stay open until they are cancelled. */
  readonly #listenRequests = new Set<string | number>();
  #isRef = true;
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(options: StdioClientOptions) {
    super();
    this.#options = options;
    this.#reader = new LineReader(options.maxMessageBytes ?? defaultMaxMessageBytes);
    this.#tail = new StderrTail(options.onStderr);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The SDK treats a transport with `stderr` and `pid` as one that may ignore its probe. */
  get stderr(): null {
    return null;
  }

  readonly stderrTail = (): string => this.#tail.text();

  readonly lastOutputAt = (): { readonly output?: number; readonly error?: number } => this.#lastOutputAt;

  start(): Promise<void> {
    if (this.#child !== undefined || this.fault !== undefined) {
      return Promise.reject(new Error("The connection was already started."));
    }
    const { command, args, env, cwd } = this.#options;
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => {
        const { code = error.message } = error as NodeJS.ErrnoException;
        const hint = code === "ENOENT" ? `; ${JSON.stringify(command)} is not installed, or not in PATH` : "";
        this.#fail({ kind: "unreachable", reason: `its command cannot be started (${code})${hint}` });
        reject(new TransportError(this.fault as TransportFault, false));
      };
      let child: ChildProcessWithoutNullStreams;
      try {
        const start = programStart(command, args ?? [], { os: process.platform, env, cwd });
        child = spawn(start.file, start.args, {
          env,
          ...(cwd === undefined ? {} : { cwd }),
          stdio: "pipe",
          shell: false,
          detached: process.platform !== "win32",
          windowsHide: true,
          windowsVerbatimArguments: start.isVerbatim,
        });
      } catch (error) {
        return refuse(error as Error);
      }
      this.#child = child;
      if (child.pid !== undefined) trackProcessGroup(child.pid);
      child.on("error", refuse);
      child.once("spawn", () => {
        if (this.fault !== undefined) {
          reject(new TransportError(this.fault, false));
        } else {
          resolve();
        }
      });
      this.#listen(child);
    });
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    // The process is usually exiting, and its exit gives a better reason.
    const failUnlessExiting = (what: string) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const timer = setTimeout(() => this.#fail({ kind: "unreachable", reason: what }), exitGraceMs);
      child.once("exit", () => clearTimeout(timer));
    };
    child.stdin.on("error", () => failUnlessExiting("it closed its input"));
    child.stdout.once("end", () => failUnlessExiting("it closed its output"));
    child.stdout.on("error", () => {});
    child.stderr.on("error", () => {});
    child.stderr.on("data", (chunk: Buffer) => {
      this.#lastOutputAt.error = Date.now();
      this.#tail.push(chunk);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      this.#lastOutputAt.output = Date.now();
      this.#reader.push(chunk);
      this.#read();
    });
    child.once("exit", (code, signal) => {
      const reason = `its process ${exitText(code, signal)}`;
      const finish = () => {
        clearTimeout(timer);
        child.stdout.off("end", finish);
        this.#tail.end();
        this.#fail({ kind: "unreachable", reason });
      };
      // A grandchild may keep the pipe open.
      const timer = setTimeout(finish, drainAfterExitMs);
      if (child.stdout.readableEnded) finish();
      else child.stdout.once("end", finish);
    });
  }

  #read = (): void => {
    this.#nextTurn = undefined;
    const { stdout } = this.#child as ChildProcessWithoutNullStreams;
    for (let taken = 0; this.fault === undefined; taken++) {
      if (taken === messagesPerTurn) {
        stdout.pause();
        this.#nextTurn = setImmediate(this.#read);
        return;
      }
      let line: string | undefined;
      try {
        line = this.#reader.next();
      } catch {
        const most = this.#options.maxMessageBytes ?? defaultMaxMessageBytes;
        this.#fail({ kind: "garbage", reason: `it sent a message of more than ${most} bytes` });
        return;
      }
      if (line === undefined) break;
      this.#acceptLine(line);
    }
    if (stdout.isPaused()) stdout.resume();
    this.#updateRef();
  };

  /** An idle child does not keep this process alive. */
  #updateRef(): void {
    const child = this.#child;
    if (child === undefined || this.fault !== undefined) return;
    for (const id of this.#listenRequests)
      if (!this.intake.pendingIds.has(id)) this.#listenRequests.delete(id);
    const isBusy = this.intake.pendingIds.size > this.#listenRequests.size;
    if (isBusy === this.#isRef) return;
    this.#isRef = isBusy;
    setProcessRef(child, isBusy);
  }

  #acceptLine(line: string): void {
    const first = line.charCodeAt(0);
    // Also matches the CR of Windows line ends.
    if ((line.length === 0 || first === 13 || first === 32 || first === 9) && line.trim() === "") return;
    const reading = readMessage(line);
    if (!reading.ok && reading.kind === "harm") {
      this.#fail({ kind: "garbage", reason: `it sent ${reading.reason}` });
    } else if (reading.ok && this.intake.accept(reading.value)) {
      this.#noiseSinceMessage = 0;
    } else {
      this.#onNoise(line);
    }
  }

  #onNoise(line: string): void {
    this.#invalidLines++;
    this.#noiseSinceMessage++;
    if (this.#noiseSinceMessage > maxNoiseLines) {
      this.#fail({
        kind: "garbage",
        reason: `it wrote ${this.#noiseSinceMessage} lines to its standard output that are not MCP messages`,
      });
    } else if (Number.isInteger(Math.log10(this.#invalidLines))) {
      this.onWarning?.(
        `wrote a line to its standard output that is not an MCP message (${this.#invalidLines} so far): ${sanitizeUntrustedText(line, 80)}`,
      );
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (this.fault !== undefined || child === undefined) {
      return Promise.reject(
        new TransportError(this.fault ?? { kind: "closed", reason: "it is not started" }, false),
      );
    }
    this.intake.trackRequest(message);
    if ("id" in message && "method" in message && message.method === "subscriptions/listen") {
      this.#listenRequests.add(message.id);
    }
    this.#updateRef();
    this.#batchWrites(child.stdin);
    if (child.stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = () => {
        child.stdin.off("drain", settle);
        child.stdin.off("close", settle);
        if (child.stdin.destroyed && this.fault === undefined) {
          reject(new TransportError({ kind: "unreachable", reason: "it closed its input" }, true));
        } else {
          resolve();
        }
      };
      child.stdin.on("drain", settle);
      child.stdin.on("close", settle);
    });
  }

  /** Writes the first message of a turn at once and batches the rest. */
  #batchWrites(stdin: Writable): void {
    if (this.intake.pendingIds.size < minBatchedRequests) return;
    if (this.#isBatching) {
      if (stdin.writableCorked === 0) stdin.cork();
      return;
    }
    this.#isBatching = true;
    setImmediate(() => {
      this.#isBatching = false;
      stdin.uncork();
    });
  }

  close(): Promise<void> {
    this.#fail({ kind: "closed", reason: "the connection was closed" });
    return this.#ending ?? Promise.resolve();
  }

  #fail(fault: TransportFault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    if (this.#nextTurn !== undefined) clearImmediate(this.#nextTurn);
    this.#reader.clear();
    const child = this.#child;
    // The process must not end before the child has.
    if (child !== undefined) setProcessRef(child, true);
    // A full pipe could keep the child from exiting.
    child?.stdout.resume();
    if (child !== undefined) this.#ending = endProcessGroup(child, this.#options.graces ?? defaultEndGraces);
    this.onclose?.();
  }
}
