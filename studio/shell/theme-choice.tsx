import * as ToggleGroup from "@radix-ui/react-toggle-group";
import { useState } from "react";
import { Monitor, Moon, Sun } from "../components/icons.tsx";
import { applyTheme, readTheme, type Theme } from "./theme.ts";

const choices = [
  { theme: "system", name: "System", icon: Monitor },
  { theme: "light", name: "Light", icon: Sun },
  { theme: "dark", name: "Dark", icon: Moon },
] as const;

export const ThemeChoice = () => {
  const [theme, setTheme] = useState(readTheme);
  const choose = (chosen: string): void => {
    if (chosen === "") return;
    applyTheme(chosen as Theme);
    setTheme(chosen as Theme);
  };
  return (
    <ToggleGroup.Root
      type="single"
      value={theme}
      onValueChange={choose}
      aria-label="Color scheme"
      className="flex rounded-md border border-line p-0.5"
    >
      {choices.map(({ theme: value, name, icon: Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={name}
          title={name}
          className="grid h-7 w-8 place-items-center rounded text-soft hover:text-ink data-[state=on]:bg-accent-wash data-[state=on]:text-accent"
        >
          <Icon size={14} />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
};
