import { isIPv6 } from "node:net";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { HttpError, retryAfter } from "../request/http-error.ts";
import { slotOwnerOf } from "../request/request-slots.ts";
import type { HostRateLimits } from "./host-options.ts";
import { isLoopback } from "./loopback.ts";

export interface Throttle {
  /** Throws before authentication if too many requests of the address failed. */
  readonly checkAddress: (address: string | undefined) => void;
  /** Throws instead of the failure if there are too many. */
  readonly countFailure: (address: string | undefined) => void;
  readonly countRequest: (principal: Principal) => HttpError | undefined;
}

const withDefaultRates = (rate: HostRateLimits): Required<HostRateLimits> => {
  const { perMinute = 6_000, failuresPerMinute = 60 } = rate;
  const { burst = Math.ceil(perMinute / 6), failureBurst = failuresPerMinute } = rate;
  return { perMinute, burst, failuresPerMinute, failureBurst };
};

const unlimited: Throttle = {
  checkAddress: () => {},
  countFailure: () => {},
  countRequest: () => undefined,
};

const tooManyRequestsError = (what: string, ms: number): HttpError =>
  new HttpError(429, "too_many_requests", `${what} Wait for the time in Retry-After.`, {
    headers: retryAfter(ms),
  });

const readRates = (rate: HostRateLimits): Required<HostRateLimits> => {
  const settled = withDefaultRates(rate);
  for (const [name, value] of Object.entries(settled)) {
    if (!(Number.isFinite(value) && value >= 1))
      throw new ConfigurationError("invalid_config", `/rate/${name} must be a number of at least 1.`);
  }
  return settled;
};

export const createThrottle = (rate: HostRateLimits | false, now: () => number): Throttle => {
  if (rate === false) return unlimited;
  const { perMinute, burst, failuresPerMinute, failureBurst } = readRates(rate);
  const requests = createTokenBuckets({ perMinute, burst, now });
  const failures = createTokenBuckets({ perMinute: failuresPerMinute, burst: failureBurst, now });
  const checkFailures = (ms: number): void => {
    if (ms > 0)
      throw tooManyRequestsError("Too many requests from this address could not be authenticated.", ms);
  };
  return {
    // A local proxy represents many clients.
    checkAddress: (address) => {
      if (!isLoopback(address)) checkFailures(failures.wait(addressKeyOf(address)));
    },
    countFailure: (address) => checkFailures(failures.take(addressKeyOf(address))),
    countRequest: (principal) => {
      const ms = requests.take(slotOwnerOf(principal));
      return ms === 0 ? undefined : tooManyRequestsError("This caller sends too many requests.", ms);
    },
  };
};

/** IPv6 clients usually own a /64 network. */
export const addressKeyOf = (address: string | undefined): string => {
  if (address === undefined || !isIPv6(address)) return address ?? "";
  const withoutZone = address.replace(/%.*$/, "");
  if (/^::ffff:\d+\./.test(withoutZone)) return withoutZone.slice("::ffff:".length);
  const host = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [head = "", tail] = host.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, 4).join(":");
};

interface TokenBuckets {
  /** Returns 0, or the wait in milliseconds. */
  readonly take: (key: string) => number;
  readonly wait: (key: string) => number;
}

interface TokenBucketOptions {
  readonly perMinute: number;
  readonly burst: number;
  readonly now: () => number;
  /** Keys are untrusted; the least recently used one is removed. */
  readonly maxKeys?: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Clock jumps backwards have no effect. */
export const createTokenBuckets = ({
  perMinute,
  burst,
  now,
  maxKeys = 10_000,
}: TokenBucketOptions): TokenBuckets => {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  const fill = (bucket: Bucket | undefined): Bucket => {
    const at = now();
    if (bucket === undefined) return { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, at - bucket.at) * perMs);
    bucket.at = at;
    return bucket;
  };
  const missing = ({ tokens }: Bucket): number => (tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs));

  return {
    wait: (key) => missing(fill(buckets.get(key))),
    take: (key) => {
      const bucket = fill(buckets.get(key));
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value!);
      const ms = missing(bucket);
      if (ms === 0) bucket.tokens -= 1;
      return ms;
    },
  };
};
