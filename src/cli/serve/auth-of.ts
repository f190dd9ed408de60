import type { HostAuth } from "../../server/auth/host-auth.ts";
import type { Terminal } from "../command.ts";
import { Misuse } from "../misuse.ts";
import type { NextServing } from "./serving.ts";

/** Who may call over HTTP: what the command line says, then the configuration; else everybody who can connect. */
export const authOf = async (
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
