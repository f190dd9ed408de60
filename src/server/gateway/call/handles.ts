import { randomBytes } from "node:crypto";

/** Handles that clients get for held calls and tasks. */
export interface Handles {
  readonly create: () => string;
  /** A gateway that has ended, or another one, created it. */
  readonly isOfOtherGateway: (handle: unknown) => boolean;
}

export const createHandles = (): Handles => {
  const prefix = `${randomText(6)}.`;
  return {
    create: () => `${prefix}${randomText(16)}`,
    isOfOtherGateway: (handle) =>
      typeof handle === "string" && handlePattern.test(handle) && !handle.startsWith(prefix),
  };
};

const handlePattern = /^[\w-]{8}\.[\w-]{22}$/;

const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");
