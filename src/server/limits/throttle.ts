import { ConfigurationError } from "../../words/errors.ts";
import type { Principal } from "../../words/principal.ts";
import type { HostRate } from "../host-options.ts";
import { isLoopback } from "../loopback.ts";
import { type HttpRefusal, refusal, retryAfter } from "../refusal.ts";
import { addressKey } from "./address-key.ts";
import { callerKey } from "./caller-key.ts";
import { rateLimit } from "./rate-limit.ts";

export interface Throttle {
  /** Before anybody is identified: an address that failed too often is not looked at again for a while. */
  readonly address: (address: string | undefined) => HttpRefusal | undefined;
  /** A caller could not be told. */
  readonly failed: (address: string | undefined) => HttpRefusal | undefined;
  readonly principal: (principal: Principal) => HttpRefusal | undefined;
}

/** What is not given: ten seconds' worth of requests at once, and a minute's worth of failures. */
const usual = (rate: HostRate): Required<HostRate> => {
  const { perMinute = 6_000, failuresPerMinute = 60 } = rate;
  const { burst = Math.ceil(perMinute / 6), failureBurst = failuresPerMinute } = rate;
  return { perMinute, burst, failuresPerMinute, failureBurst };
};

const open: Throttle = {
  address: () => undefined,
  failed: () => undefined,
  principal: () => undefined,
};

const tooMany = (what: string, ms: number): HttpRefusal | undefined =>
  ms === 0
    ? undefined
    : refusal(429, "too_many_requests", `${what} Wait as long as Retry-After says.`, retryAfter(ms));

const settle = (rate: HostRate): Required<HostRate> => {
  const settled = usual(rate);
  for (const [name, value] of Object.entries(settled)) {
    if (!(Number.isFinite(value) && value >= 1))
      throw new ConfigurationError("invalid_config", `/rate/${name} must be a number from 1.`);
  }
  return settled;
};

/** Counts requests of each caller, and failures of each address. */
export const throttle = (rate: HostRate | false, now: () => number): Throttle => {
  if (rate === false) return open;
  const { perMinute, burst, failuresPerMinute, failureBurst } = settle(rate);
  const requests = rateLimit({ perMinute, burst, now });
  const failures = rateLimit({ perMinute: failuresPerMinute, burst: failureBurst, now });
  const tried = "Too many requests from this address could not be authenticated.";
  return {
    // A proxy on this machine stands for everybody behind it, who must not be shut out by one of them.
    address: (address) =>
      isLoopback(address) ? undefined : tooMany(tried, failures.wait(addressKey(address))),
    failed: (address) => tooMany(tried, failures.take(addressKey(address))),
    principal: (principal) =>
      tooMany("This caller sends too many requests.", requests.take(callerKey(principal))),
  };
};
