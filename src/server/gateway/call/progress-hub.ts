import type { GatewayBackend } from "../gateway-backend.ts";

type CallProgressListener = (update: unknown, taints: readonly string[]) => void;

export interface ProgressHub {
  readonly watch: (callId: string, listener: CallProgressListener) => () => void;
}

/** Subscribes only while calls are watched. */
export const createProgressHub = (served: GatewayBackend): ProgressHub => {
  const listeners = new Map<string, CallProgressListener>();
  let unsubscribe: (() => void) | undefined;
  return {
    watch: (callId, listener) => {
      listeners.set(callId, listener);
      unsubscribe ??= served.onProgress((id, update, taints) => listeners.get(id)?.(update, taints));
      return () => {
        listeners.delete(callId);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      };
    },
  };
};

interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** MCP progress must increase: other numbers are dropped, and updates without one are counted. */
export const createProgressReader = (
  redact: (text: string) => string,
): ((update: unknown) => ProgressUpdate | undefined) => {
  let last = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { progress, total, message } = progressFields(update);
    const next = typeof progress === "number" && Number.isFinite(progress) ? progress : Math.max(last, 0) + 1;
    if (next <= last) return undefined;
    last = next;
    return {
      progress: next,
      ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
      ...(typeof message === "string" ? { message: redact(message.slice(0, 2000)) } : {}),
    };
  };
};

const progressFields = (update: unknown): Readonly<Record<string, unknown>> => {
  if (typeof update === "object" && update !== null) return update as Readonly<Record<string, unknown>>;
  return typeof update === "number" ? { progress: update } : { message: update };
};
