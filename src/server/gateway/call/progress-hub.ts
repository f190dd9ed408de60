import type { Served } from "../served.ts";

type CallProgressListener = (update: unknown, taints: readonly string[]) => void;

export interface ProgressHub {
  readonly watch: (callId: string, listener: CallProgressListener) => () => void;
}

/** One listener at the runtime for all calls, and only while there are some. */
export const progressHub = (served: Served): ProgressHub => {
  const listeners = new Map<string, CallProgressListener>();
  let leave: (() => void) | undefined;
  return {
    watch: (callId, listener) => {
      listeners.set(callId, listener);
      leave ??= served.onProgress((id, update, taints) => listeners.get(id)?.(update, taints));
      return () => {
        listeners.delete(callId);
        if (listeners.size > 0) return;
        leave?.();
        leave = undefined;
      };
    },
  };
};

interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Progress as the protocol has it, which only ever grows: what does not is dropped, what is no number is counted. */
export const progressReader = (
  redact: (text: string) => string,
): ((update: unknown) => ProgressUpdate | undefined) => {
  let last = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { progress, total, message } = fieldsOf(update);
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

const fieldsOf = (update: unknown): Readonly<Record<string, unknown>> => {
  if (typeof update === "object" && update !== null) return update as Readonly<Record<string, unknown>>;
  return typeof update === "number" ? { progress: update } : { message: update };
};
