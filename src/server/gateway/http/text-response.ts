const responseTexts = new WeakMap<Response, string>();

/** JSON in one piece. Whoever writes it to a socket need not take it out of a stream again. */
export const textResponse = (text: string, headers: Readonly<Record<string, string>> = {}): Response => {
  const response = new Response(text, { headers: { ...headers, "content-type": "application/json" } });
  responseTexts.set(response, text);
  return response;
};

/** The text of a response that was made of one. */
export const responseTextOf = (response: Response): string | undefined => responseTexts.get(response);
