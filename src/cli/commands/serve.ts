import type { HostAuth } from "../../server/auth/host-auth.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { Misuse } from "../misuse.ts";
import { keepingOptions } from "../open-runtime.ts";
import { readCount } from "../read-count.ts";
import { painter } from "../screen.ts";
import type { NextServing } from "../serve/serving.ts";
import { tellServed } from "../serve/tell-served.ts";

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
    "no-reload": { type: "boolean", about: "do not read the configuration again when it changes" },
    json: jsonLines("what happens"),
  },
  examples: [
    { line: "haft serve", about: "for a client that starts it, as Claude Code and Cursor do" },
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
    for (const name of ["host", "port", "path", "allow-host", "token-env"] as const) {
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
      await ended;
      await handle.close();
      return exitCodes.done;
    }
    const [{ httpHost }, { mountMcp }] = await Promise.all([
      import("../../server/http-host.ts"),
      import("../../server/mount-mcp.ts"),
    ]);
    const { perMinute, burst, ...http } = serving.options.http ?? {};
    const rate = {
      ...(perMinute === undefined ? {} : { perMinute }),
      ...(burst === undefined ? {} : { burst }),
    };
    const path = options.path ?? http.path;
    const placed = path === undefined ? {} : { path };
    const allowedHosts = [...(http.allowedHosts ?? []), ...(options["allow-host"] ?? [])];
    const auth: HostAuth = await authOf(serving, options["token-env"], terminal);
    const host = await httpHost({
      ...http,
      ...(options.host === undefined ? {} : { host: options.host }),
      port: port ?? http.port ?? 7333,
      ...placed,
      allowedHosts,
      ...(Object.keys(rate).length === 0 ? {} : { rate }),
      ...mountMcp(serving.served, { ...http, ...serving.front }),
      auth,
      health: serving.health,
      onAccess: tell.access,
      onError: (error) => terminal.error(`${red("haft:")} ${String(error)}\n`),
    });
    serving.beforeSwap(async (next) => host.changeAuth(await authOf(next, options["token-env"], terminal)));
    for (const warning of host.warnings) tell.warning(warning);
    const ended = aborted(terminal.signal);
    const { servers } = serving.summary();
    const starting = servers.filter(({ status }) => status === "connecting").map(({ id }) => id);
    if (starting.length > 0) tell.listening(host.url, starting);
    await Promise.race([serving.ready(), ended]);
    tell.serving({ transport: "http", url: host.url, ...serving.summary() });
    await ended;
    tell.note("Lets running calls finish.");
    await host.close();
    return exitCodes.done;
  },
});

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
