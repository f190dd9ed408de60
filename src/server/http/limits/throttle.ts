import { ConfigurationError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import type { HostRateLimits } from "../host-options.ts";
import { type HttpRejection, httpRejection, retryAfterHeader } from "../http-rejection.ts";
import { isLoopback } from "../loopback.ts";
import { addressKeyOf } from "./address-key.ts";
import { createTokenBuckets } from "./rate-limit.ts";
import { rateLimitKeyOf } from "./rate-limit-key.ts";

export interface Throttle {
  /** Before authentication. */
  readonly address: (address: string | undefined) => HttpRejection | undefined;
  readonly failed: (address: string | undefined) => HttpRejection | undefined;
  readonly principal: (principal: Principal) => HttpRejection | undefined;
}

const withDefaultRates = (rate: HostRateLimits): Required<HostRateLimits> => {
  const { perMinute = 6_000, failuresPerMinute = 60 } = rate;
  const { burst = Math.ceil(perMinute / 6), failureBurst = failuresPerMinute } = rate;
  return { perMinute, burst, failuresPerMinute, failureBurst };
};

const unlimited: Throttle = {
  address: () => undefined,
  failed: () => undefined,
  principal: () => undefined,
};

const tooManyRequestsRejection = (what: string, ms: number): HttpRejection | undefined =>
  ms === 0
    ? undefined
    : httpRejection(
        429,
        "too_many_requests",
        `${what} Wait as long as Retry-After says.`,
        retryAfterHeader(ms),
      );

const readRates = (rate: HostRateLimits): Required<HostRateLimits> => {
  const settled = withDefaultRates(rate);
  for (const [name, value] of Object.entries(settled)) {
    if (!(Number.isFinite(value) && value >= 1))
      throw new ConfigurationError("invalid_config", `/rate/${name} must be a number from 1.`);
  }
  return settled;
};

export const createThrottle = (rate: HostRateLimits | false, now: () => number): Throttle => {
  if (rate === false) return unlimited;
  const { perMinute, burst, failuresPerMinute, failureBurst } = readRates(rate);
  const requests = createTokenBuckets({ perMinute, burst, now });
  const failures = createTokenBuckets({ perMinute: failuresPerMinute, burst: failureBurst, now });
  const failureText = "Too many requests from this address could not be authenticated.";
  return {
    // A local proxy represents many clients.
    address: (address) =>
      isLoopback(address)
        ? undefined
        : tooManyRequestsRejection(failureText, failures.wait(addressKeyOf(address))),
    failed: (address) => tooManyRequestsRejection(failureText, failures.take(addressKeyOf(address))),
    principal: (principal) =>
      tooManyRequestsRejection(
        "This caller sends too many requests.",
        requests.take(rateLimitKeyOf(principal)),
      ),
  };
};
