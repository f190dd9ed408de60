import type { JsonSchema } from "../../types/json.ts";
import type { Person } from "./person.ts";
import type { StudioServices } from "./studio-services.ts";
import type { Scope } from "./types/shared.ts";

/** One request of somebody who may make it, read and checked. */
export interface ApiContext {
  readonly world: StudioServices;
  readonly person: Person;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What may stand in the query of a request. */
export interface QueryField {
  readonly schema: JsonSchema;
  readonly about: string;
}

/** One resource of the API: how it is asked for and answered, for the router and for the document alike. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`; `{name}` is a part of the path. */
  readonly path: string;
  readonly scope: Scope;
  /** Who came in without a scope may ask it, or nobody need be signed in. */
  readonly isOpen?: true;
  readonly about: string;
  readonly query?: Readonly<Record<string, QueryField>>;
  readonly body?: JsonSchema;
  /** The name of its schema; `events` is a stream of server-sent events, `text` a text, `any` some JSON. */
  readonly answer: string;
  readonly run: (visit: ApiContext) => Promise<unknown>;
}
