import type { MaybeSecret } from "../../words/mcp.ts";
import { Misuse } from "../misuse.ts";
import { plain } from "../screen.ts";

/** `NAME=SECRET` for variables and headers. Only names are typed: what is on a command line, everybody can read. */
export const readPairs = (
  option: "header" | "env",
  pairs: readonly string[] | undefined,
): Readonly<Record<string, MaybeSecret>> | undefined => {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const read = pairs.map((pair): readonly [string, MaybeSecret] => {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    const secret = at < 0 && option === "env" ? name : pair.slice(at + 1);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || (at < 0 && option === "header")) {
      throw new Misuse(
        `--${option} takes NAME=SECRET, where SECRET is the name a secret is kept under${option === "header" ? ", such as --header Authorization=GITHUB_AUTHORIZATION" : ", such as --env GITHUB_TOKEN=MY_TOKEN"}.`,
      );
    }
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(secret)) {
      throw new Misuse(
        `--${option} ${plain(name)}= takes the name of a secret, not the secret itself. Keep it in the environment, and name the variable here.`,
      );
    }
    return [name, { secret }];
  });
  return Object.fromEntries(read);
};
