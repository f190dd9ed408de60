import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { RawData, WebSocket } from "ws";
import { type InboundMessages, type ReadMessageResult, readMessage } from "./inbound-messages.ts";
import type { TransportFault } from "./server-transport.ts";

export const subprotocol = "mcp";

const closeTimeoutMs = 1_000;
const messageTooBigCloseCode = 1_009;

const rawDataText = (data: RawData): string =>
  Buffer.isBuffer(data)
    ? data.toString("utf8")
    : Array.isArray(data)
      ? Buffer.concat(data).toString("utf8")
      : Buffer.from(data).toString("utf8");

interface SocketListenerOptions {
  readonly intake: Pick<InboundMessages, "accept">;
  readonly onFault: (fault: TransportFault) => void;
  readonly maxBytes: number;
  readonly pingMs: number;
  readonly read?: ((text: string) => ReadMessageResult) | undefined;
  /** Called instead of `onFault`. */
  readonly onUnreadable?: (what: "bytes" | "text", reason: string) => void;
}

/** Returns a function that stops listening. */
export const listenToSocket = (
  socket: WebSocket,
  { intake, onFault, maxBytes, pingMs, read = readMessage, onUnreadable }: SocketListenerOptions,
): (() => void) => {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return onFault({ kind: "unreachable", reason: "it no longer answers pings" });
    isAlive = false;
    socket.ping();
  }, pingMs);
  timer.unref();
  const onAlive = () => {
    isAlive = true;
  };
  const onMessage = (data: RawData, isBinary: boolean) => {
    isAlive = true;
    const reading = isBinary ? undefined : read(rawDataText(data));
    if (reading?.ok === true && intake.accept(reading.value)) return;
    const what = isBinary
      ? "bytes"
      : reading?.ok === false
        ? reading.reason
        : "JSON that is not an MCP message";
    if (onUnreadable === undefined) onFault({ kind: "garbage", reason: `it sent ${what}` });
    else onUnreadable(isBinary ? "bytes" : "text", what);
  };
  const onError = (error: Error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
      onFault({ kind: "garbage", reason: `it sent a message of more than ${maxBytes} bytes` });
    } else {
      const isGarbage = code?.startsWith("WS_ERR_") === true;
      onFault({
        kind: isGarbage ? "garbage" : "unreachable",
        reason: `the connection broke (${code ?? "unknown"})`,
      });
    }
  };
  const onClose = (code: number) =>
    onFault({
      kind: "unreachable",
      reason:
        code === messageTooBigCloseCode
          ? "a message was too long for the server"
          : `it closed the connection (${code})`,
    });
  socket.on("message", onMessage).on("pong", onAlive).on("error", onError).on("close", onClose);
  return () => {
    clearInterval(timer);
    socket.off("message", onMessage).off("pong", onAlive).off("close", onClose);
    // An error event without a listener would crash the process.
    socket.off("error", onError).on("error", () => {});
  };
};

/** Never rejects. */
export const closeSocket = (socket: WebSocket, isPolite: boolean): Promise<void> =>
  new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) return resolve();
    const timer = setTimeout(() => socket.terminate(), closeTimeoutMs);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    if (isPolite && socket.readyState === socket.OPEN) socket.close(1_000);
    else socket.terminate();
  });

/** Resolves when written, so that a slow peer applies backpressure. */
export const sendOver = (socket: WebSocket, message: JSONRPCMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(JSON.stringify(message), (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  });
