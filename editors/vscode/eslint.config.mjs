// The rules of `make lint-editors`; `npx eslint .` applies them here.
import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

// What Node gives to a script, and what a page gives to the functions that Playwright runs in it.
const node = ["Buffer", "URL", "console", "process", "performance", "fetch", "setTimeout", "clearTimeout", "setInterval", "clearInterval"];
const page = ["document", "window", "getComputedStyle", "innerWidth", "navigator", "requestAnimationFrame", "MutationObserver", "OffscreenCanvas", "ImageData", "createImageBitmap", "btoa"];

export default defineConfig(
  { ignores: ["dist/", "server/", "tests/.out/"] },
  js.configs.recommended,
  { rules: { "no-unused-vars": ["error", { ignoreRestSiblings: true }] } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    // A command is async although it may have nothing to wait for.
    rules: { "@typescript-eslint/require-await": "off" },
    languageOptions: {
      parserOptions: { project: ["tsconfig.json", "src/webview/tsconfig.json"], tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ["tests/**/*.ts"],
    rules: {
      // node:test waits for its tests by itself.
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "suite", "it", "describe"] }] }],
      // The tests read samples, which are JSON without a type.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-base-to-string": "off",
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: Object.fromEntries([...node, ...page].map((name) => [name, "readonly"])) },
  },
);
