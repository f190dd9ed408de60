import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../../transport/server-transport.ts";

/** Silence after the first output of a child. */
const maxSilenceAfterOutputMs = 1_500;
/** Longer, because stderr may come from a launcher such as a package runner. */
const maxSilenceAfterErrorMs = 3_000;
/** Share of the connect timeout for a child that has written nothing. */
const silenceShare = 0.6;
const silencePollMs = 50;

interface SilenceOptions {
  readonly wire: ServerTransport;
  readonly connectTimeoutMs: number;
  readonly asked: () => string | undefined;
  readonly onSilence: () => void;
}

/**
 * Legacy servers may ignore an unknown request, and modern servers may start slowly. The time starts with the
 * child's first output; then the probe is rejected locally.
 */
export const endOnSilence = ({ wire, connectTimeoutMs, asked, onSilence }: SilenceOptions): (() => void) => {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const id = asked();
    if (id === undefined) return;
    const { output, error } = wire.lastOutputAt?.() ?? {};
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
