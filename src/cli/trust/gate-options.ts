import type {
  CommandSource,
  SecretSource,
  SecretSourceConfig,
} from "../../base/credentials/secret-source.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import type { McpOptions } from "../../runtime/mcp-options.ts";
import { type Launch, listLaunches, secretLaunch, serverLaunch } from "./launch.ts";
import type { Trust } from "./trust.ts";

export type LaunchGateMode = "require" | { readonly report: (launches: readonly Launch[]) => void };

/** Only accepted servers and secret commands remain, and every start and reconnect checks again. */
export const gateOptions = async (
  options: HaftOptions,
  trust: Trust,
  mode: LaunchGateMode,
): Promise<HaftOptions> => {
  const launches = listLaunches(options);
  if (mode === "require") await trust.requireLaunches(launches);
  else {
    const open = await trust.unaccepted(launches);
    if (open.length > 0) mode.report(open);
  }
  const { mcp, credentials } = options;
  return {
    ...options,
    ...(mcp === undefined
      ? {}
      : { mcp: { ...mcp, refuse: unacceptedLaunchGate(trust, credentials, mcp.refuse) } }),
    ...(credentials === undefined
      ? {}
      : {
          credentials: keepAcceptedCommands(credentials as SecretSource, trust) as NonNullable<
            typeof credentials
          >,
        }),
  };
};

type RefuseServer = NonNullable<McpOptions["refuse"]>;

/** For operators; models only read that the server is unavailable. */
export const unacceptedLaunchGate =
  (trust: Trust, credentials: HaftOptions["credentials"], configured?: RefuseServer): RefuseServer =>
  (server) =>
    trust.isAccepted(serverLaunch(server.id, server, credentials))
      ? configured?.(server)
      : "this user has not accepted its launch command. haft mcp list shows how to accept it";

/** Secrets of commands that are not accepted are missing. */
const keepAcceptedCommands = (source: SecretSource, trust: Trust): SecretSource => {
  if (typeof source !== "object" || source === null) return source;
  if (Array.isArray(source)) return source.map((each) => keepAcceptedCommands(each, trust));
  const places = source as SecretSourceConfig;
  return {
    ...places,
    ...(places.command === undefined ? {} : { command: acceptedCommandsOf(places.command, trust) }),
    ...(places.sources === undefined
      ? {}
      : { sources: places.sources.map((each) => keepAcceptedCommands(each, trust)) }),
  };
};

const acceptedCommandsOf = (source: CommandSource, trust: Trust): CommandSource => {
  const { argv, env = [] } = source;
  if (typeof argv !== "object" || argv === null) return source;
  const accepted = Object.entries(argv).filter(
    ([, words]) => !Array.isArray(words) || trust.isAccepted(secretLaunch(words, env)),
  );
  return { ...source, argv: Object.fromEntries(accepted) };
};
