import type { HttpAuth } from "../../tool/http/auth.ts";
import type { NoteLoss } from "./losses.ts";
import type { Parameter, ReadOperation } from "./operation.ts";
import type { OpenApiDocument } from "./read-document.ts";
import { type ChosenAuth, chooseAuth, type OpenApiAuth, parameterAuth } from "./security.ts";
import type { Server } from "./servers.ts";

interface Asking {
  readonly document: OpenApiDocument;
  readonly operation: ReadOperation;
  /** Parameters that hold secrets. */
  readonly secrets: readonly Parameter[];
  readonly auth: OpenApiAuth;
  readonly server: Server;
}

const quiet: NoteLoss = () => {};

/** What goes along with a request. A server that the document names for some operations only gets no credential. */
export const authFor = (asking: Asking, note: NoteLoss): ChosenAuth => {
  const { document, operation, secrets, auth, server } = asking;
  const choose = (given: OpenApiAuth, tell: NoteLoss): ChosenAuth =>
    parameterAuth(secrets, chooseAuth(document, operation, given, tell), given, tell);
  if (!server.isElsewhere || choose(auth, quiet).auth.length === 0) return choose(auth, note);
  const { origin } = new URL(server.url);
  const what = `Its server ${origin} is none of the document's own, so no credential is sent there. Name it in \`authOrigins\`, or give \`servers\`.`;
  note(operation.pointer, what);
  const without = choose({}, quiet);
  return without.missing === undefined ? without : { auth: [], missing: [what] };
};

/** Whether a secret goes where a parameter would: then it is nothing that a model fills in. */
export const isPlaceOf = ({ in: place, name }: Parameter, auths: readonly HttpAuth[]): boolean =>
  auths.some((auth) => {
    const taken = (auth as unknown as Readonly<Record<string, unknown>>)[place];
    if (typeof taken !== "string") return false;
    return place === "header" ? taken.toLowerCase() === name.toLowerCase() : taken === name;
  });

/** The names under `credentials` of what goes along. */
export const credentialNames = (auths: readonly HttpAuth[]): readonly string[] => [
  ...new Set(auths.map((auth) => ("secret" in auth ? auth.secret : auth.credential))),
];
