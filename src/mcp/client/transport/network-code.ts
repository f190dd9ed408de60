/** No connection was established. */
const notConnectedCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

interface NetworkFault {
  readonly code: string;
  readonly syscall: unknown;
}

const networkFaultOf = (error: unknown): NetworkFault | undefined => {
  let each: unknown = error;
  for (let depth = 0; depth < 6 && typeof each === "object" && each !== null; depth++) {
    const { code, errors, cause, syscall } = each as Record<"code" | "errors" | "cause" | "syscall", unknown>;
    if (
      typeof code === "string" &&
      /^E[A-Z]|^UND_ERR_|^ERR_|^CERT_|^DEPTH_|^SELF_/.test(code) &&
      code !== "ERA_NEGOTIATION_FAILED"
    ) {
      return { code, syscall };
    }
    each = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return undefined;
};

export const networkCodeOf = (error: unknown): string | undefined => networkFaultOf(error)?.code;

/** The same codes can end an open connection, so the system call is checked. */
export const isNeverSent = (error: unknown): boolean => {
  const fault = networkFaultOf(error);
  if (fault === undefined || !notConnectedCodes.has(fault.code)) return false;
  const { code, syscall } = fault;
  return (
    code.startsWith("UND_ERR_") || (typeof syscall === "string" && /^(connect|getaddrinfo)/.test(syscall))
  );
};
