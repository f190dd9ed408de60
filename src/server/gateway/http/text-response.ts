const responseTexts = new WeakMap<Response, string>();

/** Keeps the text, so that the server need not read a stream. */
export const textResponse = (text: string, headers: Readonly<Record<string, string>> = {}): Response => {
  const response = new Response(text, { headers: { ...headers, "content-type": "application/json" } });
  responseTexts.set(response, text);
  return response;
};

export const responseTextOf = (response: Response): string | undefined => responseTexts.get(response);
