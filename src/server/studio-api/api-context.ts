import type { JsonSchema } from "../../types/json.ts";
import type { Principal } from "../../types/principal.ts";
import type { AnswerName, AnswerNamed } from "./schemas/answer-schemas.ts";
import type { Schema } from "./schemas/schema-builders.ts";
import { type Caller, type LedgerLocation, type Me, type Scope, scopeSchema } from "./schemas/shared.ts";
import { packageVersion } from "./serve-page.ts";
import type { StudioServices } from "./studio-services.ts";

export interface Person {
  /** Recorded in the ledger with their answers and calls. */
  readonly name: string;
  readonly principal: Principal | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: number;
  readonly signedOut?: AbortSignal;
  /** Signed in by link; may resume runs of all callers. */
  readonly isOperator?: true;
}

export const scopesOf = ({ roles = [] }: Principal): readonly Scope[] =>
  scopeSchema.enum.filter((scope) => roles.includes(scope));

export const personNameOf = ({ user, agent }: Principal): string => user ?? agent;

const maxDelegationDepthShown = 16;

export const toCaller = ({ agent, user, tenant, session, roles, within }: Principal, depth = 0): Caller => ({
  agent,
  ...(user === undefined ? {} : { user }),
  ...(tenant === undefined ? {} : { tenant }),
  ...(session === undefined ? {} : { session }),
  ...(roles === undefined || roles.length === 0 ? {} : { roles }),
  ...(within === undefined || depth >= maxDelegationDepthShown
    ? {}
    : { within: toCaller(within, depth + 1) }),
});

export interface ApiContext<Body = unknown> {
  readonly studio: StudioServices;
  readonly person: Person;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: Body;
}

export interface QueryField {
  readonly schema: JsonSchema;
  readonly about: string;
}

/** Used by the router and by the OpenAPI document. */
export interface Route<Name extends AnswerName = AnswerName, Body = never> {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`, with parameters as `{name}`. */
  readonly path: string;
  readonly scope: Scope;
  /** Needs no scope or no sign-in. */
  readonly isOpen?: true;
  readonly about: string;
  readonly query?: Readonly<Record<string, QueryField>>;
  readonly body?: Schema<unknown>;
  readonly answer: Name;
  readonly run: (context: ApiContext<Body>) => Promise<AnswerNamed<Name>>;
}

export const showMe = async ({ studio, person }: ApiContext): Promise<Me> => {
  const { options, shared, durable } = studio;
  const principal = person.principal ?? studio.haft.principal;
  const { agents } = options;
  const hasScope = person.scopes.length > 0;
  return {
    name: person.name,
    ...(principal === undefined ? {} : { principal: toCaller(principal) }),
    scopes: person.scopes,
    ...(person.expiresAt === undefined ? {} : { expiresAt: person.expiresAt }),
    version: packageVersion(),
    ledger: hasScope ? toLedgerLocation(studio) : { kind: toLedgerLocation(studio).kind },
    agents: hasScope ? agents.map(({ name }) => name) : [],
    features: {
      fleet: options.fleet !== undefined,
      experiments: options.experiments.length > 0,
      servers: shared.mcp.list().length > 0,
      agents: agents.length > 0,
      approvals: true,
      runs: true,
      chain: durable !== undefined,
    },
    ...(options.appOrigin === undefined ? {} : { appOrigin: options.appOrigin }),
  };
};

const toLedgerLocation = ({ durable, shared }: StudioServices): LedgerLocation => {
  if (durable === undefined) return { kind: shared.ledgerUrl === undefined ? "memory" : "other" };
  const { place } = durable;
  return { kind: place.startsWith("sqlite:") ? "sqlite" : "postgres", location: place };
};
