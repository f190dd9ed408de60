// The client writes these itself. Others could redirect the connection or split the request.
const reservedHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const maxHeaders = 64;
const maxHeaderLength = 16 * 1024;

/** The message omits the value, which may be a secret. */
export const headerProblem = (name: string, value: string): string | undefined => {
  const shownName = JSON.stringify(name.slice(0, 80));
  if (reservedHeaders.has(name.toLowerCase())) return `the header ${shownName} is set by the client itself`;
  // `Headers` silently strips line breaks at the ends.
  if (/[\0\r\n]/.test(value)) return `the header ${shownName} contains a line break or a NUL`;
  try {
    new Headers([[name, value]]);
    return undefined;
  } catch {
    return `the header ${shownName} has a name or a value with characters that HTTP does not allow`;
  }
};

export const readHeaders = (fields: Readonly<Record<string, string>>): Headers | string => {
  const headers = new Headers();
  let length = 0;
  for (const [name, value] of Object.entries(fields)) {
    const reason = headerProblem(name, value);
    if (reason !== undefined) return reason;
    length += name.length + value.length;
    headers.set(name, value);
  }
  if (Object.keys(fields).length > maxHeaders) return `there are more than ${maxHeaders} headers`;
  if (length > maxHeaderLength) return `the headers are longer than ${maxHeaderLength} characters`;
  return headers;
};

// Credential headers cannot be recognized by name, so this is an allow list.
const crossOriginSafeHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "idempotency-key",
  "user-agent",
]);

export const withoutCredentials = (headers: Headers): Headers =>
  new Headers([...headers].filter(([name]) => crossOriginSafeHeaders.has(name)));

export const withoutContent = (headers: Headers): Headers =>
  new Headers([...headers].filter(([name]) => !name.startsWith("content-")));
