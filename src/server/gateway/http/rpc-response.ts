export const rpcErrorResponse = (
  status: number,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
  options: { readonly id?: unknown; readonly headers?: Record<string, string> } = {},
): Response => {
  const { id, headers } = options;
  const validId = typeof id === "string" || typeof id === "number" ? id : null;
  return Response.json({ jsonrpc: "2.0", error, id: validId }, { status, ...(headers ? { headers } : {}) });
};
