import { useEffect } from "react";
import { markUnseen } from "../components/invisible-characters.ts";

/** Screen readers announce the title. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${markUnseen(title)} · Haft Studio`;
  }, [title]);
};
