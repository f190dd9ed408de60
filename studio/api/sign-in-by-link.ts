import { api } from "./api.ts";
import { ApiFailure } from "./api-request.ts";

let linkError: string | undefined;

export const signInLinkError = (): string | undefined => linkError;

/** Also removes the token from the URL and the history. */
export const signInByLink = async (): Promise<void> => {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await api.signIn(token);
  } catch (error) {
    linkError = error instanceof ApiFailure ? error.message : String(error);
  }
};
