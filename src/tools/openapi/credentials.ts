import type { HttpAuth } from "../http/http-auth.ts";
import type { ReportLoss } from "./loss-collector.ts";
import type { OpenApiParameter, ParsedOperation } from "./operation.ts";
import type { OpenApiDocument } from "./read-document.ts";
import { type OpenApiAuth, parameterAuth, type SelectedAuth, selectAuth } from "./select-auth.ts";
import type { OpenApiServer } from "./server-finder.ts";

interface AuthContext {
  readonly document: OpenApiDocument;
  readonly operation: ParsedOperation;
  readonly secrets: readonly OpenApiParameter[];
  readonly auth: OpenApiAuth;
  readonly server: OpenApiServer;
}

const ignoreLoss: ReportLoss = () => {};

/** A server that the document names only for some operations gets none. */
export const authFor = (context: AuthContext, reportLoss: ReportLoss): SelectedAuth => {
  const { document, operation, secrets, auth, server } = context;
  const choose = (given: OpenApiAuth, tell: ReportLoss): SelectedAuth =>
    parameterAuth(secrets, selectAuth(document, operation, given, tell), given, tell);
  if (!server.isElsewhere || choose(auth, ignoreLoss).auth.length === 0) return choose(auth, reportLoss);
  const { origin } = new URL(server.url);
  const what = `Its server ${origin} is none of the document's own, so no credential is sent there. Name it in \`authOrigins\`, or give \`servers\`.`;
  reportLoss(operation.pointer, what);
  const without = choose({}, ignoreLoss);
  return without.missing === undefined ? without : { auth: [], missing: [what] };
};

/** Such a parameter is not filled by the model. */
export const isSetByAuth = ({ in: place, name }: OpenApiParameter, auths: readonly HttpAuth[]): boolean =>
  auths.some((auth) => {
    const taken = (auth as unknown as Readonly<Record<string, unknown>>)[place];
    if (typeof taken !== "string") return false;
    return place === "header" ? taken.toLowerCase() === name.toLowerCase() : taken === name;
  });

export const credentialNames = (auths: readonly HttpAuth[]): readonly string[] => [
  ...new Set(auths.map((auth) => ("secret" in auth ? auth.secret : auth.credential))),
];
