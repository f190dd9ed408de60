import type { ServeHttp } from "../../server/gateway/serve-options.ts";
import type { HostAuth } from "../../server/http/auth/host-auth.ts";
import type { HostRateLimits } from "../../server/http/host-options.ts";
import { isLoopback } from "../../server/http/loopback.ts";
import type { McpServerState } from "../../types/mcp.ts";
import {
  CommandUsageError,
  command,
  exitCodes,
  jsonLines,
  readCount,
  type Terminal,
  waitForAbort,
} from "../command.ts";
import { recordedRuntimeOptions } from "../open-runtime.ts";
import { painter } from "../screen.ts";
import type { GatewayRuntime, NextGatewayRuntime } from "../serve/gateway-runtime.ts";
import type { GatewayStudio } from "../serve/gateway-studio.ts";
import { type ServePrinter, servePrinter } from "../serve/serve-printer.ts";
import { serverProblem } from "../serve/server-problem.ts";
import type { StudioFlags } from "../studio/resolve-studio-options.ts";
import { isOperator, operatorOptions, readOnlyLinkNote } from "../trust/require-operator.ts";

interface ListenFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

type ListenOptions = Omit<ServeHttp, "perMinute" | "burst"> & {
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly rate?: HostRateLimits;
};

const resolveListenOptions = (configured: ServeHttp = {}, flags: ListenFlags): ListenOptions => {
  const { perMinute, burst, ...http } = configured;
  const rate = {
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(burst === undefined ? {} : { burst }),
  };
  return {
    ...http,
    ...(flags.host === undefined ? {} : { host: flags.host }),
    port: flags.port ?? http.port ?? 7333,
    ...(flags.path === undefined ? {} : { path: flags.path }),
    allowedHosts: [...(http.allowedHosts ?? []), ...(flags.allowHosts ?? [])],
    ...(Object.keys(rate).length === 0 ? {} : { rate }),
  };
};

export const serve = command({
  operands: "",
  options: {
    ...recordedRuntimeOptions,
    http: { type: "boolean", about: "serve over HTTP instead of standard input and output" },
    folder: {
      type: "string",
      value: "FOLDER",
      about:
        "folder of the configuration, the lock and the ledger; for clients that start haft in another folder",
    },
    host: { type: "string", value: "ADDRESS", about: "address to listen on; default 127.0.0.1" },
    port: { type: "string", value: "NUMBER", about: "port to listen on; default 7333; 0 picks a free port" },
    path: { type: "string", value: "PATH", about: "path of the endpoint; default /mcp" },
    "allow-host": {
      type: "string",
      multiple: true,
      value: "NAME",
      about: "a host name that callers use for this machine; repeatable",
    },
    "token-env": {
      type: "string",
      value: "NAME",
      about: "HTTP callers must send the token in this environment variable",
    },
    approvals: {
      type: "string",
      value: "WHERE",
      choices: ["client", "elsewhere"],
      about:
        "approve by haft approve and the Studio (elsewhere), or in a form of a client you trust (client)",
    },
    search: {
      type: "boolean",
      about: "list only a few tools to clients that may use more than 50, and let them search for the others",
    },
    studio: { type: "boolean", about: "also serve the Studio, at /studio/" },
    ...operatorOptions,
    "reload-code": {
      type: "boolean",
      about:
        "import haft.config.ts again when it changes; any program that can write the file can then run code here",
    },
    "no-reload": { type: "boolean", about: "do not read the configuration again when it changes" },
    json: jsonLines("what happens"),
  },
  examples: [
    { line: "haft serve", about: "for a client that starts it, as Claude Code and Cursor do" },
    {
      line: "haft serve --search",
      about: "with many tools, of which clients see only a few",
    },
    { line: "haft serve --http --port 7333", about: "at http://127.0.0.1:7333/mcp, for this machine only" },
    {
      line: "haft serve --http --host 0.0.0.0 --allow-host tools.lan --token-env HAFT_TOKEN",
      about: "for remote callers, which must send a token",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError(
        "haft serve accepts no operands. Use --config FILE to choose what to serve.",
      );
    if (options.folder !== undefined) changeFolder(options.folder);
    const wantsHttp = options.http === true;
    for (const name of ["host", "port", "path", "allow-host", "token-env", "studio"] as const) {
      if (options[name] !== undefined && !wantsHttp)
        throw new CommandUsageError(`--${name} requires --http.`);
    }
    const port = options.port === undefined ? undefined : readCount("port", options.port, 0, 65_535);
    const [{ openGatewayRuntime: openServing }, { takeProtocolStdout: ownStdout }] = await Promise.all([
      import("../serve/gateway-runtime.ts"),
      import("../../server/gateway/transport/protocol-stdout.ts"),
    ]);
    // Output of imported tools must not mix with protocol messages.
    using own = wantsHttp ? undefined : ownStdout();
    await using serving = await openServing(options, terminal);
    const { red } = painter(terminal);
    const printer = servePrinter(terminal, options.json === true, wantsHttp);
    if (!wantsHttp) {
      const { serveStdio } = await import("../../server/gateway/serve-stdio.ts");
      const pipe = own === undefined ? {} : { stdout: own.stdout };
      const handle = await serveStdio(serving.served, serving.principal, { ...serving.front, ...pipe });
      const ended = Promise.race([handle.closed, waitForAbort(terminal.signal)]);
      await Promise.race([serving.ready(), ended]);
      printer.serving({ transport: "stdio", ...serving.summary() });
      printServerChanges(serving, printer);
      await ended;
      await handle.close();
      return exitCodes.done;
    }
    const [{ openHttpHost: httpHost }, { mountMcp }] = await Promise.all([
      import("../../server/http/http-host.ts"),
      import("../../server/http/mount-mcp.ts"),
    ]);
    const { host: address, path, "allow-host": allowHosts } = options;
    const listening = ({ options }: NextGatewayRuntime) =>
      resolveListenOptions(options.http, { host: address, port, path, allowHosts });
    const http = listening(serving);
    const auth: HostAuth = await resolveAuth(serving, options["token-env"], terminal);
    const page =
      options.studio === true
        ? await mountStudioPage(serving, options, auth, terminal, http.host)
        : undefined;
    const host = await httpHost({
      ...http,
      ...mountMcp(serving.served, { ...http, ...serving.front }),
      ...page?.mounted,
      auth,
      health: serving.health,
      onAccess: printer.access,
      onError: (error, reference) =>
        terminal.error(`${red("haft:")} ${String(error)} (reference ${reference})\n`),
    });
    page?.isAt(host.url);
    await serving.beforeSwap(async (next) => {
      const nextAuth = await resolveAuth(next, options["token-env"], terminal);
      if (nextAuth.kind === auth.kind) await host.changeAuth(nextAuth);
      return [
        ...(nextAuth.kind === auth.kind ? [] : [authKindChangedNote(auth.kind, nextAuth.kind)]),
        ...(JSON.stringify(listening(next)) === JSON.stringify(http) ? [] : [httpOptionsChangedNote]),
      ];
    });
    for (const warning of host.warnings) printer.warning(warning);
    const ended = waitForAbort(terminal.signal);
    const { servers } = serving.summary();
    const starting = servers.filter(({ status }) => status === "connecting").map(({ id }) => id);
    if (starting.length > 0) printer.listening(host.url, starting);
    await Promise.race([serving.ready(), ended]);
    printer.serving({ transport: "http", url: host.url, ...serving.summary() });
    if (page !== undefined && auth.kind === "none") {
      const access = (await isOperator(terminal, options)) ? "all" : "read";
      printer.note(`haft studio is at ${new URL(page.link(access), host.url).href}`);
      if (access === "read") printer.note(readOnlyLinkNote);
    }
    printServerChanges(serving, printer);
    await ended;
    printer.note("Lets running calls finish.");
    await page?.close();
    await host.close();
    return exitCodes.done;
  },
});

const mountStudioPage = async (
  serving: GatewayRuntime,
  flags: StudioFlags,
  { kind }: HostAuth,
  terminal: Terminal,
  host: string | undefined,
): Promise<GatewayStudio> => {
  const { mountGatewayStudio: servedStudio } = await import("./studio.ts");
  const isLocal = host === undefined || isLoopback(host);
  return servedStudio(serving, flags, { auth: kind, isLocal }, terminal);
};

export const serverChangePrinter = (
  states: () => readonly McpServerState[],
  { warning, note }: Pick<ServePrinter, "warning" | "note">,
): (() => void) => {
  const readProblems = () => new Map(states().map((state) => [state.id, serverProblem(state)]));
  let known = readProblems();
  return () => {
    const before = known;
    known = readProblems();
    for (const [id, obstacle] of known) {
      if (obstacle === before.get(id)) continue;
      if (obstacle === undefined) note(`${id}: all its tools can be called again.`);
      else warning(`${id}: ${obstacle}`);
    }
  };
};

const printServerChanges = ({ served, states }: GatewayRuntime, printer: ServePrinter): void => {
  const look = serverChangePrinter(states, printer);
  served.onChange(({ kind }) => {
    if (kind === "tools-changed" || kind === "trouble") look();
  });
};

const authKindChangedNote = (before: HostAuth["kind"], next: HostAuth["kind"]): string =>
  `"serve.auth" changed its kind from ${before} to ${next}. Restart haft serve to apply it; until then the previous authentication is used.`;

const httpOptionsChangedNote =
  '"serve.http" has changed. Restart haft serve to apply it; until then the previous address and limits are used.';

const changeFolder = (folder: string): void => {
  try {
    process.chdir(folder);
  } catch {
    throw new CommandUsageError(`The folder ${folder} does not exist.`);
  }
};

const resolveAuth = async (
  { options, principal, reveal }: NextGatewayRuntime,
  variable: string | undefined,
  terminal: Terminal,
): Promise<HostAuth> => {
  if (variable !== undefined) {
    const token = terminal.env[variable];
    if (token === undefined || token === "")
      throw new CommandUsageError(`--token-env ${variable}: this environment variable is not set.`);
    return { kind: "tokens", tokens: [{ token, principal }] };
  }
  const { auth } = options;
  if (auth === undefined) return { kind: "none", principal };
  if ("jwt" in auth) return { kind: "jwt", ...auth.jwt };
  const tokens = auth.tokens.map(async (each) => ({ ...each, token: await reveal(each.token) }));
  return { kind: "tokens", tokens: await Promise.all(tokens) };
};
