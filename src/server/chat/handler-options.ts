import { commonRunFields } from "../../agent/run-options.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import type { ChatRunOptions } from "../../runtime/chat/answer-chat.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { isOrigin } from "../request/check-request.ts";
import { warnOfError } from "../request/http-error.ts";

/** Options of `agentHandler`. */
export interface AgentHandlerOptions {
  /**
   * Returns the authenticated person, from your cookie or token; undefined answers 401. The page never
   * decides it.
   */
  readonly principal: (request: Request) => Principal | undefined | Promise<Principal | undefined>;
  /** Path under which the handler is mounted. Default: `/api/chat`, as in `useChat`. */
  readonly base?: string;
  /**
   * Name of the person who answers an approval, or undefined if the person may not answer. Default: the
   * principal's `user`.
   */
  readonly approver?: (
    request: Request,
    approval: ApprovalRecord,
  ) => string | undefined | Promise<string | undefined>;
  /** Further origins whose pages may send requests, such as `https://shop.example`. Default: none. */
  readonly origins?: readonly string[];
  /** Run options of each answer: `model`, `maxTurns`, `layers`, `env` and so on. */
  readonly run?: ChatRunOptions;
  /** Maximum body size in bytes. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum message length in characters. Default: 32,000. */
  readonly maxMessageLength?: number;
  /** Maximum number of open streams. Default: 1,000. */
  readonly maxStreams?: number;
  /** Maximum number of open streams per person. Default: 10. */
  readonly maxStreamsPerPerson?: number;
  /** Receives errors that the page sees only as a reference. Default: a process warning. */
  readonly onError?: (error: unknown, reference: string) => void;
}

export type AgentHandlerSettings = Required<Omit<AgentHandlerOptions, "approver">> &
  Pick<AgentHandlerOptions, "approver">;

const handlerFields = [
  "principal",
  "base",
  "approver",
  "origins",
  "run",
  "maxBodyBytes",
  "maxMessageLength",
  "maxStreams",
  "maxStreamsPerPerson",
  "onError",
] as const satisfies (keyof AgentHandlerOptions)[];

const runFields = [...commonRunFields, "allow", "deny"] as const satisfies (keyof ChatRunOptions)[];

export const toAgentHandlerSettings = (options: AgentHandlerOptions): AgentHandlerSettings => {
  checkFields("agentHandler", options, handlerFields);
  const {
    principal,
    approver,
    base = "/api/chat",
    origins = [],
    run = {},
    onError = warnOfError("A chat request"),
  } = options;
  if (typeof principal !== "function") {
    throw agentHandlerConfigError("`principal` must be a function that returns the principal of a request.");
  }
  if (typeof base !== "string" || !base.startsWith("/") || /[?#]/.test(base)) {
    throw agentHandlerConfigError("`base` must be a path, such as /api/chat.");
  }
  if (!Array.isArray(origins) || !origins.every(isOrigin)) {
    throw agentHandlerConfigError("`origins` must be a list of origins, such as https://shop.example.");
  }
  checkFields("`run` of agentHandler", run, runFields);
  return {
    principal,
    ...(approver === undefined ? {} : { approver }),
    base: base === "/" ? "" : base.replace(/\/$/, ""),
    origins,
    run,
    onError,
    maxBodyBytes: positiveInteger("maxBodyBytes", options.maxBodyBytes, 4 * 1_048_576),
    maxMessageLength: positiveInteger("maxMessageLength", options.maxMessageLength, 32_000),
    maxStreams: positiveInteger("maxStreams", options.maxStreams, 1_000),
    maxStreamsPerPerson: positiveInteger("maxStreamsPerPerson", options.maxStreamsPerPerson, 10),
  };
};

const positiveInteger = (field: string, given: number | undefined, unless: number): number => {
  if (given === undefined) return unless;
  if (Number.isInteger(given) && given >= 1) return given;
  throw agentHandlerConfigError(`\`${field}\` must be a whole number of at least 1.`);
};

const agentHandlerConfigError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `agentHandler: ${what}`);
