import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../../transport/server-transport.ts";

/** How long a child may be quiet before its silence counts as an answer. */
const maxSilenceAfterOutputMs = 1_500;
/** What it writes to its standard error may come from whoever starts it, such as a package runner. */
const maxSilenceAfterErrorMs = 3_000;
/** Of its whole time, for one of which nothing was heard at all: most likely it has not begun to read. */
const silenceShare = 0.6;
const silencePollMs = 50;

interface SilenceOptions {
  readonly wire: ServerTransport;
  readonly connectTimeoutMs: number;
  /** The id of the question, once it has been asked. */
  readonly asked: () => string | undefined;
  readonly onSilence: () => void;
}

/**
 * Old servers may be silent at a question they do not know; new ones may be slow to start. Their clock begins with the
 * first thing that is heard of a child, and not with its start. Once it has run out, the question is refused in the
 * server's name. Answers with what ends the wait.
 */
export const endOnSilence = ({ wire, connectTimeoutMs, asked, onSilence }: SilenceOptions): (() => void) => {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const id = asked();
    if (id === undefined) return;
    const { output, error } = wire.heardAt?.() ?? {};
    const until = Math.min(
      startedAt + connectTimeoutMs * silenceShare,
      output === undefined ? Number.POSITIVE_INFINITY : output + maxSilenceAfterOutputMs,
      output !== undefined || error === undefined ? Number.POSITIVE_INFINITY : error + maxSilenceAfterErrorMs,
    );
    if (Date.now() < until) return;
    clearInterval(timer);
    onSilence();
    wire.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_601, message: "silence" } } as JSONRPCMessage);
  }, silencePollMs);
  return () => clearInterval(timer);
};
