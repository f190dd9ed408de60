import type { JsonSchema } from "../../types/json.ts";
import type { Person } from "./person.ts";
import type { AnswerName, AnswerNamed } from "./schemas/answer-schemas.ts";
import type { Schema } from "./schemas/schema-builders.ts";
import type { Scope } from "./schemas/shared.ts";
import type { StudioServices } from "./studio-services.ts";

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
