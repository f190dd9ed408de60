import type { JsonSchema } from "../../types/json.ts";
import type { Person } from "./person.ts";
import type { StudioServices } from "./studio-services.ts";
import type { Scope } from "./types/shared.ts";

/** An authorized and validated request. */
export interface ApiContext {
  readonly studio: StudioServices;
  readonly person: Person;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface QueryField {
  readonly schema: JsonSchema;
  readonly about: string;
}

/** Used by the router and by the OpenAPI document. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`, with parameters as `{name}`. */
  readonly path: string;
  readonly scope: Scope;
  /** Needs no scope or no sign-in. */
  readonly isOpen?: true;
  readonly about: string;
  readonly query?: Readonly<Record<string, QueryField>>;
  readonly body?: JsonSchema;
  /** Schema name, or `events`, `text` or `any`. */
  readonly answer: string;
  readonly run: (visit: ApiContext) => Promise<unknown>;
}
