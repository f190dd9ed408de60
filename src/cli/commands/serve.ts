import type { HostAuth } from "../../server/auth/host-auth.ts";
import { isLoopback } from "../../server/loopback.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { Misuse } from "../misuse.ts";
import { keepingOptions } from "../open-runtime.ts";
import { readCount } from "../read-count.ts";
import { painter } from "../screen.ts";
import { listeningOf } from "../serve/listening.ts";
import type { ServedStudio } from "../serve/served-studio.ts";
import type { NextServing, Serving } from "../serve/serving.ts";
import { type TellServed, tellServed } from "../serve/tell-served.ts";
import { tellServers } from "../serve/tell-servers.ts";
import type { GivenStudio } from "../studio/studio-options-of.ts";

/** Everything of the configuration behind one MCP endpoint. */
export const serve = command({
  operands: "",
  options: {
    ...keepingOptions,
    http: { type: "boolean", about: "serve over HTTP instead of standard input and output" },
    folder: {
      type: "string",
      value: "FOLDER",
      about: "where the configuration, the lock and the ledger are; for clients that start it elsewhere",
    },
    host: { type: "string", value: "ADDRESS", about: "where to listen; 127.0.0.1 unless given" },
    port: { type: "string", value: "NUMBER", about: "7333 unless given; 0 takes any free one" },
    path: { type: "string", value: "PATH", about: "of the endpoint; /mcp unless given" },
    "allow-host": {
      type: "string",
      multiple: true,
      value: "NAME",
      about: "a name under which callers reach this machine; may be given more than once",
    },
    "token-env": {
      type: "string",
      value: "NAME",
      about: "callers over HTTP must show the token that this variable holds",
    },
    approvals: {
      type: "string",
      value: "WHERE",
      choices: ["client", "elsewhere"],
      about: "ask the person at the client, or wait for haft approve",
    },
    search: {
      type: "boolean",
      about: "list a handful of tools to clients that may use more than 50, and let them search the others",
    },
    studio: { type: "boolean", about: "also serve the Studio, at /studio/" },
    "no-reload": { type: "boolean", about: "do not read the configuration again when it changes" },
    json: jsonLines("what happens"),
  },
  examples: [
    { line: "haft serve", about: "for a client that starts it, as Claude Code and Cursor do" },
    {
      line: "haft serve --search",
      about: "with a thousand tools behind it, of which a client is listed a few",
    },
    { line: "haft serve --http --port 7333", about: "at http://127.0.0.1:7333/mcp, for this machine only" },
    {
      line: "haft serve --http --host 0.0.0.0 --allow-host tools.lan --token-env HAFT_TOKEN",
      about: "for others, who must show a token",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new Misuse("haft serve takes no operands. --config FILE names what to serve.");
    if (options.folder !== undefined) enter(options.folder);
    const wantsHttp = options.http === true;
    for (const name of ["host", "port", "path", "allow-host", "token-env", "studio"] as const) {
      if (options[name] !== undefined && !wantsHttp) throw new Misuse(`--${name} needs --http.`);
    }
    const port = options.port === undefined ? undefined : readCount("port", options.port, 0);
    // Whoever only looks at the help loads none of this.
    const [{ openServing }, { ownStdout }] = await Promise.all([
      import("../serve/serving.ts"),
      import("../../gateway/transport/own-stdout.ts"),
    ]);
    // Before tools are loaded: what their files print is no message of the protocol either.
    using own = wantsHttp ? undefined : ownStdout();
    await using serving = await openServing(options, terminal);
    const { red } = painter(terminal);
    const tell = tellServed(terminal, options.json === true, wantsHttp);
    if (!wantsHttp) {
      const { serveStdio } = await import("../../gateway/stdio.ts");
      const pipe = own === undefined ? {} : { stdout: own.stdout };
      const handle = await serveStdio(serving.served, serving.principal, { ...serving.front, ...pipe });
      const ended = Promise.race([handle.closed, aborted(terminal.signal)]);
      await Promise.race([serving.ready(), ended]);
      tell.serving({ transport: "stdio", ...serving.summary() });
      tellChanges(serving, tell);
      await ended;
      await handle.close();
      return exitCodes.done;
    }
    const [{ httpHost }, { mountMcp }] = await Promise.all([
      import("../../server/http-host.ts"),
      import("../../server/mount-mcp.ts"),
    ]);
    const { host: address, path, "allow-host": allowHosts } = options;
    const listening = ({ options }: NextServing) =>
      listeningOf(options.http, { host: address, port, path, allowHosts });
    const http = listening(serving);
    const auth: HostAuth = await authOf(serving, options["token-env"], terminal);
    const page =
      options.studio === true ? await openPage(serving, options, auth, terminal, http.host) : undefined;
    const host = await httpHost({
      ...http,
      ...mountMcp(serving.served, { ...http, ...serving.front }),
      ...page?.mounted,
      auth,
      health: serving.health,
      onAccess: tell.access,
      onError: (error) => terminal.error(`${red("haft:")} ${String(error)}\n`),
    });
    page?.isAt(host.url);
    await serving.beforeSwap(async (next) => {
      const nextAuth = await authOf(next, options["token-env"], terminal);
      if (nextAuth.kind === auth.kind) await host.changeAuth(nextAuth);
      return [
        ...(nextAuth.kind === auth.kind ? [] : [otherKind(auth.kind, nextAuth.kind)]),
        ...(JSON.stringify(listening(next)) === JSON.stringify(http) ? [] : [otherListening]),
      ];
    });
    for (const warning of host.warnings) tell.warning(warning);
    const ended = aborted(terminal.signal);
    const { servers } = serving.summary();
    const starting = servers.filter(({ status }) => status === "connecting").map(({ id }) => id);
    if (starting.length > 0) tell.listening(host.url, starting);
    await Promise.race([serving.ready(), ended]);
    tell.serving({ transport: "http", url: host.url, ...serving.summary() });
    // Elsewhere callers show a token of theirs, with the scopes of the Studio.
    if (page !== undefined && auth.kind === "none") {
      tell.note(`haft studio is at ${new URL(page.link(), host.url).href}`);
    }
    tellChanges(serving, tell);
    await ended;
    tell.note("Lets running calls finish.");
    await page?.close();
    await host.close();
    return exitCodes.done;
  },
});

/** Loaded only where the page is wanted. */
const openPage = async (
  serving: Serving,
  given: GivenStudio,
  { kind }: HostAuth,
  terminal: Terminal,
  host: string | undefined,
): Promise<ServedStudio> => {
  const { servedStudio } = await import("./studio.ts");
  const isLocal = host === undefined || isLoopback(host);
  return servedStudio(serving, given, { auth: kind, isLocal }, terminal);
};

/** From now on, whenever it becomes another. What of servers cannot be called was told with the start. */
const tellChanges = ({ served, states }: Serving, tell: TellServed): void => {
  const look = tellServers(states, tell);
  served.onNews(({ kind }) => {
    if (kind === "tools-changed" || kind === "trouble") look();
  });
};

const otherKind = (before: HostAuth["kind"], next: HostAuth["kind"]): string =>
  `"serve.auth" has become another kind (${next}, and it was ${before}), which takes a new start. Until then callers are known as before.`;

const otherListening =
  '"serve.http" has changed, which takes a new start. Until then the gateway listens where it did, with the limits it had.';

const enter = (folder: string): void => {
  try {
    process.chdir(folder);
  } catch {
    throw new Misuse(`There is no folder ${folder}.`);
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Who may call over HTTP: what the command line says, then the configuration; else everybody who can connect. */
const authOf = async (
  { options, principal, reveal }: NextServing,
  variable: string | undefined,
  terminal: Terminal,
): Promise<HostAuth> => {
  if (variable !== undefined) {
    const token = terminal.env[variable];
    if (token === undefined || token === "")
      throw new Misuse(`--token-env ${variable}: there is no such variable.`);
    return { kind: "tokens", tokens: [{ token, principal }] };
  }
  const { auth } = options;
  if (auth === undefined) return { kind: "none", principal };
  if ("jwt" in auth) return { kind: "jwt", ...auth.jwt };
  const tokens = auth.tokens.map(async (each) => ({ ...each, token: await reveal(each.token) }));
  return { kind: "tokens", tokens: await Promise.all(tokens) };
};
