import { useEffect } from "react";
import { markUnseen } from "../components/invisible-characters.ts";

/** The name of the page, in the window and for whoever listens to it. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${markUnseen(title)} · Haft Studio`;
  }, [title]);
};
