import type { AppOrigins, AppView } from "@api/apps.ts";

type JsonRpcParams = Readonly<Record<string, unknown>>;

/** Errors thrown here are sent to the App. */
export interface AppHost {
  readonly version: string;
  readonly view: AppView;
  readonly allowedOrigins: AppOrigins;
  /** `hostContext` of the specification. */
  readonly context: () => JsonRpcParams;
  readonly callTool: (name: string, input: JsonRpcParams) => Promise<object>;
  readonly readResource: (uri: string) => Promise<object>;
  /** True if the user opened it. */
  readonly openLink: (url: URL) => Promise<boolean>;
  /** True if the user accepted it. */
  readonly takeMessage: (text: string) => Promise<boolean>;
  readonly resize: (height: number) => void;
  readonly log: (text: string) => void;
  readonly close: () => void;
}

/** Implements `io.modelcontextprotocol/ui`, version 2026-01-26. */
export interface AppSession {
  readonly receive: (message: unknown) => void;
  readonly changeContext: (changed: JsonRpcParams) => void;
  /** Waits up to `forMs` for the reply. */
  readonly teardown: (forMs: number) => Promise<void>;
}

const protocolVersion = "2026-01-26";
const maxConcurrentRequests = 8;
const maxAppTextLength = 10_000;
const maxAppLogLength = 500;

const errorCodes = { invalid: -32_602, unknown: -32_601, refused: -32_000 } as const;

export class AppRequestError extends Error {
  readonly code: number;
  constructor(message: string, code: number = errorCodes.refused) {
    super(message);
    this.code = code;
  }
}

export const createAppSession = (send: (message: object) => void, host: AppHost): AppSession => {
  let state: "new" | "initializing" | "ready" | "closed" = "new";
  let runningRequests = 0;
  let onTeardown: (() => void) | undefined;
  const notify = (name: string, params: object): void =>
    send({ jsonrpc: "2.0", method: `ui/notifications/${name}`, params });

  const requests: Readonly<Record<string, (params: JsonRpcParams) => Promise<object>>> = {
    ping: async () => ({}),
    "ui/initialize": async () => {
      if (state !== "new") throw new AppRequestError("The App is already initialized.");
      state = "initializing";
      return {
        protocolVersion,
        hostInfo: { name: "haft-studio", version: host.version },
        hostCapabilities: hostCapabilitiesOf(host.allowedOrigins),
        hostContext: { ...host.context(), toolInfo: { tool: host.view.tool } },
      };
    },
    "tools/call": async ({ name, arguments: input = {} }) => {
      if (typeof name !== "string" || !isParams(input)) throw invalidParamsError("name and arguments");
      return host.callTool(name, input);
    },
    "resources/read": async ({ uri }) => {
      if (typeof uri !== "string") throw invalidParamsError("uri");
      return host.readResource(uri);
    },
    "ui/open-link": async ({ url }) => {
      const address =
        typeof url === "string" && url.length <= maxAppTextLength ? parseWebUrl(url) : undefined;
      return address !== undefined && (await host.openLink(address)) ? {} : { isError: true };
    },
    "ui/message": async ({ content }) => {
      const text = messageTextOf(content);
      return text !== "" && (await host.takeMessage(text)) ? {} : { isError: true };
    },
    "ui/request-display-mode": async () => ({ mode: "inline" }),
  };
  const allowedBeforeReady: ReadonlySet<string> = new Set(["ping", "ui/initialize"]);

  const notifications: Readonly<Record<string, (params: JsonRpcParams) => void>> = {
    "ui/notifications/initialized": () => {
      if (state !== "initializing") return;
      state = "ready";
      notify("tool-input", { arguments: host.view.input });
      notify("tool-result", host.view.result);
    },
    "ui/notifications/size-changed": ({ height }) => {
      if (typeof height === "number" && Number.isFinite(height)) host.resize(height);
    },
    "ui/notifications/request-teardown": () => host.close(),
    "notifications/message": ({ level, data }) => host.log(logLine(level, data)),
  };

  const answer = async (id: string | number, method: string, params: JsonRpcParams): Promise<void> => {
    const reply = (response: object): void => {
      if (state !== "closed") send({ jsonrpc: "2.0", id, ...response });
    };
    const run = Object.hasOwn(requests, method) ? requests[method] : undefined;
    if (run === undefined)
      return reply({
        error: { code: errorCodes.unknown, message: `Unknown method ${method.slice(0, 100)}.` },
      });
    if (state !== "ready" && !allowedBeforeReady.has(method))
      return reply({ error: { code: errorCodes.refused, message: "Send ui/initialize first." } });
    if (runningRequests >= maxConcurrentRequests)
      return reply({ error: { code: errorCodes.refused, message: "Too many concurrent requests." } });
    runningRequests += 1;
    try {
      reply({ result: await run(params) });
    } catch (error) {
      const code = error instanceof AppRequestError ? error.code : errorCodes.refused;
      reply({ error: { code, message: error instanceof Error ? error.message : String(error) } });
    } finally {
      runningRequests -= 1;
    }
  };

  return {
    receive: (message) => {
      if (!isParams(message) || message.jsonrpc !== "2.0" || state === "closed") return;
      const { id, method, params = {} } = message;
      if (method === undefined) {
        if (id === teardownId) onTeardown?.();
        return;
      }
      if (typeof method !== "string" || !isParams(params)) return;
      if (typeof id === "string" || typeof id === "number") void answer(id, method, params);
      else if (id === undefined && Object.hasOwn(notifications, method)) notifications[method]?.(params);
    },
    changeContext: (changed) => {
      if (state === "ready") notify("host-context-changed", changed);
    },
    teardown: async (forMs) => {
      if (state === "ready") {
        const finished = new Promise<void>((resolve) => {
          onTeardown = resolve;
          setTimeout(resolve, forMs);
        });
        send({ jsonrpc: "2.0", id: teardownId, method: "ui/resource-teardown", params: {} });
        await finished;
      }
      state = "closed";
    },
  };
};

const teardownId = "haft-teardown";

const hostCapabilitiesOf = ({ connect, resource, frame, base }: AppOrigins): object => ({
  openLinks: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  message: { text: {} },
  sandbox: {
    permissions: {},
    csp: {
      connectDomains: connect,
      resourceDomains: resource,
      frameDomains: frame,
      baseUriDomains: base,
    },
  },
});

const isParams = (value: unknown): value is JsonRpcParams =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalidParamsError = (what: string): AppRequestError =>
  new AppRequestError(`Invalid parameters: ${what} is missing or has the wrong type.`, errorCodes.invalid);

/** Undefined for other schemes and for URLs with credentials. */
const parseWebUrl = (url: string): URL | undefined => {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  const isPlain = address.username === "" && address.password === "";
  return /^https?:$/.test(address.protocol) && isPlain ? address : undefined;
};

/** The text of the specification has one block, and its types have a list. */
const messageTextOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [content])
    .flatMap((block: unknown) => {
      const { type, text } = isParams(block) ? block : {};
      return type === "text" && typeof text === "string" ? [text] : [];
    })
    .join("\n")
    .slice(0, maxAppTextLength);

const logLine = (level: unknown, data: unknown): string => {
  const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
  return `${typeof level === "string" ? `${level.slice(0, 20)}: ` : ""}${text}`.slice(0, maxAppLogLength);
};
