import { useEffect } from "react";

/** The name of the page, in the window and for whoever listens to it. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Haft Studio`;
  }, [title]);
};
